/**
 * Redaction: keys and tokens, the user in paths below a home folder, and names that were given. It works on values before anything reads
 * them as a conversation, so every way to show or write one shows the same. The same text gets the same placeholder everywhere: calls
 * stay joined to their results, and a reader sees that two places had the same key. A second redaction changes nothing.
 *
 * It takes out what it can recognise and says how much that was; whoever shares the result has to read it. Long encoded values (images,
 * signatures) are not looked into, and counted.
 */
import { assertOptions } from "../model/index.ts"
import { isFieldSecret, secretField, secretPatterns } from "./secrets.ts"

export interface RedactOptions {
  /** To be taken out wherever they stand alone, in any case. */
  readonly names?: readonly string[]
  /** Home folders that are not below `/home` or `/Users`. */
  readonly homes?: readonly string[]
}

/** What was taken out, how often, and how many different ones there were. */
export interface RedactedKind {
  readonly kind: string
  readonly times: number
  readonly different: number
}

export interface RedactionReport {
  readonly taken: readonly RedactedKind[]
  /** Users of the paths whose names are still there as words elsewhere. */
  readonly left: readonly { readonly name: string; readonly times: number }[]
  /** Long encoded values that nobody looked into. */
  readonly encoded: number
}

/** Before the user: `/home/`, `/Users/`, `C:\Users\`, also with the doubled backslashes of JSON in a string. */
const homePath =
  /(?<![\w.~])((?:\/(?:var|usr|nfs|net|export|data|mnt\/[a-z]|cygdrive\/[a-z]|[a-z]|Volumes\/[^/\s"']{1,40}))?\/(?:home\d?|Users)\/|[A-Za-z](?::|%3[Aa])\/Users\/|\\\/(?:home|Users)\\\/|wsl%2B[\w.-]{1,40}\/home\/|%2[Ff](?:home|Users)%2[Ff]|%5[Cc]Users%5[Cc])([^/\\\s"'`:;,<>|()[\]{}*?$%&=!]{1,64})/g
const windowsPath =
  /((?:[A-Za-z]:|wsl(?:\$|\.localhost)\\{1,4}[\w.-]{1,40})(\\{1,4})(?:Users|home|Documents and Settings)\2)([^/\\\s"'`:;,<>|*?$%]{1,40}(?: [^/\\\s"'`:;,<>|*?$%]{1,40}){0,2}(?=\2)|[^/\\\s"'`:;,<>|*?$%]{1,64})/g

/** Nobody's names. */
const anybody = /^(?:user(?:-\d+)?|username|you|your-?name|shared|public|default|\.+)$/i

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)

/** As JSON in a string may spell it. */
const asciiOnly = (text: string): string =>
  text.replace(/[^\u0020-\u007e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Scripts without spaces between words have no edges to look at. */
const hasEdges = (name: string): boolean => !/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]/.test(name)

const patternOfName = (name: string): RegExp => {
  const spellings = [...new Set([name, asciiOnly(name)])].map((each) => escaped(each).replace(/\s+/g, String.raw`\s+`))
  const either = `(?:${spellings.join("|")})`
  return new RegExp(hasEdges(name) ? String.raw`(?<=^|\P{L}|\\[nrtbfv])${either}(?!\p{L})` : either, "giu")
}

const isEncoded = (text: string): boolean => text.length >= 256 && /^(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/_-]+={0,2}$/.test(text)

export class Redactor {
  readonly #names: readonly RegExp[]
  readonly #homes: readonly { readonly pattern: RegExp; readonly parent: string; readonly user: string }[]
  /** Users of home paths, with what they are called now. */
  readonly #users = new Map<string, string>()
  #slug: RegExp | undefined
  readonly #numbers = new Map<string, Map<string, number>>()
  readonly #times = new Map<string, number>()
  readonly #left = new Map<string, number>()
  #encoded = 0

  constructor({ names = [], homes = [] }: RedactOptions = {}) {
    this.#names = names.filter((name) => name.trim() !== "").map((name) => patternOfName(name.trim()))
    this.#homes = homes.flatMap((home) => {
      const [, parent, user] = /^(.*[/\\])([^/\\]+)[/\\]?$/.exec(home) ?? []
      if (parent === undefined || user === undefined || parent === "/" || home.search(homePath) === 0 || home.search(windowsPath) === 0)
        return []
      return [{ pattern: new RegExp(`${escaped(parent + user)}(?![\\w.-])`, "g"), parent, user }]
    })
  }

  /** Looks for users in paths, so that other spellings of their folders are found wherever they are. */
  learn(text: string): void {
    for (const [, , user = ""] of text.matchAll(homePath)) this.#userName(user)
    for (const [, , , user = ""] of text.matchAll(windowsPath)) this.#userName(user)
    for (const { pattern, user } of this.#homes) if (text.search(pattern) >= 0) this.#userName(user)
  }

  text(text: string): string {
    if (isEncoded(text)) {
      this.#encoded++
      return text
    }
    let out = text
    for (const { kind, pattern, needs, isSecret } of secretPatterns) {
      if (needs !== undefined && !out.includes(needs)) continue
      out = out.replace(pattern, (match: string, before: unknown) => {
        const kept = typeof before === "string" ? before : ""
        const secret = match.slice(kept.length)
        if (secret.startsWith("[redacted-") || isSecret?.(secret, kept) === false) return match
        return kept + this.#placeholder(kind, secret)
      })
    }
    out = out
      .replace(homePath, (_, before: string, user: string) => before + this.#path(user))
      .replace(windowsPath, (_, before: string, __, user: string) => before + this.#path(user))
    for (const { pattern, parent, user } of this.#homes) out = out.replace(pattern, () => parent + this.#path(user))
    if (this.#slug) out = out.replace(this.#slug, (_, before: string, user: string) => before + this.#path(this.#userOfSlug(user)))
    this.#names.forEach((pattern, index) => {
      out = out.replace(pattern, () => {
        this.#add("name", String(index))
        return `[name-${index + 1}]`
      })
    })
    this.#countLeft(out)
    return out
  }

  /** Strings and the names of fields, at any depth. */
  value(value: unknown, field?: string): unknown {
    if (typeof value === "string") return this.field(value, field)
    if (Array.isArray(value)) return value.map((each) => this.value(each))
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [this.text(key), this.value(each, key)]))
  }

  /** A string that has a name. */
  field(text: string, field?: string): string {
    if (field !== undefined && secretField.test(field) && isFieldSecret(text)) return this.#placeholder("secret", text)
    return this.text(text)
  }

  get report(): RedactionReport {
    const taken = [...this.#times].map(([kind, times]) => ({ kind, times, different: this.#numbers.get(kind)?.size ?? 0 }))
    return {
      taken: taken.toSorted((left, right) => right.times - left.times || (left.kind < right.kind ? -1 : 1)),
      left: [...this.#left].map(([name, times]) => ({ name, times })),
      encoded: this.#encoded,
    }
  }

  #add(kind: string, what: string): number {
    const numbers = this.#numbers.get(kind) ?? new Map<string, number>()
    this.#numbers.set(kind, numbers)
    const number = numbers.get(what) ?? numbers.size + 1
    numbers.set(what, number)
    this.#times.set(kind, (this.#times.get(kind) ?? 0) + 1)
    return number
  }

  #placeholder(kind: string, secret: string): string {
    return `[redacted-${kind}-${this.#add(kind, secret)}]`
  }

  #userName(user: string): string {
    if (anybody.test(user)) return user
    const known = this.#users.get(user)
    if (known !== undefined) return known
    const name = this.#users.size === 0 ? "user" : `user-${this.#users.size + 1}`
    this.#users.set(user, name)
    const slugs = [...this.#users.keys()].map((each) => escaped(each.replace(/[^A-Za-z0-9]/g, "-")))
    // Agents name folders of their own after a project: -home-alice-project.
    this.#slug = new RegExp(
      `(-(?:home|Users)-)(${slugs.toSorted((left, right) => right.length - left.length).join("|")})(?![A-Za-z0-9])`,
      "g",
    )
    return name
  }

  #userOfSlug(slug: string): string {
    return [...this.#users.keys()].find((user) => user.replace(/[^A-Za-z0-9]/g, "-") === slug) ?? slug
  }

  #path(user: string): string {
    const name = this.#userName(user)
    if (name !== user) this.#add("home-path", user)
    return name
  }

  #countLeft(text: string): void {
    for (const user of this.#users.keys()) {
      if (user.length < 3 || !text.includes(user)) continue
      const times =
        text.match(new RegExp(String.raw`(?<![\p{L}\p{N}_])${escaped(user).replaceAll("\\-", "-")}(?![\p{L}\p{N}_])`, "gu"))?.length ?? 0
      if (times > 0) this.#left.set(user, (this.#left.get(user) ?? 0) + times)
    }
  }
}

/** The end of a string literal that begins at `from`: after its quote, or at the end of the line where it was cut. */
const endOfLiteral = (text: string, from: number): { readonly end: number; readonly isWhole: boolean } => {
  const lineEnd = text.indexOf("\n", from)
  const limit = lineEnd < 0 ? text.length : lineEnd
  for (let at = text.indexOf('"', from + 1); at >= 0 && at < limit; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++
    if (slashes % 2 === 0) return { end: at + 1, isWhole: true }
  }
  return { end: limit, isWhole: false }
}

/**
 * The text of a file: strings of JSON, wherever they are, and nothing else of it. Text that is no JSON is read as it is.
 */
export const redactFileText = (text: string, redactor: Redactor): string => {
  redactor.learn(text)
  if (!/^\s*[[{"]/.test(text)) return redactor.text(text)
  // Numbers and punctuation, or, of a damaged line, what was in a string.
  const between = (gap: string): string => (gap.length > 8 ? redactor.text(gap) : gap)
  const out: string[] = []
  let done = 0
  let field: string | undefined
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', done)) {
    const { end, isWhole } = endOfLiteral(text, at)
    const literal = text.slice(at, end)
    out.push(between(text.slice(done, at)))
    done = end
    let value: unknown
    try {
      value = isWhole ? JSON.parse(literal) : undefined
    } catch {
      // Damaged: its characters are all there is to look at.
    }
    if (typeof value !== "string") {
      out.push(redactor.text(literal))
      field = undefined
      continue
    }
    const isName = /^\s{0,20}:/.test(text.slice(end, end + 24))
    const redacted = isName ? redactor.text(value) : redactor.field(value, field)
    out.push(redacted === value ? literal : JSON.stringify(redacted))
    field = isName ? value : undefined
  }
  out.push(between(text.slice(done)))
  return out.join("")
}

/**
 * A value (a request, a session, a conversation) without keys, tokens, users of home paths, and the given names; and what was taken out.
 *
 * @example
 * const { value, report } = redact("see /home/ada/notes.md", { names: ["Ada"] })
 * value // → "see /home/user/notes.md"
 * report.taken // → [{ kind: "home-path", times: 1, different: 1 }]
 */
export const redact = <Value>(value: Value, options: RedactOptions = {}): { readonly value: Value; readonly report: RedactionReport } => {
  assertOptions(options, { names: true, homes: true })
  const redactor = new Redactor(options)
  const learn = (each: unknown): void => {
    if (typeof each === "string") redactor.learn(each)
    else if (typeof each === "object" && each !== null) {
      for (const [key, inner] of Object.entries(each)) {
        redactor.learn(key)
        learn(inner)
      }
    }
  }
  learn(value)
  return { value: redactor.value(value) as Value, report: redactor.report }
}
