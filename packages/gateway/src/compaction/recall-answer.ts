/**
 * An answer of a model that may read back what was taken out of its sight. Its calls of `recall` are answered here, the
 * provider is asked to go on, and what comes is one answer: for whoever reads it, it is an answer of the provider like any
 * other, in its own wire, in which nothing was recalled.
 *
 *   provider   text  recall(#12)   ─>  result  ─>   text  call(bash)
 *   reader     text                                 text  call(bash)
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import type { Block, CallBlock, Message, ResultBlock } from "ligature"
import {
  type BlockSource,
  createRecorder,
  createStreamWriter,
  type Recorded,
  type Recorder,
  type RecordEvent,
  replyOf,
  sseText,
  type StreamEvent,
  streamText,
  type StreamWriter,
} from "ligature/record"
import { readWhole, unpacked } from "../answer/read-answer.ts"
import type { WireName } from "../wires/wire.ts"

export const recallName = "recall"

/** What the reader does not see: a part of the answer that ended in calls of recall, and their results. */
export interface Round {
  readonly message: Message
  readonly results: readonly ResultBlock[]
}

export interface RecallTerms {
  readonly wire: WireName
  /** The chunk with nothing but the usage was asked for. */
  readonly usageEvent: boolean
  /** As one JSON array instead of events. */
  readonly isArray: boolean
  /** Answers the calls. */
  readonly read: (calls: readonly CallBlock[]) => Promise<readonly ResultBlock[]>
  /** Asks the provider to go on after these rounds. */
  readonly goOn: (rounds: readonly Round[]) => Promise<IncomingMessage>
  /** Told before the end of the answer: the rounds, and the part after them. */
  readonly onEnd: (rounds: readonly Round[], last: Message) => void
}

/** After so many the model has to do with what it has. */
const mostRounds = 8

class Joined extends Readable {
  readonly statusCode: number
  readonly statusMessage = "OK"
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: string[]
  complete = false

  constructor(first: IncomingMessage, type: string) {
    super({ read: () => this.onRead() })
    this.statusCode = first.statusCode ?? 200
    const kept = first.rawHeaders.flatMap((name, at) => {
      if (at % 2 === 1 || ["content-length", "content-encoding", "content-type", "transfer-encoding"].includes(name.toLowerCase()))
        return []
      return [name, first.rawHeaders[at + 1] ?? ""]
    })
    this.rawHeaders = [...kept, "content-type", type]
    const { "content-length": _, "content-encoding": __, ...headers } = first.headers
    this.headers = { ...headers, "content-type": type }
  }

  onRead: () => void = () => undefined

  finish(): void {
    this.complete = true
    this.push(null)
  }
}

const isRecall = (block: Block): block is CallBlock => block.type === "call" && block.name === recallName

/** Calls without an id get one that their results can name. */
const withIds = (message: Message, round: number): Message => {
  if (!message.blocks.some((block) => isRecall(block) && block.id === "")) return message
  return {
    ...message,
    blocks: message.blocks.map((block, at) =>
      isRecall(block) && block.id === "" ? { ...block, id: `recall_${round}_${at}`, assigned: true } : block,
    ),
  }
}

/** What came of one part: an answer to go on from, or the end. */
interface Part {
  readonly message: Message
  readonly recalls: readonly CallBlock[]
  /** Calls of its client: these have to be run first. */
  readonly isMixed: boolean
}

const partOf = (recorded: Recorded, round: number): Part => {
  const message = recorded.complete ? withIds(recorded.message, round) : recorded.message
  const calls = message.blocks.filter((block): block is CallBlock => block.type === "call")
  const recalls = recorded.complete ? calls.filter(isRecall) : []
  return { message, recalls, isMixed: calls.length > recalls.length }
}

class Conversation {
  readonly rounds: Round[] = []
  readonly #terms: RecallTerms
  readonly visible: Block[] = []

  constructor(terms: RecallTerms) {
    this.#terms = terms
  }

  /** Undefined: that was the end. */
  async after(recorded: Recorded): Promise<IncomingMessage | undefined> {
    const { message, recalls, isMixed } = partOf(recorded, this.rounds.length)
    this.visible.push(...message.blocks.filter((block) => !isRecall(block)))
    if (recalls.length === 0) {
      this.#terms.onEnd(this.rounds, message)
      return undefined
    }
    this.rounds.push({ message, results: await this.#terms.read(recalls) })
    if (!isMixed && this.rounds.length < mostRounds) return this.#terms.goOn(this.rounds)
    this.#terms.onEnd(this.rounds, { role: "assistant", blocks: [] })
    return undefined
  }

  /** All of it, as its reader has it. */
  merged(last: Recorded): Recorded {
    const stop = last.stop === "calls" && !this.visible.some(({ type }) => type === "call") ? "end" : last.stop
    const { said, ...rest } = last
    const isSame = stop === last.stop && said !== undefined
    return { ...rest, stop, ...(isSame && { said }), message: { role: "assistant", blocks: this.visible } }
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null

/** The id and model of an answer, from its first event. */
const namesIn = (event: unknown): { readonly id?: string; readonly model?: string } => {
  if (!isObject(event)) return {}
  const inner = [event["message"], event["response"], event].find(
    (each) => isObject(each) && (each["id"] ?? each["responseId"]) !== undefined,
  )
  const { id, responseId, model, modelVersion } = (inner ?? {}) as Readonly<Record<string, unknown>>
  const [name, by] = [id ?? responseId, model ?? modelVersion]
  return { ...(typeof name === "string" && { id: name }), ...(typeof by === "string" && { model: by }) }
}

const wholeAnswer = async (first: IncomingMessage, terms: RecallTerms): Promise<IncomingMessage> => {
  const joined = new Joined(first, "application/json")
  const conversation = new Conversation(terms)
  let answer: IncomingMessage | undefined = first
  let value: unknown
  let last: Recorded | undefined
  while (answer) {
    const text = (await readWhole(answer)).toString("utf8")
    if ((answer.statusCode ?? 502) >= 400) throw new Error(`The provider did not go on: ${text.slice(0, 300)}`)
    value = JSON.parse(text)
    const recorder = createRecorder(terms.wire, { events: false })
    recorder.push(value)
    last = recorder.end()
    answer = await conversation.after(last)
  }
  const { id, model } = namesIn(value)
  const { body } = replyOf(conversation.merged(last as Recorded), terms.wire, {
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
  })
  joined.push(JSON.stringify(conversation.rounds.length === 0 ? value : body))
  joined.finish()
  return joined as unknown as IncomingMessage
}

/** One after the other, as one stream. */
class JoinedStream {
  readonly joined: Joined
  readonly #terms: RecallTerms
  readonly #conversation: Conversation
  readonly #recorders: { readonly recorder: Recorder; readonly from: number }[] = []
  readonly #hidden = new Set<number>()
  #writer: StreamWriter | undefined
  #blocks = 0
  #count = 0
  #answer: IncomingMessage | undefined

  constructor(first: IncomingMessage, terms: RecallTerms) {
    this.#terms = terms
    this.#conversation = new Conversation(terms)
    this.joined = new Joined(first, terms.isArray ? "application/json" : "text/event-stream; charset=utf-8")
    this.joined.onRead = () => this.#answer?.resume()
    this.joined.once("close", () => this.#answer?.destroy())
    void this.#run(first)
  }

  readonly #source: BlockSource = {
    blocks: (at) => {
      const found = this.#recorders.findLast(({ from }) => at >= from)
      return found ? found.recorder.blocks(at - found.from) : []
    },
  }

  async #run(first: IncomingMessage): Promise<void> {
    let answer: IncomingMessage | undefined = first
    let last: Recorded | undefined
    try {
      while (answer) {
        if ((answer.statusCode ?? 502) >= 400) throw new Error((await readWhole(answer)).toString("utf8").slice(0, 300))
        last = await this.#part(answer)
        answer = await this.#conversation.after(last)
      }
    } catch (error) {
      return void this.joined.destroy(error instanceof Error ? error : new Error(String(error)))
    }
    if (!last?.complete && !last?.error) return void this.joined.destroy(new Error("The answer broke off"))
    this.#write(this.#writer?.end(this.#conversation.merged(last)) ?? [])
    if (this.#terms.isArray) this.joined.push(this.#count === 0 ? "[]" : "]")
    this.joined.finish()
  }

  #part(answer: IncomingMessage): Promise<Recorded> {
    this.#answer = answer
    const recorder = createRecorder(this.#terms.wire)
    this.#recorders.push({ recorder, from: this.#blocks })
    const from = this.#blocks
    const reader = streamText(this.#terms.isArray ? "json-array" : "event-stream")
    const decoder = new TextDecoder()
    const body = unpacked(answer)
    const take = (events: readonly unknown[]): void => {
      for (const event of events) {
        this.#writer ??= createStreamWriter(this.#terms.wire, namesIn(event))
        this.#write(this.#writer.write(this.#seen(recorder.push(event), from), this.#source))
      }
    }
    return new Promise((resolve) => {
      body.on("data", (chunk: Buffer) => take(reader.push(decoder.decode(chunk, { stream: true }))))
      body.once("end", () => {
        take(reader.push(decoder.decode()))
        take(reader.end())
        resolve(recorder.end("complete"))
      })
      const broken = (): void => resolve(recorder.end("cut"))
      body.once("error", broken)
      body.once("close", broken)
    })
  }

  /** The events that its reader may see, with blocks counted over all parts. */
  #seen(events: readonly RecordEvent[], from: number): readonly RecordEvent[] {
    return events.flatMap((event) => {
      const block = from + event.block
      this.#blocks = Math.max(this.#blocks, block + 1)
      if (event.type === "call-start" && event.name === recallName) this.#hidden.add(block)
      return this.#hidden.has(block) ? [] : [{ ...event, block }]
    })
  }

  #write(events: readonly StreamEvent[]): void {
    const { usageEvent, isArray, wire } = this.#terms
    let text = ""
    for (const event of events) {
      const { data } = event
      const choices = isObject(data) ? data["choices"] : undefined
      if (wire === "openai-chat" && !usageEvent && Array.isArray(choices) && choices.length === 0) continue
      text += isArray ? `${this.#count++ === 0 ? "[" : ",\r\n"}${JSON.stringify(data)}` : sseText(event)
    }
    if (text !== "" && !this.joined.push(text)) this.#answer?.pause()
  }
}

/** The answer in which nothing was recalled. One that is a refusal, or nothing we know, comes back as it is. */
export const answeringRecall = async (first: IncomingMessage, terms: RecallTerms): Promise<IncomingMessage> => {
  const { statusCode = 502, headers } = first
  const type = headers["content-type"] ?? ""
  if (statusCode < 200 || statusCode >= 300) return first
  if (/event-stream/i.test(type) || terms.isArray) return new JoinedStream(first, terms).joined as unknown as IncomingMessage
  return /json/i.test(type) ? wholeAnswer(first, terms) : first
}
