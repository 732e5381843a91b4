/**
 * What can be wrong with a file before any conversation in it is looked at. A problem is data: the reader never
 * throws on a file, it says what it met, where, and what the person can do.
 */

export type ProblemKind =
  | "empty"
  | "binary"
  | "too-large"
  | "bom"
  | "utf-16"
  | "invalid-utf8"
  | "nul"
  | "truncated-json"
  | "invalid-json"
  | "torn-last-line"
  | "torn-line"
  | "glued-lines"
  | "pretty-printed"
  | "other-lines"
  | "other-list"
  | "too-deep"
  | "session-file"
  | "wrong-format"
  | "no-conversation"
  | "unknown-format"

/** `error`: nothing, or not what was asked for, can be read. `damage`: something was lost. `note`: harmless. */
export type ProblemSeverity = "error" | "damage" | "note"

export interface Problem {
  readonly kind: ProblemKind
  readonly severity: ProblemSeverity
  readonly what: string
  readonly wayOut: string
  /** 1-based line and column, counted in characters. */
  readonly line?: number
  readonly column?: number
  /** Bytes from the start for `bom`, `utf-16`, `invalid-utf8` and `binary`; characters from the start otherwise. */
  readonly offset?: number
  /** JSON pointer, where the problem belongs to one value. */
  readonly path?: string
}

export const severityOf: Readonly<Record<ProblemKind, ProblemSeverity>> = {
  empty: "error",
  binary: "error",
  "too-large": "error",
  bom: "note",
  "utf-16": "note",
  "invalid-utf8": "damage",
  nul: "damage",
  "truncated-json": "damage",
  "invalid-json": "damage",
  "torn-last-line": "damage",
  "torn-line": "damage",
  "glued-lines": "note",
  "pretty-printed": "note",
  "other-lines": "note",
  "other-list": "note",
  "too-deep": "error",
  "session-file": "error",
  "wrong-format": "error",
  "no-conversation": "note",
  "unknown-format": "error",
}

export type Place = Pick<Problem, "line" | "column" | "offset" | "path">

export function problem(kind: ProblemKind, what: string, wayOut: string, place: Place = {}): Problem {
  return { kind, severity: severityOf[kind], what, wayOut, ...place }
}

/** Line and column of an offset. */
export function placeOf(text: string, offset: number): { line: number; column: number; offset: number } {
  let line = 1
  let start = 0
  for (let next = text.indexOf("\n"); next !== -1 && next < offset; next = text.indexOf("\n", start)) {
    line += 1
    start = next + 1
  }
  return { line, column: offset - start + 1, offset }
}
