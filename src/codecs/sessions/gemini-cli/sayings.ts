/**
 * A conversation as a list of records to be written: each with the record it came from, if it came from one. The results
 * of calls go with their calls, except those that a record of the user's side carried.
 */
import {
  type Block,
  type CallBlock,
  callsOf,
  type Conversation,
  isWire,
  type Native,
  type Origin,
  type ResultBlock,
  type Wire,
} from "../../../model/index.ts"
import { format } from "./fields.ts"

/** A block to write; a result bears the call it answers. */
export interface Answer {
  readonly call: CallBlock
  /** Undefined: pending. */
  readonly result: ResultBlock | undefined
  /** The result is written in another record. */
  readonly elsewhere: boolean
}

export interface Saying {
  readonly wire: Wire | undefined
  readonly role: "user" | "assistant"
  readonly blocks: Block[]
  readonly answers: Answer[]
  /** For results among the blocks: the calls they answer. */
  readonly answered: Map<ResultBlock, CallBlock>
  readonly origin?: Origin
}

const wireOf = (native: Native | undefined): Wire | undefined => {
  const wire = native?.[format]
  return isWire(wire) && !("systemInstruction" in wire) ? wire : undefined
}

export interface Sayings {
  readonly list: readonly Saying[]
  /** What the system said before anybody else. */
  readonly system: string
}

export const sayingsOf = (conversation: Conversation): Sayings => {
  const list: Saying[] = []
  const byWire = new Map<Wire, Saying>()
  const system: string[] = []
  /** The record's saying when the same side goes on with it; a record cannot speak for both sides. */
  const open = (native: Native | undefined, role: "user" | "assistant", origin?: Origin): Saying => {
    const wire = wireOf(native)
    const known = wire && byWire.get(wire)
    if (known?.role === role) return known
    const saying: Saying = {
      wire: known ? undefined : wire,
      role,
      blocks: [],
      answers: [],
      answered: new Map(),
      ...(origin && { origin }),
    }
    if (wire && !known) byWire.set(wire, saying)
    list.push(saying)
    return saying
  }
  const push = (target: Block[], blocks: readonly Block[]): void => {
    for (const block of blocks) target.push(block)
  }
  for (const item of conversation.items) {
    if (item.role === "system" && list.length === 0) {
      for (const block of item.blocks) if (block.type === "text") system.push(block.text)
      continue
    }
    if (item.role !== "exchange") {
      push(open(item.native, "user").blocks, item.blocks)
      continue
    }
    const saying = open(item.message.native, "assistant", item.message.origin)
    push(saying.blocks, item.message.blocks)
    callsOf(item).forEach((call, index) => {
      const outcome = item.outcomes[index]
      const carrier = wireOf(outcome?.carrier)
      const elsewhere = outcome?.result !== undefined && carrier?.["type"] === "user"
      saying.answers.push({ call, result: outcome?.result, elsewhere })
      if (!outcome?.result || !elsewhere) return
      const carried = open(outcome.carrier, "user")
      carried.blocks.push(outcome.result)
      carried.answered.set(outcome.result, call)
    })
    if (item.reply) push(open(item.reply.native, "assistant", item.reply.origin).blocks, item.reply.blocks)
  }
  return { list, system: system.join("\n\n") }
}
