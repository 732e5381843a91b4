/** What a body says beyond what is stored already: only the elements from the last known answer on are parsed. */
import { decode, type Message } from "ligature"
import type { RequestBody } from "../conversation/request-body.ts"
import { isJson, type Json, type Wire } from "../wires/wire.ts"
import type { ConversationRecord, Start } from "./conversation-record.ts"
import { type Told, unitsOf } from "./units.ts"

export interface ReadBody extends Told {
  /** So many units are those of the last body; `units` are the ones after them. */
  readonly from: number
  /** The prompt was read: the whole body was. */
  readonly isWhole: boolean
  /** The response that it goes on from: what led to that is not in the body. */
  readonly previous?: string
  readonly starts: readonly Start[]
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The element of the list that a message begins with. */
const elementOf = (message: Message, wire: string, places: ReadonlyMap<unknown, number>): number | undefined => {
  const native = message.native?.[wire]
  const first: unknown = Array.isArray(native) ? native[0] : native
  return places.get(first) ?? places.get(message.blocks[0]?.native?.[wire])
}

/** `offset`, `unit`: where the list and its units begin in the whole. */
const startsIn = (told: Told, list: readonly unknown[], wire: string, offset: number, unit: number): readonly Start[] => {
  const places = new Map(list.map((each, at) => [each, at] as const))
  return told.units.flatMap(({ isAnswer, messages }, at) => {
    const element = isAnswer && messages[0] ? elementOf(messages[0], wire, places) : undefined
    return element === undefined ? [] : [{ element: offset + element, unit: unit + at }]
  })
}

const readGrown = (record: ConversationRecord, body: RequestBody, wire: Wire): ReadBody | undefined => {
  const { body: before } = record
  const growth = before && body.growthFrom(before)
  if (!growth || growth.changed.some((name) => wire.prompt.includes(name))) return undefined
  const { elements } = growth.slices
  const start = record.starts.findLast(({ element }) => element <= growth.kept)
  // An answer that changed may begin elsewhere, or be none any more.
  if (!start || start.element >= elements.length) return undefined
  const list: unknown[] = []
  for (const { start: from, end } of elements.slice(start.element)) {
    const element = parsed(body.bytes.toString("utf8", from, end))
    if (!isJson(element)) return undefined
    list.push(element)
  }
  if (!wire.isModel(list[0] as Json)) return undefined
  const told = unitsOf(decode(wire.name, { [wire.list]: list } as never).messages)
  const kept = record.starts.filter(({ element }) => element < start.element)
  return {
    ...told,
    from: start.unit,
    isWhole: false,
    starts: [...kept, ...startsIn(told, list, wire.name, start.element, start.unit)],
  }
}

/** Undefined: it is no history of this wire. */
export const readBody = (record: ConversationRecord, body: RequestBody, wire: Wire): ReadBody | undefined => {
  const grown = readGrown(record, body, wire)
  if (grown) return grown
  const { value } = body
  const list = isJson(value) ? value[wire.list] : undefined
  if (!isJson(value) || !(Array.isArray(list) || typeof list === "string")) return undefined
  const told = unitsOf(decode(wire.name, value as never).messages)
  const { previous_response_id: previous } = value
  if (typeof previous === "string") return { ...told, from: 0, isWhole: true, previous, starts: [] }
  return { ...told, from: 0, isWhole: true, starts: Array.isArray(list) && body.slices ? startsIn(told, list, wire.name, 0, 0) : [] }
}
