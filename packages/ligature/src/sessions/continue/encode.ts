/**
 * Conversation → session of Continue: the items it came from, untouched ones as the very same objects. A result nobody
 * recorded goes into the state of its call where the session keeps states, else into a tool item behind the call.
 */
import {
  callsOf,
  type Conversation,
  type Exchange,
  isWire,
  type Message,
  type Native,
  type Wire,
} from "../../model/index.ts"
import type { EncodeOptions } from "../../formats/engine/codec.ts"
import { wireOf } from "../engine/fields.ts"
import { conversationSeed, deriveUuid } from "../engine/derived-id.ts"
import { summaryBearer } from "./decode.ts"
import { format, historyOf, readingKey, statesOf, summaryOf } from "./fields.ts"
import { readHistory } from "./read-history.ts"
import type { ItemSaid } from "./read-item.ts"
import { newThinking, type Stated, writeAssistant, writeSpoken, writeThinking, writeTool } from "./write-item.ts"

/** What is left of an item whose words are gone, and which bears a summary. */
const bearer = (item: Wire): Wire => ({
  message: { role: "assistant", content: "" },
  contextItems: [],
  conversationSummary: item["conversationSummary"],
})

class ItemWriter {
  private readonly said = new Map<Wire, ItemSaid>()
  private readonly written = new Map<Wire, Wire>()
  /** New items behind one; under undefined those in front. */
  private readonly fresh = new Map<Wire | undefined, Wire[]>()
  private readonly keepsStates: boolean
  private last: Wire | undefined

  /** Tool items, and the item whose calls they can answer. */
  private readonly tools = new Map<Wire, { readonly call: Wire | undefined; readonly index: number }>()

  constructor(value: unknown, view: "effective" | "whole") {
    let call: Wire | undefined
    for (const { item, index, said } of readHistory(value, view).items) {
      this.said.set(item, said)
      if (said.role === "tool") this.tools.set(item, { call, index })
      else if (said.blocks.length > 0) call = item
    }
    this.keepsStates = historyOf(value).some((item) => isWire(item) && statesOf(item).length > 0)
  }

  private source(native: Native | undefined): Wire | undefined {
    const item = native?.[format]
    return isWire(item) && this.said.has(item) && !this.written.has(item) ? item : undefined
  }

  private put(item: Wire | undefined, written: Wire): void {
    if (item) {
      this.written.set(item, written)
      this.last = item
      return
    }
    const list = this.fresh.get(this.last)
    if (list) list.push(written)
    else this.fresh.set(this.last, [written])
  }

  spoken(message: Message): void {
    const bearing = summaryBearer(message.native?.[format])
    if (bearing) {
      this.last = bearing
      return
    }
    const item = this.source(message.native)
    this.put(item, writeSpoken(item, item && this.said.get(item), message.role, message.blocks))
  }

  /** Thinking has items of its own; what the agent took out of a text goes back with that text. */
  private thoughts(message: Message): void {
    const reasoning = wireOf(message.native?.[format])["reasoning"]
    for (const block of message.blocks) {
      if (block.type !== "thinking") continue
      const item = this.source(block.native)
      if (item) this.put(item, writeThinking(item, this.said.get(item), block))
      else if (block.native?.[format] !== reasoning || reasoning === undefined) this.put(undefined, newThinking(block))
    }
  }

  private assistant(message: Message, stated: readonly Stated[]): void {
    this.thoughts(message)
    const item = this.source(message.native)
    if (!item && message.blocks.every((block) => block.type === "thinking")) return
    this.put(item, writeAssistant(item, item && this.said.get(item), message.blocks, stated))
  }

  /**
   * Where the results of an exchange go: into the states of their calls, then into tool items behind them, in the order
   * of the calls. Where the file has them in another order, all of them go to one kind of place.
   */
  private homesOf(exchange: Exchange): readonly ("state" | Wire | "new")[] {
    const call = this.source(exchange.message.native)
    const homes: ("state" | Wire | "new")[] = []
    let behind = -1
    let fits = true
    for (const { result, carrier } of exchange.outcomes) {
      const source = result && this.source(carrier)
      const tool = source && this.tools.get(source)
      if (source && tool && tool.call === call && tool.index > behind) {
        homes.push(source)
        behind = tool.index
      } else if (!tool && behind < 0 && (carrier !== undefined || this.keepsStates)) homes.push("state")
      else {
        homes.push("new")
        if (tool || carrier !== undefined) fits = false
      }
    }
    return fits ? homes : homes.map(() => (this.keepsStates ? "state" : "new"))
  }

  exchange(exchange: Exchange): void {
    const homes = this.homesOf(exchange)
    const answers: (() => void)[] = []
    const stated = callsOf(exchange).map((call, index): Stated => {
      const result = exchange.outcomes[index]?.result
      const home = homes[index]
      const stays = home === "state" || home === undefined
      const named =
        result !== undefined && (result.native?.[format] === undefined || (call.assigned === true && !stays))
      if (!result || stays) return { call, result, named }
      const item = home === "new" ? undefined : home
      answers.push(() => this.put(item, writeTool(item, item && this.said.get(item), result, call.id)))
      return { call, result: undefined, named }
    })
    this.assistant(exchange.message, stated)
    for (const answer of answers) answer()
    if (exchange.reply) this.assistant(exchange.reply, [])
  }

  /** Items that said nothing stay; items whose words are gone go. */
  end(history: readonly unknown[]): readonly unknown[] {
    const out: unknown[] = [...(this.fresh.get(undefined) ?? [])]
    for (const item of history) {
      const said = isWire(item) ? this.said.get(item) : undefined
      const silent = !said || (said.blocks.length === 0 && said.results.length === 0)
      const written = isWire(item) ? this.written.get(item) : undefined
      if (written) out.push(written)
      else if (silent) out.push(item)
      else if (isWire(item) && summaryOf(item) !== "") out.push(bearer(item))
      if (isWire(item)) for (const fresh of this.fresh.get(item) ?? []) out.push(fresh)
    }
    return out.length === history.length && out.every((item, index) => item === history[index]) ? history : out
  }
}

export const encode = (conversation: Conversation, { session }: EncodeOptions = {}): Wire => {
  const { native } = conversation
  const value = native?.[format]
  const reading = native?.[readingKey]
  const writer = new ItemWriter(value, isWire(reading) && reading["view"] === "effective" ? "effective" : "whole")
  for (const item of conversation.items) {
    if (item.role === "exchange") writer.exchange(item)
    else writer.spoken(item)
  }
  const before = historyOf(value)
  const history = writer.end(before)
  if (isWire(value)) return history === before ? value : { ...value, history }
  const sessionId = session?.id ?? deriveUuid(conversationSeed(conversation), "session")
  return { sessionId, title: session?.title ?? "Conversation", workspaceDirectory: session?.folder ?? "", history }
}
