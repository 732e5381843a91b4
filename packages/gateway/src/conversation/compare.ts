/**
 * A body beside the last one of its conversation: how many elements of the list stayed, which are new, which other members
 * changed. Costs a comparison of bytes and a walk over what is new: clients send a conversation again and again, and of
 * 200 KB hardly more than the last few hundred bytes are new.
 *
 * The bytes are compared from the front up to the first difference, which lies in the list; what follows the list is then
 * compared as a whole, and member by member only where that fails.
 */
import { elementsFrom, membersFrom, type Slices, type Span } from "./slices.ts"

export interface Growth {
  /** The new body, as `sliceBody` would have sliced it. */
  readonly slices: Slices
  /** So many elements at the beginning of the list are the same. */
  readonly kept: number
  /** So many the last body had. */
  readonly before: number
  /** Members other than the list that are new, gone or different. */
  readonly changed: readonly string[]
}

const block = 1 << 16

/** How many bytes both begin with. */
export const commonPrefix = (left: Buffer, right: Buffer): number => {
  const length = Math.min(left.length, right.length)
  let at = 0
  while (at < length) {
    const end = Math.min(at + block, length)
    if (left.compare(right, at, end, at, end) !== 0) break
    at = end
  }
  // The difference is within one block: halves of it are compared, which is quicker than byte after byte.
  let end = Math.min(at + block, length)
  while (end - at > 16) {
    const middle = (at + end) >> 1
    if (left.compare(right, at, middle, at, middle) === 0) at = middle
    else end = middle
  }
  while (at < end && left[at] === right[at]) at++
  return at
}

const sameBytes = (left: Buffer, one: Span, right: Buffer, other: Span): boolean =>
  one.end - one.start === other.end - other.start && left.compare(right, other.start, other.end, one.start, one.end) === 0

/** The first element that does not end before `at`. */
const elementAt = (elements: readonly Span[], at: number): number => {
  let [low, high] = [0, elements.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((elements[middle] as Span).end <= at) low = middle + 1
    else high = middle
  }
  return low
}

/** Moved by as many bytes as the list grew. */
const moved = (span: Span, by: number): Span => ({ start: span.start + by, end: span.end + by })

/** Undefined where the bodies differ before the list begins, or the new one cannot be walked. `prefix`: what both begin with, where that is known. */
export const compareBodies = (
  before: Buffer,
  slices: Slices,
  after: Buffer,
  list: string,
  prefix = commonPrefix(before, after),
): Growth | undefined => {
  if (prefix <= slices.list.start) return undefined
  const kept = elementAt(slices.elements, prefix)
  const last = slices.elements[kept - 1]
  const count = slices.elements.length
  const found = elementsFrom(after, last ? last.end : slices.list.start + 1)
  if (!found) return undefined
  const elements = [...slices.elements.slice(0, kept), ...found.elements]
  const span = { start: slices.list.start, end: found.end }
  const by = span.end - slices.list.end
  const members = new Map<string, Span>()
  for (const [name, each] of slices.members) {
    if (each.end <= span.start) members.set(name, each)
    else break
  }
  members.set(list, span)
  const restIsSame = sameBytes(before, { start: slices.list.end, end: before.length }, after, { start: span.end, end: after.length })
  if (restIsSame) {
    for (const [name, each] of slices.members) if (each.start >= slices.list.end) members.set(name, moved(each, by))
    return { slices: { members, elements, list: span }, kept, before: count, changed: [] }
  }
  const rest = membersFrom(after, span.end)
  if (!rest) return undefined
  for (const [name, each] of rest) {
    if (members.has(name)) return undefined
    members.set(name, each)
  }
  const changed = [...members].flatMap(([name, each]) => {
    const old = slices.members.get(name)
    return name === list || (old && sameBytes(before, old, after, each)) ? [] : [name]
  })
  const gone = [...slices.members.keys()].filter((name) => !members.has(name))
  return { slices: { members, elements, list: span }, kept, before: count, changed: [...changed, ...gone] }
}
