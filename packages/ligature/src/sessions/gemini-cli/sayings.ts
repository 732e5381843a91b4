/**
 * A conversation as a list of records to be written: each with the record it came from, if it came from one. The
 * results of calls go with their calls, except those that a record of the user's side carried.
 */
import {
  type Block,
  type CallBlock,
  callsOf,
  type Conversation,
  type Exchange,
  isWire,
  type Native,
  type Origin,
  type ResultBlock,
  type Wire,
} from "../../model/index.ts"
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

/** Whether a record stands right behind another one: only there may it go on carrying the results of its calls. */
export type Follows = (wire: Wire, carrier: Wire) => boolean

/** The record of the user's side that carries all results of an exchange, as checkpoints write them. */
const carrierOf = ({ outcomes }: Exchange, wire: Wire | undefined, follows: Follows): Native | undefined => {
  const native = outcomes[0]?.carrier
  const carrier = wireOf(native)
  if (!wire || carrier?.["type"] !== "user" || !follows(wire, carrier)) return undefined
  return outcomes.every((outcome) => wireOf(outcome.carrier) === carrier) ? native : undefined
}

export const sayingsOf = (conversation: Conversation, follows: Follows): Sayings => {
  const list: Saying[] = []
  const byWire = new Map<Wire, Saying>()
  const system: string[] = []
  /** The record's saying while the same side goes on with it; a record cannot speak for both sides, nor twice. */
  const open = (native: Native | undefined, role: "user" | "assistant", origin?: Origin): Saying => {
    const wire = wireOf(native)
    const known = wire && byWire.get(wire)
    if (known?.role === role && known === list.at(-1)) return known
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
    const carrier = carrierOf(item, saying.wire, follows)
    callsOf(item).forEach((call, index) => {
      const result = item.outcomes[index]?.result
      saying.answers.push({ call, result, elsewhere: carrier !== undefined })
      if (!result || !carrier) return
      const carried = open(carrier, "user")
      carried.blocks.push(result)
      carried.answered.set(result, call)
    })
    if (item.reply) push(open(item.reply.native, "assistant", item.reply.origin).blocks, item.reply.blocks)
  }
  return { list, system: system.join("\n\n") }
}
