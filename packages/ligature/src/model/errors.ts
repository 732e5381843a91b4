/** Errors for programmers and for I/O. Findings about data are diagnostics and are never thrown. */

/** Every code an error of ours can carry. */
export type ErrorCode =
  | "unknown-format"
  | "wrong-format"
  | "unknown-profile"
  | "unknown-rule"
  | "bad-option"
  | "cannot-read"
  | "cannot-write"
  | "not-expressible"
  | "provider-failed"
  | "no-answer"
  | "aborted"

const marker = Symbol.for("ligature.error")

/** One class for all of them; `LigatureError.is` also recognises errors of a second installed copy. */
export class LigatureError extends Error {
  readonly code: ErrorCode
  readonly [marker] = true

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "LigatureError"
    this.code = code
  }

  static is(value: unknown): value is LigatureError {
    return typeof value === "object" && value !== null && marker in value
  }
}

/** A text became longer than the platform can hold (half a gigabyte of characters). */
export const isTooLong = (error: unknown): boolean =>
  error instanceof Error && /^(?:Invalid string length|Cannot create a string longer than)/.test(error.message)
