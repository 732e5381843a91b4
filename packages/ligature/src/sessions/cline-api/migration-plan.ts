/**
 * What a change of style does to which block. A call as a block needs its result as a block, in the message after it,
 * or a provider rejects the history; a call in text needs nothing. So towards blocks a call without result gets an
 * honest one that says so, except at the tip, where the agent itself deals with it; towards text those invented
 * results go again.
 */
import type { CallSlot } from "../../rules/survey/index.ts"
import { type Block, type CallBlock, type Message, type ResultBlock, syntheticResult, type Wire } from "../../model/index.ts"
import type { Part } from "./lower.ts"
import type { MigratedCall, MigratedResult, UnsureCall } from "../../formats/engine/session.ts"
import { styleMark } from "./records.ts"

export interface PlanSource {
  readonly messages: readonly Message[]
  readonly calls: readonly CallSlot[]
  /** What hides a message; messages of one group are shown together. */
  readonly groupOf: (message: number) => string
  readonly markOf: (message: number) => Wire | undefined
}

export interface StylePlan {
  readonly calls: readonly Omit<MigratedCall, "line">[]
  readonly results: readonly Omit<MigratedResult, "line">[]
  /** Calls that keep their style, and why. */
  readonly kept: readonly Omit<UnsureCall, "line">[]
  /** Undefined: the message stays as it is. */
  readonly partsOf: (message: Message, index: number) => readonly Part[] | undefined
  readonly inventedIn: (index: number) => readonly ResultBlock[]
}

/** What becomes of blocks: another block, or nothing. */
class Changes {
  readonly calls: Omit<MigratedCall, "line">[] = []
  readonly results: Omit<MigratedResult, "line">[] = []
  readonly kept: Omit<UnsureCall, "line">[] = []
  readonly #parts = new Map<Block, Part | undefined>()
  readonly #invented = new Map<number, ResultBlock[]>()
  readonly #touched = new Set<number>()

  replace(message: number, block: Block, part: Part | undefined): void {
    this.#parts.set(block, part)
    this.#touched.add(message)
  }

  invent(message: number, result: ResultBlock): void {
    const list = this.#invented.get(message)
    if (list) list.push(result)
    else this.#invented.set(message, [result])
    this.#touched.add(message)
  }

  keep(slot: CallSlot, became: UnsureCall["became"], why: string): void {
    const { call, message } = slot
    this.kept.push({ message, name: call.name, certainty: call.certainty ?? 1, became, why })
  }

  readonly inventedIn = (index: number): readonly ResultBlock[] => this.#invented.get(index) ?? []

  readonly partsOf = (message: Message, index: number): readonly Part[] | undefined => {
    if (!this.#touched.has(index)) return undefined
    const parts = message.blocks.flatMap((block): readonly Part[] => {
      if (!this.#parts.has(block)) return [{ block }]
      const part = this.#parts.get(block)
      return part ? [part] : []
    })
    const invented = this.inventedIn(index).map((block): Part => ({ block }))
    if (message.role === "assistant") return parts
    // A provider wants results as blocks before the words.
    const isResult = ({ block }: Part): boolean => block.type === "result" && block.style === undefined
    return [...parts.filter(isResult), ...invented, ...parts.filter((part) => !isResult(part))]
  }
}

const asBlock = <Styled extends CallBlock | ResultBlock>(block: Styled): Styled => {
  const { style: _, ...plain } = block
  return plain as Styled
}

const asText = <Styled extends CallBlock | ResultBlock>(block: Styled): Styled => {
  const { native: _, ...plain } = block
  return { ...plain, style: "xml" } as Styled
}

/** For each message, the next one that is shown with it. */
const nextInGroup = ({ messages, groupOf }: PlanSource): ((message: number) => number | undefined) => {
  const next: (number | undefined)[] = []
  const last = new Map<string, number>()
  for (let index = messages.length - 1; index >= 0; index--) {
    const group = groupOf(index)
    next[index] = last.get(group)
    last.set(group, index)
  }
  return (message) => next[message]
}

const reportPair = (changes: Changes, { message, call, result }: CallSlot, id: string): void => {
  const from = call.style === "xml" ? "xml" : "block"
  changes.calls.push({ message, name: call.name, id, certainty: call.certainty ?? 1, from })
  if (!result) return
  const style = result.result.style === "xml" ? "xml" : "block"
  changes.results.push({ message: result.message, callId: id, name: call.name, from: style })
}

export const planBlocks = (source: PlanSource): StylePlan => {
  const { messages, calls, groupOf, markOf } = source
  const changes = new Changes()
  const nextOf = nextInGroup(source)
  const used = new Set(calls.flatMap(({ call }) => (call.style === "xml" ? [] : [call.id])))
  const freeId = (wanted: string): string => {
    let id = wanted
    for (let number = 2; used.has(id); number++) id = `${wanted}__${number}`
    used.add(id)
    return id
  }
  for (const slot of calls) {
    const { call, message, result } = slot
    const inText = call.style === "xml"
    if (!inText && result?.result.style !== "xml") {
      reportPair(changes, slot, call.id)
      continue
    }
    const next = nextOf(message)
    if (inText && styleMark(markOf(message)) === "blocks") {
      changes.keep(slot, "text", "it was left as text before")
    } else if (result && groupOf(result.message) !== groupOf(message)) {
      changes.keep(slot, inText ? "text" : "call", "a summary or marker hides one half of the pair")
    } else if (!result && next === undefined && groupOf(message) !== "") {
      changes.keep(slot, "text", "a summary or marker hides it, and nothing answers it there")
    } else if (!result && next !== undefined && messages[next]?.role !== "user") {
      changes.keep(slot, "text", "nothing answers it, and no message of the user follows")
    } else {
      const id = inText ? freeId(call.id) : call.id
      if (inText) changes.replace(message, call, { block: { ...asBlock(call), id } })
      if (result?.result.style === "xml") {
        changes.replace(result.message, result.result, { block: { ...asBlock(result.result), callId: id } })
      }
      reportPair(changes, slot, id)
      if (result || next === undefined) continue
      changes.invent(next, syntheticResult(id, call.name, "interrupted"))
      changes.results.push({ message: next, callId: id, name: call.name, from: "invented" })
    }
  }
  return changes
}

const inventedBefore = (mark: Wire | undefined): ReadonlySet<unknown> => {
  const ids = mark?.["invented"]
  return new Set<unknown>(Array.isArray(ids) ? ids : [])
}

export const planXml = ({ messages, calls, markOf }: PlanSource): StylePlan => {
  const changes = new Changes()
  const paired = new Set<Block>()
  for (const slot of calls) {
    const { call, message, result } = slot
    if (call.fault !== undefined) {
      changes.keep(slot, "call", "its arguments are no object, which text cannot say")
      if (result) paired.add(result.result)
      continue
    }
    const spoken = call.style === "xml" ? call : asText(call)
    if (spoken !== call) changes.replace(message, call, { block: spoken })
    reportPair(changes, slot, call.id)
    if (!result) continue
    paired.add(result.result)
    if (result.result.style === "xml") continue
    const { synthetic, callId } = result.result
    const gone = synthetic !== undefined && inventedBefore(markOf(result.message)).has(callId)
    changes.replace(result.message, result.result, gone ? undefined : { block: asText(result.result), call: spoken })
    if (gone) changes.results.pop()
  }
  // A provider without calls as blocks takes no stray result either.
  messages.forEach(({ blocks }, index) => {
    for (const block of blocks) {
      if (block.type !== "result" || block.style === "xml" || paired.has(block)) continue
      changes.replace(index, block, { block: asText(block) })
      changes.results.push({ message: index, callId: block.callId, from: "block" })
    }
  })
  return changes
}
