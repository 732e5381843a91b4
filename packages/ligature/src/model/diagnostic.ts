/** Findings and reports: plain data; how they look on a terminal is the CLI's business. */
import type { Block } from "./block.ts"
import type { Message } from "./message.ts"

export type Severity = "error" | "warning" | "info"

/**
 * What a repair does to the history. `safe` moves or renames: nothing is lost or generated. `synthetic` adds a marked block
 * nobody said. `demote` says the same words in another block type. `drop` leaves something out.
 */
export type RepairKind = "safe" | "synthetic" | "demote" | "drop"

/** Where in a transcript. Indices are zero-based, lines one-based. */
export interface Place {
  readonly message?: number
  readonly block?: number
  readonly line?: number
  readonly file?: string
  /** Index of the item in a conversation, where there is no transcript to point into. */
  readonly item?: number
  /** Path in the source where indices do not say it, e.g. `input[4].call_id`. */
  readonly path?: string
}

/** One finding. */
export interface Diagnostic {
  readonly rule: string
  readonly severity: Severity
  readonly place: Place
  /** What was found, with ids: one sentence. */
  readonly what: string
  /** Why it matters. */
  readonly why: string
  /** What to do about it. */
  readonly help: string
  /** The ids of calls, results or items it concerns. */
  readonly ids: readonly string[]
  /** The repair that `settle` or `encode` would apply. */
  readonly repair?: { readonly kind: RepairKind; readonly what: string }
  /** What the repair leaves out, where no block of the transcript has it. */
  readonly original?: Block
}

/** One thing that settle or encode did, with the original, so that nothing is lost silently. */
export interface ReportEntry {
  readonly rule: string
  readonly kind: RepairKind
  readonly place: Place
  readonly what: string
  /** What was found, where the change alone does not tell it: a sentence. */
  readonly found?: string
  readonly ids: readonly string[]
  readonly original?: Block | Message
  readonly replacement?: Block | Message
}

/** Something a format cannot say: `lost` has no home there, `weakened` is carried by a convention. */
export interface Loss {
  /** The piece of information, by its name in docs/losses.md: `result-error`, `thinking`. */
  readonly feature: string
  readonly degree: "lost" | "weakened"
  readonly place: Place
  readonly what: string
  /** What is lost, as the source said it. */
  readonly original?: unknown
}

export interface Report {
  readonly entries: readonly ReportEntry[]
  readonly losses: readonly Loss[]
}

export const emptyReport: Report = { entries: [], losses: [] }
