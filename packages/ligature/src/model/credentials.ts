/**
 * Credentials in texts that people see or log: the user and password of an address, and keys in its query. Errors of the
 * platform quote the address they were given, and some put the whole of it into a field of their own.
 */

/** What is between `//` and `@`. A password may hold slashes that nobody encoded; a port is none. */
const userinfo = /([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/?#"'@]*|[^\s/:@]*:(?!\d+(?:[/?#\s]|$))[^\s@]*)@/gi

const secretParameter = /([?&][\w.-]*(?:key|token|secret|passw(?:or)?d|pwd|auth|sig|signature|credentials?)[\w.-]*=)[^&#\s"'<>]+/gi

export const hidden = "…"

export const withoutCredentials = (text: string): string => text.replace(userinfo, `$1${hidden}@`).replace(secretParameter, `$1${hidden}`)

/** From the beginning of an address to what is before its user: `https://`, also spelt as browsers forgive it. */
const beforeUser = /^\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]*/i

const isWebAddress = (address: string): boolean => {
  try {
    return /^https?:$/.test(new URL(address).protocol)
  } catch {
    return false
  }
}

/** Where the user and password of an address are. In one that nobody can read, an @ anywhere ends them. */
const userinfoSpan = (address: string): readonly [start: number, end: number] | undefined => {
  const start = beforeUser.exec(address)?.[0].length ?? 0
  const path = isWebAddress(address) ? address.slice(start).search(/[/\\?#]/) : -1
  const end = address.lastIndexOf("@", path < 0 ? address.length : start + path)
  return end < start ? undefined : [start, end]
}

/** An address that was given as one, however it is spelt. */
export const addressWithoutCredentials = (address: string): string => {
  const [start, end] = userinfoSpan(address) ?? []
  return withoutCredentials(start === undefined ? address : `${address.slice(0, start)}${hidden}${address.slice(end)}`)
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** User and password of an address, in every spelling that an error may quote. */
export const credentialsIn = (address: string): readonly string[] => {
  const span = userinfoSpan(address)
  if (!span) return []
  const whole = address.slice(...span)
  const colon = whole.indexOf(":")
  const parts = colon < 0 ? [whole] : [whole, whole.slice(0, colon), whole.slice(colon + 1)]
  return parts.flatMap((part) => [part, decoded(part), encodeURI(part.toWellFormed())])
}

const stringsOf = (error: Error): Readonly<Record<string, string>> => {
  const strings: Record<string, string> = { message: error.message, stack: error.stack ?? "" }
  for (const [key, value] of Object.entries(error)) if (typeof value === "string") strings[key] = value
  return strings
}

const mostCauses = 8

/**
 * An error that says nothing `hide` would leave out: the very same where it says nothing of the kind, else a copy with its name and
 * fields, and so on down its causes.
 */
export const withoutSecretsIn = (error: unknown, hide: (text: string) => string, depth = mostCauses): unknown => {
  if (typeof error === "string") return hide(error)
  if (!(error instanceof Error)) return error
  const cause = depth > 0 ? withoutSecretsIn(error.cause, hide, depth - 1) : undefined
  const before = stringsOf(error)
  const after = Object.entries(before).map(([key, text]) => [key, hide(text)] as const)
  if (cause === error.cause && after.every(([key, text]) => text === before[key])) return error
  const copy = new Error(hide(error.message), cause === undefined ? {} : { cause })
  copy.name = error.name
  for (const [key, text] of after)
    if (key !== "message") Object.defineProperty(copy, key, { value: text, configurable: true, writable: true })
  return copy
}
