/**
 * One request body that a judge must refuse: which rule it breaks and the exact text that says so.
 */
import type { JudgeOptions } from "../../../src/testing/providers/index.ts"

export interface RejectionCase {
  readonly rule: string
  readonly body: unknown
  readonly message: string
  readonly options?: JudgeOptions
  /** Default 400. */
  readonly status?: number
}

export type WireValue = Readonly<Record<string, unknown>>
