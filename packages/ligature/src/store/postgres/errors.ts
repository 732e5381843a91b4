/** What went wrong between the store and its server: what is worth another try, and what to tell the user. */
import { asStoreError, StoreError } from "../store-error.ts"

/** The system's error code, or the SQLSTATE. */
const codeOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  return typeof code === "string" ? code : ""
}

const messageOf = (error: unknown): string => {
  // Connecting to several addresses at once fails with all their errors and no message of its own.
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ")
  return error instanceof Error ? error.message : String(error)
}

const networkCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "ENOENT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
])

/** Starting, stopping, out of connections: 57P01 to 57P03 and 53300. */
const serverCodes: ReadonlySet<string> = new Set(["57P01", "57P02", "57P03", "53300"])

/** `pg` gives these no code. */
const brokenMessages =
  /connection (?:terminated|ended|timeout)|timeout exceeded when trying|query read timeout|not queryable/i

/** The connection is gone or was never there. What it was asked for may have happened or not. */
export const isConnectionError = (error: unknown): boolean => {
  if (error instanceof StoreError) return false
  const code = codeOf(error)
  if (code === "") return brokenMessages.test(messageOf(error))
  return networkCodes.has(code) || serverCodes.has(code) || code.startsWith("08")
}

/** Serialization failure, deadlock, lock not available: the server undid it, and another try may go through. */
const undoneCodes: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"])

export const isWorthAnotherTry = (error: unknown): boolean => isConnectionError(error) || undoneCodes.has(codeOf(error))

const explain = (error: unknown, schema: string): string | undefined => {
  const said = messageOf(error)
  if (isConnectionError(error)) {
    return `The PostgreSQL server cannot be reached: ${said}. Check that it runs and that the address is right`
  }
  const code = codeOf(error)
  if (code.startsWith("28")) return `PostgreSQL does not let this user in: ${said}`
  switch (code) {
    case "3D000":
      return `PostgreSQL has no such database: ${said}. Create it, or name another one`
    case "42501":
      return (
        `PostgreSQL refuses: ${said}. The user needs usage of the schema ${schema} and all rights on its tables; ` +
        "to make them it also needs create on the database, or somebody who has it opens the store once"
      )
    case "42P07":
    case "42710":
      return `The schema ${schema} holds tables of another program. Give the store a schema of its own`
    case "42P01":
    case "3F000":
      return `The tables of the schema ${schema} are gone: ${said}`
    case "25006":
      return `The PostgreSQL server is read-only: ${said}. Connect to the primary server`
    case "53100":
      return `The disk of the PostgreSQL server is full: ${said}. What was acknowledged before is safe`
    case "57014":
      return `PostgreSQL took too long: ${said}. Another client may hold a lock; raise timeoutMs if the server is slow`
    default:
      return undefined
  }
}

/** What the server or the network said, with the way out. */
export const postgresError = (
  error: unknown,
  schema: string,
  reason: "unreadable" | "unwritable",
  conversation?: string,
): StoreError => {
  const message = error instanceof StoreError ? undefined : explain(error, schema)
  if (message === undefined) return asStoreError(error, reason, conversation)
  return new StoreError(reason, message, { cause: error, ...(conversation !== undefined && { conversation }) })
}
