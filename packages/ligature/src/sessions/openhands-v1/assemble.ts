/**
 * Events → messages, for both generations of OpenHands. An event says one thing: a message, a call (with the words
 * before it), a result, or that earlier events are to be forgotten. Calls of one response are events of their own and
 * belong to one message; results may already stand between them, since tools start as soon as their call is there.
 */
import type { Block, Message, ResultBlock, Role } from "../../model/index.ts"
import { text } from "../../model/index.ts"

export interface Condensation {
  readonly type: "condensation"
  /** Ids of the events that are hidden from then on, and ranges of them. */
  readonly ids: readonly unknown[]
  readonly ranges: readonly (readonly [number, number])[]
  readonly summary?: string
  /** Where in what is left the summary is shown. */
  readonly offset?: number
}

export type Saying =
  | { readonly type: "message"; readonly role: Role; readonly blocks: readonly Block[] }
  /** Calls with the same `response` are one message. `repeats`: each of them tells the words of the whole response. */
  | { readonly type: "calls"; readonly response?: string; readonly repeats?: true; readonly blocks: readonly Block[] }
  | { readonly type: "result"; readonly block: ResultBlock }
  | Condensation

export interface Told {
  readonly event: unknown
  readonly id: unknown
  readonly index: number
  readonly saying: Saying
}

const merged = (ranges: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] => {
  const out: [number, number][] = []
  for (const [start, end] of ranges.toSorted(([left], [right]) => left - right)) {
    const last = out.at(-1)
    if (last && start <= last[1] + 1) last[1] = Math.max(last[1], end)
    else out.push([start, end])
  }
  return out
}

/** The events that the agent no longer sends. */
export const hiddenEvents = (told: readonly Told[]): ReadonlySet<unknown> => {
  const ids = new Set<unknown>()
  const ranges: (readonly [number, number])[] = []
  for (const { saying } of told) {
    if (saying.type !== "condensation") continue
    for (const id of saying.ids) ids.add(id)
    for (const range of saying.ranges) ranges.push(range)
  }
  const hidden = new Set<unknown>()
  if (ids.size === 0 && ranges.length === 0) return hidden
  const spans = merged(ranges)
  for (const { event, id, saying } of told) {
    if (saying.type === "condensation" || id === undefined) continue
    const isWithin = typeof id === "number" && spans.some(([start, end]) => id >= start && id <= end)
    if (isWithin || ids.has(id)) hidden.add(event)
  }
  return hidden
}

const effective = (told: readonly Told[]): readonly Told[] => {
  const hidden = hiddenEvents(told)
  const left = told.filter(({ event, saying }) => saying.type !== "condensation" && !hidden.has(event))
  const last = told.findLast(({ saying }) => saying.type === "condensation" && saying.summary !== undefined)
  if (last?.saying.type !== "condensation") return left
  const offset = Math.min(last.saying.offset ?? 0, left.length)
  return [...left.slice(0, offset), last, ...left.slice(offset)]
}

interface Growing {
  readonly role: "assistant"
  readonly blocks: Block[]
  readonly native: Readonly<Record<string, unknown>>
  readonly line?: number
}

export interface Assembly {
  readonly format: string
  readonly view: "effective" | "whole"
  readonly lines: readonly number[] | undefined
}

export const assemble = (told: readonly Told[], { format, view, lines }: Assembly): readonly Message[] => {
  const messages: Message[] = []
  let open: { readonly response: string; readonly message: Growing } | undefined
  for (const { event, index, saying } of view === "effective" ? effective(told) : told) {
    const line = lines?.[index]
    const place = { native: { [format]: event }, ...(line !== undefined && { line }) }
    if (saying.type === "result") {
      messages.push({ role: "tool", blocks: [saying.block], ...place })
      continue
    }
    if (saying.type === "calls") {
      if (open && saying.response === open.response) {
        for (const block of saying.blocks) {
          if (saying.repeats !== true || block.type === "call") open.message.blocks.push(block)
        }
        continue
      }
      const message: Growing = { role: "assistant", blocks: [...saying.blocks], ...place }
      messages.push(message)
      open = saying.response === undefined ? undefined : { response: saying.response, message }
      continue
    }
    open = undefined
    if (saying.type === "message") messages.push({ role: saying.role, blocks: saying.blocks, ...place })
    else if (saying.summary !== undefined) {
      messages.push({ role: "user", blocks: [text(saying.summary)], summary: true, ...place })
    }
  }
  return messages
}
