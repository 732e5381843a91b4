/**
 * The way back from exchanges to stored messages: what was read from one stored message becomes one again. Results go
 * with the message of their calls, wherever they came from; a new message that continues the assistant's without being
 * part of it gets a place of its own.
 */
import type { Block, Conversation, Exchange, Message, Origin, ResultBlock } from "../../model/index.ts"
import { nativeOf, type Turn, turnOf } from "./format.ts"

/** What the assistant said in one go, and the results of its calls, each at the place of its call. */
export interface Step {
  readonly blocks: readonly Block[]
  readonly results: readonly (ResultBlock | undefined)[]
}

export interface Group {
  readonly role: "user" | "system" | "assistant"
  readonly turn: Turn | undefined
  readonly steps: Step[]
  readonly origin?: Origin
}

const noResults: readonly ResultBlock[] = []

/** The prompt and the summaries of a chat lie beside its messages and stay there. */
const liesBeside = (message: Message): boolean => {
  const native = nativeOf(message)
  return native !== undefined && ("system" in native || "summary" in native) && !("stored" in native)
}

class Regrouper {
  readonly groups: Group[] = []
  private readonly used = new Set<Turn>()

  add(message: Message, role: Group["role"], results: Step["results"]): void {
    const found = turnOf(message)
    const last = this.groups.at(-1)
    const step = { blocks: message.blocks, results }
    if (last?.role === "assistant" && role === "assistant" && last.turn === found) {
      last.steps.push(step)
      return
    }
    const turn = found && !this.used.has(found) ? found : undefined
    if (turn) this.used.add(turn)
    this.groups.push({ role, turn, steps: [step], ...(message.origin && { origin: message.origin }) })
  }

  exchange({ message, outcomes, reply }: Exchange): void {
    this.add(message, "assistant", outcomes.map(({ result }) => result))
    if (reply) this.add(reply, "assistant", noResults)
  }
}

export const regroup = (conversation: Conversation): readonly Group[] => {
  const regrouper = new Regrouper()
  for (const item of conversation.items) {
    if (item.role === "exchange") regrouper.exchange(item)
    else if (!liesBeside(item)) regrouper.add(item, item.role, noResults)
  }
  return regrouper.groups
}

/** All blocks of a group in the order in which a turn lists them. */
export const blocksOf = ({ steps }: Group): readonly Block[] => {
  const blocks: Block[] = []
  for (const step of steps) {
    for (const block of step.blocks) blocks.push(block)
    for (const result of step.results) if (result) blocks.push(result)
  }
  return blocks
}
