/** The command line is not valid: one line names the problem, one the solution. Exit code 2. */
export class UsageError extends Error {
  /** Lines. */
  readonly wayOut: string | undefined

  constructor(message: string, wayOut?: string) {
    super(message)
    this.name = "UsageError"
    this.wayOut = wayOut
  }
}
