/** Bodies of clients with some of their parts rewritten: everything else keeps its bytes. */
import { membersFrom, skipBlanks, type Slices, type Span } from "../conversation/slices.ts"

/** A member of the body to leave out, or to call by another name. */
export interface RenamedMember {
  readonly name: string
  readonly as?: string
}

/** Every element of the list that is still there keeps its bytes. */
export const writeList = (list: readonly unknown[], before: readonly unknown[], body: Buffer, spans: readonly Span[]): Buffer => {
  const places = new Map<unknown, Span>()
  before.forEach((each, at) => {
    const span = spans[at]
    if (span && typeof each === "object" && each !== null) places.set(each, span)
  })
  const parts: Buffer[] = []
  list.forEach((each, at) => {
    const span = places.get(each)
    parts.push(Buffer.from(at === 0 ? "[" : ","), span ? body.subarray(span.start, span.end) : Buffer.from(JSON.stringify(each)))
  })
  return Buffer.concat([...parts, Buffer.from(list.length === 0 ? "[]" : "]")])
}

/** The body with other values for some members; those that are undefined are left out. */
export const splice = (body: Buffer, members: Slices["members"], changed: ReadonlyMap<string, Buffer | undefined>): Buffer => {
  const parts: Buffer[] = []
  const write = (name: string, value: Buffer): void => {
    parts.push(Buffer.from(`${parts.length === 0 ? "{" : ","}${JSON.stringify(name)}:`), value)
  }
  for (const [name, span] of members) {
    const value = changed.has(name) ? changed.get(name) : body.subarray(span.start, span.end)
    if (value) write(name, value)
  }
  for (const [name, value] of changed) if (value && !members.has(name)) write(name, value)
  return Buffer.concat([...parts, Buffer.from("}")])
}

/** The body without members its provider does not take, or with them under the name it takes. */
export const withoutMembers = (body: Buffer, members: readonly RenamedMember[]): Buffer => {
  const open = skipBlanks(body, 0)
  const found = members.length > 0 && body[open] === 123 ? membersFrom(body, open + 1) : undefined
  if (!found || !members.some(({ name }) => found.has(name))) return body
  const changed = new Map<string, Buffer | undefined>()
  for (const { name, as } of members) {
    const span = found.get(name)
    if (!span) continue
    changed.set(name, undefined)
    if (as !== undefined && !found.has(as)) changed.set(as, body.subarray(span.start, span.end))
  }
  return splice(body, found, changed)
}
