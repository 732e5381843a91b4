/** The person asked for something the CLI cannot do as written: one line says what, one the way out. Exit code 2. */
export class UsageError extends Error {
  readonly wayOut: string | undefined

  constructor(message: string, wayOut?: string) {
    super(message)
    this.name = "UsageError"
    this.wayOut = wayOut
  }
}
