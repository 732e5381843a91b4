/**
 * A settled conversation as edits of records: which blocks each record holds now, in the order of the conversation. Blocks
 * stay with the record they came from, also when a repair changed them; what has no record yet gets a new one.
 */
import { hasMalformed } from "../../formats/engine/message-list.ts"
import {
  type Block,
  callsOf,
  type Conversation,
  type Exchange,
  type Message,
  type Native,
  type Outcome,
  type ResultBlock,
  withFields,
} from "../../model/index.ts"
import type { RecordMessage, ResultHome, SessionFormat, SessionReading } from "./session-format.ts"

/** What one record holds now. `record`: the index of the record it was; undefined for a new one. */
export interface RecordEdit {
  readonly record: number | undefined
  readonly messages: readonly RecordMessage[]
  /** It holds nothing but results: it goes where the message of their calls goes. */
  readonly isResult: boolean
}

interface GrowingMessage {
  readonly role: Message["role"]
  readonly blocks: Block[]
  readonly source: Message | undefined
}

interface Growing {
  readonly record: number | undefined
  /** Empty as long as the record holds what it held. */
  readonly messages: GrowingMessage[]
  /** What the record held, and holds as far as is known. */
  held: readonly RecordMessage[] | undefined
  /** The message that the record is, with `held`. */
  readonly source: Message | undefined
  isResult: boolean
}

/** The messages of a record that gets more than it held. */
const grown = (edit: Growing): GrowingMessage[] => {
  for (const { role, blocks } of edit.held ?? [])
    edit.messages.push({ role: edit.isResult ? "tool" : role, blocks: [...blocks], source: edit.source })
  edit.held = undefined
  return edit.messages
}

const addResult = (edit: Growing, result: ResultBlock): void => {
  const messages = grown(edit)
  const open = messages.at(-1)
  if (open?.role === "tool") open.blocks.push(result)
  else messages.push({ role: "tool", blocks: [result], source: undefined })
}

const areSame = (blocks: readonly Block[], others: readonly Block[]): boolean =>
  blocks === others || (blocks.length === others.length && blocks.every((block, index) => block === others[index]))

class EditWriter {
  readonly edits: Growing[] = []
  readonly #format: SessionFormat
  readonly #reading: SessionReading | undefined
  readonly #byRecord = new Map<number, Growing>()
  readonly #results: ResultHome
  /** The records that say anything, in the order in which they were read, and the position of each. */
  readonly #spoken: readonly number[]
  #order: ReadonlyMap<number, number> | undefined
  /** The position of the message after the results at hand, where it counts. */
  #next: number | undefined

  constructor(format: SessionFormat, reading: SessionReading | undefined) {
    const { results = "own" } = format
    this.#format = format
    this.#reading = reading
    this.#spoken = [...(reading?.said.keys() ?? [])]
    this.#results = typeof results === "string" ? results : results(reading?.records ?? [])
  }

  get #ordered(): ReadonlyMap<number, number> {
    return (this.#order ??= new Map(this.#spoken.map((record, position) => [record, position])))
  }

  message(message: Message): void {
    const home = this.#accepting(this.#recordOf(message.native), message.role)
    if (this.#joinsResults(home, message)) return
    const held = home === undefined ? undefined : this.#reading?.said.get(home)
    if (home !== undefined && message.blocks.length > 0 && held?.some(({ blocks }) => areSame(blocks, message.blocks))) {
      const isWhole = held.length === 1 && held[0]?.role === message.role && !this.#byRecord.has(home)
      if (isWhole) this.#open({ record: home, messages: [], held, source: message, isResult: false })
      else this.#put(home, message.role, message.blocks, message, true)
      return
    }
    let current = home
    let waiting: Block[] = []
    let isFirst = true
    let before: Block | undefined
    for (const block of message.blocks) {
      const origin = this.#accepting(this.#originOf(block, home), message.role)
      if (origin === undefined && this.#isApart(block, before)) {
        this.#put(undefined, message.role, [block], message, true)
        current = undefined
        isFirst = false
        before = block
        continue
      }
      before = block
      const own = origin ?? (isFirst || this.#format.write === undefined ? undefined : current)
      // Thinking without a record leads to what follows it, and goes there.
      if (own === undefined && block.type === "thinking" && home === undefined && !this.#format.alone) {
        waiting.push(block)
        continue
      }
      const record = own ?? current
      this.#put(record, message.role, [...waiting, block], message, isFirst)
      waiting = []
      current = record
      isFirst = false
    }
    if (waiting.length > 0) this.#put(current, message.role, waiting, message, isFirst)
  }

  /** What the user says next to results: into their record, or they come into the one it has. A summary is a record of its own. */
  #joinsResults(home: number | undefined, message: Message): boolean {
    const last = this.edits.at(-1)
    if (this.#results !== "with-user" || message.role !== "user" || message.summary === true || last?.isResult !== true) return false
    if (home !== undefined && (last.record !== undefined || this.#byRecord.has(home))) return false
    grown(last).push({ role: "user", blocks: [...message.blocks], source: message })
    last.isResult = false
    if (home === undefined) return true
    this.edits.pop()
    this.#open({ ...last, record: home })
    return true
  }

  /** `following`: the message after the results, where that is not the reply. */
  exchange(exchange: Exchange, following: Message | undefined): void {
    this.message(exchange.message)
    const calls = callsOf(exchange)
    this.#next = this.#results === "with-user" ? this.#positionOf(exchange.reply ?? following) : undefined
    const stays = this.#results === "with-call" ? this.#staying(exchange) : new Set<Outcome>()
    let next = 0
    exchange.outcomes.forEach((outcome, index) => {
      if (index < next) return
      next = index + this.#keepResults(exchange, index)
      if (index < next) return
      const { result } = outcome
      const call = calls[index]
      if (!result) return
      const isUnnamed = result.name === undefined || result.name === ""
      const named: ResultBlock = isUnnamed && call ? withFields(result, { name: call.name }) : result
      const found = this.#recordOfResult(outcome)
      const asking = this.#results === "with-call" && !stays.has(outcome) && call ? this.#editOf(call) : undefined
      if (asking) {
        addResult(asking, found === undefined || result.name === "" ? named : result)
        return
      }
      const origin = this.#homeOfResult(found)
      this.#putResult(
        origin ?? (this.#areTogether && !this.#format.resultsApart ? this.#sharedOf(exchange) : undefined),
        origin === undefined || result.name === "" ? named : result,
      )
    })
    if (exchange.reply) this.message(exchange.reply)
  }

  /** How many results from this one on are all that their record holds: it stays as it is. */
  #keepResults({ outcomes }: Exchange, from: number): number {
    const record = this.#results === "with-call" ? undefined : this.#accepting(this.#recordOf(outcomes[from]?.carrier), "tool")
    const held = record === undefined || this.#byRecord.has(record) ? undefined : this.#reading?.said.get(record)
    const [message, ...others] = held ?? []
    if (!message || message.blocks.length === 0 || others.length > 0) return 0
    const areKept = message.blocks.every(
      (block, index) => block === outcomes[from + index]?.result && block.type === "result" && block.name !== "",
    )
    if (!areKept) return 0
    this.#open({ record, messages: [], held, source: undefined, isResult: true })
    return message.blocks.length
  }

  /** What a call was put into just now. */
  #editOf(call: Block): Growing | undefined {
    return this.edits.findLast(({ messages, held }) => [...messages, ...(held ?? [])].some(({ blocks }) => blocks.includes(call)))
  }

  #recordOfResult({ result, carrier }: Outcome): number | undefined {
    const record = this.#recordOf(carrier)
    if (result === undefined || (record !== undefined && this.#holds(record, result))) return record
    return this.#originOf(result) ?? record
  }

  /** The first record that has a result of this exchange: the other results join it. */
  #sharedOf({ outcomes }: Exchange): number | undefined {
    for (const outcome of outcomes) {
      const record = this.#homeOfResult(this.#recordOfResult(outcome))
      if (record !== undefined) return record
    }
    return undefined
  }

  get #areTogether(): boolean {
    return this.#results === "together" || this.#results === "with-user"
  }

  #positionOf(message: Pick<Message, "native"> | undefined): number | undefined {
    const record = this.#recordOf(message?.native)
    return record === undefined ? undefined : this.#ordered.get(record)
  }

  /** Results that move up leave their record to the text of the user in it. */
  #homeOfResult(record: number | undefined): number | undefined {
    const home = this.#accepting(record, "tool")
    return home !== undefined && this.#next !== undefined && (this.#ordered.get(home) ?? 0) > this.#next ? undefined : home
  }

  /** Results in records of their own right after that of their calls, in order and after all that are with a call: only there may they stay. */
  #staying(exchange: Exchange): ReadonlySet<Outcome> {
    const said = this.#reading?.said
    const order = this.#ordered
    const isApart = (record: number | undefined): boolean =>
      record !== undefined && said?.get(record)?.every(({ role }) => role !== "assistant") === true
    const records = [this.#recordOf(exchange.message.native), ...callsOf(exchange).map((call) => this.#originOf(call))]
    let last = Math.max(-1, ...records.map((record) => order.get(record ?? -1) ?? -1))
    const stays = new Set<Outcome>()
    for (const outcome of exchange.outcomes) {
      if (!outcome.result) continue
      const record = this.#recordOfResult(outcome)
      const position = order.get(record ?? -1) ?? -1
      const isNext = isApart(record) && position >= last + (stays.size > 0 ? 0 : 1) && this.#spoken.slice(last + 1, position).every(isApart)
      if (!isNext && (isApart(record) || stays.size > 0)) return new Set()
      if (!isNext) continue
      stays.add(outcome)
      last = position
    }
    return stays
  }

  /** `home`: the record of its message, which counts where several records share the block as one object. */
  #originOf(block: Block, home?: number): number | undefined {
    if (home !== undefined && this.#holds(home, block)) return home
    return this.#reading?.origins.ofBlock(block)
  }

  #holds(record: number, block: Block): boolean {
    return this.#reading?.said.get(record)?.some(({ blocks }) => blocks.includes(block)) === true
  }

  /** A record of the other side cannot take what a repair moved out of it, nor can one of the system take results. */
  #accepting(record: number | undefined, role: Message["role"]): number | undefined {
    const said = record === undefined ? undefined : this.#reading?.said.get(record)
    const accepts = (other: Message["role"]): boolean =>
      (other === "assistant") === (role === "assistant") && !(other === "system" && role === "tool")
    // Nor can one of the assistant, with the results of its calls, take what became text of the user.
    const isForeign =
      said?.some((message) => message.role === "assistant") === true && said.every((message) => message.role !== role) && role !== "tool"
    return !isForeign && said?.some((message) => accepts(message.role)) ? record : undefined
  }

  #recordOf(native: Native | undefined): number | undefined {
    const record = native?.[this.#format.format]
    return record === undefined ? undefined : this.#reading?.origins.ofRecord(record)
  }

  /** A block that has no record and cannot share that of the block before it. */
  #isApart(block: Block, before: Block | undefined): boolean {
    const { alone } = this.#format
    return alone !== undefined && (alone(block) || (before !== undefined && alone(before)))
  }

  /** A record that had nothing but results takes no message beside them. */
  #hasOnlyResults({ record, isResult }: Growing): boolean {
    const said = record === undefined ? undefined : this.#reading?.said.get(record)
    return this.#format.resultsApart === true && isResult && said !== undefined && said.every(({ role }) => role === "tool")
  }

  /** `begins`: a new message, which never goes on with a record that is not in the file yet. */
  #put(record: number | undefined, role: Message["role"], blocks: readonly Block[], source: Message, begins: boolean): void {
    const last = this.edits.at(-1)
    const own = record === undefined ? undefined : this.#byRecord.get(record)
    const isOpen =
      own && !this.#hasOnlyResults(own) && (own === last || own.source === source || own.messages.some((each) => each.source === source))
    // Where its record was written already, a message goes on in the new one it began.
    const goesOn = !begins && (record === undefined || (own && last?.record === undefined && last?.messages.at(-1)?.source === source))
    const joins = this.#format.answers === "joined" && record === undefined && role === "assistant" && last?.record === undefined
    const isAnswer = joins && last?.messages.some((message) => message.role === "assistant") === true
    const edit = isOpen ? own : goesOn || isAnswer ? last : undefined
    if (edit) {
      const messages = grown(edit)
      const open = messages.at(-1)
      if (open?.source === source) for (const block of blocks) open.blocks.push(block)
      else messages.push({ role, blocks: [...blocks], source })
      edit.isResult = false
      return
    }
    // A record that was written already stays as it is: what comes again later is a record of its own.
    const free = record !== undefined && !this.#byRecord.has(record) ? record : undefined
    this.#open({ record: free, messages: [{ role, blocks: [...blocks], source }], held: undefined, source: undefined, isResult: false })
  }

  #putResult(record: number | undefined, result: ResultBlock): void {
    const last = this.edits.at(-1)
    const known = record === undefined ? undefined : this.#byRecord.get(record)
    // A record that was written already stays as it is.
    const free = known ? undefined : record
    const isFree = this.#results === "with-user" || (last?.record === undefined && this.#results === "together")
    const shares = free === undefined && last?.isResult === true && isFree
    const edit = known && known === last ? known : shares ? last : undefined
    if (edit) {
      addResult(edit, result)
      return
    }
    this.#open({
      record: free,
      messages: [{ role: "tool", blocks: [result], source: undefined }],
      held: undefined,
      source: undefined,
      isResult: true,
    })
  }

  #open(edit: Growing): void {
    this.edits.push(edit)
    if (edit.record !== undefined) this.#byRecord.set(edit.record, edit)
  }
}

const messageOf = ({ role, blocks, source }: GrowingMessage): RecordMessage => {
  const { id, name, origin, summary } = source ?? {}
  return {
    role,
    blocks,
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(origin && { origin }),
    ...(summary && { summary }),
  }
}

export const editsOf = (conversation: Conversation, format: SessionFormat, reading: SessionReading | undefined): readonly RecordEdit[] => {
  const writer = new EditWriter(format, reading)
  conversation.items.forEach((item, index) => {
    if (item.role !== "exchange") writer.message(item)
    else {
      const next = conversation.items[index + 1]
      writer.exchange(item, next?.role === "exchange" ? next.message : next)
    }
  })
  return writer.edits.map(({ record, messages, held, isResult }) => ({ record, messages: held ?? messages.map(messageOf), isResult }))
}

/**
 * Whether a record holds now what it held when it was read: the very same blocks in the same order. A block that could not
 * be read is written as text, or it would stay damaged.
 */
export const isUntouched = (messages: readonly RecordMessage[], before: readonly RecordMessage[] | undefined): boolean => {
  if (before === undefined) return false
  return (messages === before || areSame(blocksIn(messages), blocksIn(before))) && !messages.some(({ blocks }) => blocks.some(hasMalformed))
}

const blocksIn = (messages: readonly RecordMessage[]): readonly Block[] => messages.flatMap(({ blocks }) => blocks)
