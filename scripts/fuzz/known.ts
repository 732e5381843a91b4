/**
 * Failures that are known and wait for their repair, each with its reason. The list may only become shorter: what is not in it
 * fails the tests.
 */
import type { Failure } from "./trial.ts"

interface KnownFailure {
  readonly property: string
  /** Default: all formats. */
  readonly formats?: readonly string[]
  /** How the detail begins. Default: any. */
  readonly detail?: string
  readonly reason: string
}

export const knownFailures: readonly KnownFailure[] = []

export const isKnown = ({ property, format, detail }: Failure): boolean =>
  knownFailures.some(
    (known) => known.property === property && (known.formats?.includes(format) ?? true) && detail.startsWith(known.detail ?? ""),
  )
