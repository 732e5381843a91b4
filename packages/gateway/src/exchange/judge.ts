/**
 * A request that stays in its format: is it valid for its provider, and if not, what has to be changed? The answer is bytes.
 * A healthy body goes on with the bytes it came with. In a damaged one only what changed is rewritten: every message that
 * stayed, and everything beside the history, keeps its bytes, because a prompt cache counts bytes.
 *
 * A conversation that grew is not read as a whole. What was valid stays so; its new end is checked by itself, from the last
 * answer before it on. That is sound because validity is a matter of neighbours, with three exceptions that are looked at
 * here: ids that occur twice, limits on media, and members beside the list. Any doubt, and any finding, leads to the whole
 * look.
 */
import { convert, type MediaBlock, type Message, type ReportEntry, type Transcript } from "ligature"
import type { Growth } from "../conversation/compare.ts"
import type { Known } from "../conversation/memory.ts"
import type { RequestBody } from "../conversation/request-body.ts"
import type { Span } from "../conversation/slices.ts"
import { isJson, type Json, type Wire } from "../wires/wire.ts"
import type { Demands } from "./lessons.ts"
import { outlineOf } from "./outline.ts"
import { splice, writeList } from "./write-body.ts"

export interface Judged {
  readonly bytes: Buffer
  readonly changes: readonly ReportEntry[]
  /** Set where the body needed no change. */
  readonly known?: Known
}

const isSame = (left: unknown, right: unknown): boolean =>
  left === right ||
  (Array.isArray(left) && Array.isArray(right) && left.length === right.length && left.every((each, at) => each === right[at]))

const hasMedia = ({ messages }: Transcript): boolean =>
  messages.some(({ blocks }) =>
    blocks.some(
      (block) =>
        block.type === "media" || (block.type === "result" && block.content.some((each): each is MediaBlock => each.type === "media")),
    ),
  )

/** The element of the list that a call came in. */
const placesIn = (list: readonly unknown[], name: string): ((message: Message, native: unknown) => number) => {
  const places = new Map<unknown, number>(list.map((each, at) => [each, at]))
  return (message, native) => places.get(native) ?? places.get(message.native?.[name]) ?? 0
}

/** Ids of calls by their place; `from`: where the list begins in the whole one. */
const idsOf = ({ messages }: Transcript, list: readonly unknown[], name: string, from = 0): Map<string, number> => {
  const placeOf = placesIn(list, name)
  const ids = new Map<string, number>()
  for (const message of messages) {
    for (const block of message.blocks) if (block.type === "call") ids.set(block.id, from + placeOf(message, block.native?.[name]))
  }
  return ids
}

/** The members that hold the history, as they have to be. Others are the client's own, whatever we think of them. */
const changesOf = (value: Json, written: Json, wire: Wire): readonly string[] => {
  const names = [wire.list, ...wire.prompt, ...(Array.isArray(value["tools"]) && value["tools"].length > 0 ? [] : ["tools"])]
  return names.filter((name) => !isSame(value[name], written[name]))
}

/** From this size on, a body is looked at in outline first. */
const outlineFromBytes = 1 << 15

/** Set where the outline of a body shows that it is valid; it cannot show more. */
export const judgeOutline = ({ bytes }: RequestBody, wire: Wire, demands: Demands): Judged | undefined => {
  const outline = outlineOf(bytes)
  const value = outline && parseElement(outline, { start: 0, end: outline.length })
  const before = value?.[wire.list]
  const done = value && Array.isArray(before) ? converted(value, wire, demands) : undefined
  // What counts of media is its size.
  if (!value || !Array.isArray(before) || !done || hasMedia(done.transcript)) return undefined
  if (changesOf(value, done.value as Json, wire).length > 0) return undefined
  return { bytes, changes: [], known: { profile: demands.key, ids: idsOf(done.transcript, before, wire.name), hasMedia: false } }
}

/** Looks at the whole body. Undefined: it is no history of this wire, so that its provider has to say what it thinks of it. */
export const judgeWhole = (asked: RequestBody, wire: Wire, demands: Demands): Judged | undefined =>
  (asked.bytes.length < outlineFromBytes ? undefined : judgeOutline(asked, wire, demands)) ?? judgeAll(asked, wire, demands)

export const judgeAll = (asked: RequestBody, wire: Wire, demands: Demands): Judged | undefined => {
  const { value, bytes: body } = asked
  const before = isJson(value) ? value[wire.list] : undefined
  if (!isJson(value) || !Array.isArray(before)) return undefined
  const done = converted(value, wire, demands)
  if (!done) return undefined
  const { value: written, transcript, report } = done
  const changed = changesOf(value, written as Json, wire)
  if (changed.length === 0) {
    return {
      bytes: body,
      changes: [],
      known: { profile: demands.key, ids: idsOf(transcript, before, wire.name), hasMedia: hasMedia(transcript) },
    }
  }
  const { slices } = asked
  if (!slices) return { bytes: Buffer.from(JSON.stringify({ ...value, ...pick(written as Json, changed) })), changes: report.entries }
  const members = changed.map((name): readonly [string, Buffer | undefined] => {
    const next = (written as Json)[name]
    if (next === undefined) return [name, undefined]
    return [
      name,
      name === wire.list && Array.isArray(next) ? writeList(next, before, body, slices.elements) : Buffer.from(JSON.stringify(next)),
    ]
  })
  return { bytes: splice(body, slices.members, new Map(members)), changes: report.entries }
}

const pick = (value: Json, names: readonly string[]): Json => Object.fromEntries(names.map((name) => [name, value[name]]))

const converted = (value: Json, wire: Wire, { profile, policies }: Demands): ReturnType<typeof convert> | undefined => {
  try {
    return convert(value, { from: wire.name, to: wire.name, profile, policies })
  } catch {
    // What is no history of this format is not ours to change.
    return undefined
  }
}

const parseElement = (body: Buffer, { start, end }: Span): Json | undefined => {
  try {
    const value: unknown = JSON.parse(body.toString("utf8", start, end))
    return isJson(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Members of a request that say how to read its history, and are small. */
const mostMemberBytes = 4096

/** Requests of this size may be too large because of their media. */
const mediaCareBytes = 4 << 20

/**
 * Looks at the new end of a body that was valid before. Undefined: only the whole look can tell.
 */
export const judgeGrowth = (body: Buffer, growth: Growth, known: Known, wire: Wire, demands: Demands): Judged | undefined => {
  const { slices, kept, before, changed } = growth
  const { elements, members } = slices
  if (changed.some((name) => wire.prompt.includes(name) || name === "model" || name === "tools" || name === "thinking")) return undefined
  if (known.hasMedia && body.length > mediaCareBytes) return undefined
  if (kept === elements.length && kept === before && changed.length === 0) return { bytes: body, changes: [], known }
  // Back to where an answer of the model begins: there all calls before it are answered.
  const parsed = new Map<number, Json>()
  const elementAt = (at: number): Json | undefined => {
    const span = elements[at]
    const value = parsed.get(at) ?? (span && parseElement(body, span))
    if (value) parsed.set(at, value)
    return value
  }
  // Where the last body went on otherwise, what stayed of it may end between a call and its result.
  let from = Math.min(kept === before ? kept : kept - 1, elements.length - 1)
  for (; from > 0; from--) {
    const [here, above] = [elementAt(from), elementAt(from - 1)]
    if (!here || !above) return undefined
    if (wire.isModel(here) && !wire.isModel(above)) break
  }
  if (from <= 0) return undefined
  const list: Json[] = []
  for (let at = from; at < elements.length; at++) {
    const element = elementAt(at)
    if (!element) return undefined
    list.push(element)
  }
  const small = [...members].flatMap(([name, span]) => {
    if (name === wire.list || wire.prompt.includes(name) || span.end - span.start > mostMemberBytes) return []
    return [`${JSON.stringify(name)}:${body.toString("utf8", span.start, span.end)}`]
  })
  let beside: Json
  try {
    beside = JSON.parse(`{${small.join(",")}}`) as Json
  } catch {
    return undefined
  }
  // A request that declares tools is judged as one that does; which they are makes no difference.
  const tools = members.has("tools") && !("tools" in beside) ? { tools: [{ name: "tool" }] } : {}
  const value: Json = { ...beside, ...tools, [wire.list]: [wire.opening, ...list] }
  const done = converted(value, wire, demands)
  if (!done || changesOf(value, done.value as Json, wire).length > 0) return undefined
  const ids = idsOf(done.transcript, [wire.opening, ...list], wire.name, from - 1)
  for (const id of ids.keys()) {
    const earlier = known.ids.get(id)
    if (earlier !== undefined && earlier < from) return undefined
  }
  if (hasMedia(done.transcript)) return undefined
  // Calls of elements that are gone are gone with them.
  const all = known.ids
  for (const [id, at] of all) if (at >= from) all.delete(id)
  for (const [id, at] of ids) all.set(id, at)
  return { bytes: body, changes: [], known: { ...known, ids: all } }
}
