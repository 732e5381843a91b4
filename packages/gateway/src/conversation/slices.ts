/**
 * Where the members of a request body and the elements of its list of messages lie, in bytes. Found by one walk that looks
 * only at brackets and quotes, so that a body that grew needs no parsing of what was there before.
 *
 *   {"model":"m","messages":[{…},{…}],"system":"…"}
 *            ^^^             ^^^ ^^^            ^^^   value of each member, each element of the list
 *
 * It trusts that the text is JSON: every part that is used is parsed or was parsed before. A body that it cannot walk, or
 * that has a member twice, gives undefined, and is then read as a whole.
 */

export interface Span {
  readonly start: number
  readonly end: number
}

export interface Slices {
  readonly members: ReadonlyMap<string, Span>
  /** Each element of the list. */
  readonly elements: readonly Span[]
  /** The list with its brackets. */
  readonly list: Span
}

const quote = 34
const backslash = 92

const isBlank = (code: number | undefined): boolean => code === 32 || code === 10 || code === 13 || code === 9

export const skipBlanks = (bytes: Uint8Array, at: number): number => {
  while (isBlank(bytes[at])) at++
  return at
}

/** So many bytes of a text are looked at one by one before its end is searched for: a search costs as much as that. */
const shortText = 48

const isEscaped = (bytes: Uint8Array, at: number): boolean => {
  let before = at - 1
  while (bytes[before] === backslash) before--
  return (at - before) % 2 === 0
}

/** Behind the closing quote of the text that opens at `at`; beyond the end where it has none. */
export const skipText = (bytes: Uint8Array, at: number): number => {
  const { length } = bytes
  for (let index = at + 1; index < length;) {
    const near = Math.min(index + shortText, length)
    while (index < near) {
      const code = bytes[index++]
      if (code === quote) return index
      if (code === backslash) index++
    }
    index = bytes.indexOf(quote, index)
    if (index < 0) break
    index++
    if (!isEscaped(bytes, index - 1)) return index
  }
  return length + 1
}

/** Behind the value that begins at `at`; beyond the end where it does not end. */
export const skipValue = (bytes: Uint8Array, at: number): number => {
  const { length } = bytes
  const first = bytes[at]
  if (first === quote) return skipText(bytes, at)
  if (first !== 123 && first !== 91) {
    let index = at
    while (index < length) {
      const code = bytes[index]
      if (code === 44 || code === 125 || code === 93 || isBlank(code)) break
      index++
    }
    return index === at ? length + 1 : index
  }
  let depth = 0
  for (let index = at; index < length;) {
    const code = bytes[index]
    if (code === quote) {
      index = skipText(bytes, index)
      continue
    }
    index++
    if (code === 123 || code === 91) depth++
    else if ((code === 125 || code === 93) && --depth === 0) return index
  }
  return length + 1
}

export interface Elements {
  readonly elements: readonly Span[]
  /** Behind the closing bracket. */
  readonly end: number
}

/**
 * The elements of a list from a place inside of it: after its opening bracket, or after one of its elements. Undefined
 * where the list does not go on or end there. `most`: so many are enough.
 */
export const elementsFrom = (bytes: Uint8Array, from: number, most = Number.POSITIVE_INFINITY): Elements | undefined => {
  const elements: Span[] = []
  let at = skipBlanks(bytes, from)
  for (;;) {
    if (bytes[at] === 93) return { elements, end: at + 1 }
    if (bytes[at] === 44) at = skipBlanks(bytes, at + 1)
    const end = skipValue(bytes, at)
    if (end > bytes.length || end === at) return undefined
    elements.push({ start: at, end })
    at = skipBlanks(bytes, end)
    if (bytes[at] !== 44 && bytes[at] !== 93) return undefined
    if (elements.length >= most) return { elements, end }
  }
}

/** The members of an object from a place inside of it: after its opening bracket, or after the value of a member. */
export const membersFrom = (bytes: Buffer, from: number, until?: string): ReadonlyMap<string, Span> | undefined => {
  const members = new Map<string, Span>()
  let at = skipBlanks(bytes, from)
  for (;;) {
    if (bytes[at] === 125) return members
    if (bytes[at] === 44) at = skipBlanks(bytes, at + 1)
    if (bytes[at] !== quote) return undefined
    const keyEnd = skipText(bytes, at)
    if (keyEnd > bytes.length) return undefined
    const key = bytes.toString("utf8", at + 1, keyEnd - 1)
    at = skipBlanks(bytes, keyEnd)
    if (bytes[at] !== 58 || members.has(key) || key.includes("\\")) return undefined
    const start = skipBlanks(bytes, at + 1)
    const end = skipValue(bytes, start)
    if (end > bytes.length) return undefined
    members.set(key, { start, end })
    if (key === until) return members
    at = skipBlanks(bytes, end)
    if (bytes[at] !== 44 && bytes[at] !== 125) return undefined
  }
}

/** The whole body. `list`: the name of its list of messages. */
export const sliceBody = (bytes: Buffer, list: string): Slices | undefined => {
  const open = skipBlanks(bytes, 0)
  const members = bytes[open] === 123 ? membersFrom(bytes, open + 1) : undefined
  const span = members?.get(list)
  if (!members || !span || bytes[span.start] !== 91) return undefined
  const found = elementsFrom(bytes, span.start + 1)
  return found && { members, elements: found.elements, list: span }
}

/** Where the value of a member begins; the value itself is not walked. Undefined where the body has no such member. */
export const startOfMember = (bytes: Buffer, name: string): number | undefined => {
  let at = skipBlanks(bytes, 0)
  if (bytes[at] !== 123) return undefined
  at = skipBlanks(bytes, at + 1)
  while (bytes[at] === quote) {
    const keyEnd = skipText(bytes, at)
    const key = bytes.toString("utf8", at + 1, keyEnd - 1)
    at = skipBlanks(bytes, keyEnd)
    if (bytes[at] !== 58) return undefined
    at = skipBlanks(bytes, at + 1)
    if (key === name) return at
    at = skipBlanks(bytes, skipValue(bytes, at))
    if (bytes[at] === 44) at = skipBlanks(bytes, at + 1)
  }
  return undefined
}

/** The text of one member; what comes after it is not looked at. */
export const textMember = (bytes: Buffer, name: string): string | undefined => {
  const start = startOfMember(bytes, name)
  if (start === undefined || bytes[start] !== quote) return undefined
  try {
    return JSON.parse(bytes.toString("utf8", start, skipValue(bytes, start))) as string
  } catch {
    return undefined
  }
}
