/**
 * A conversation from elsewhere → a rollout that Codex lists and resumes. It wants a header with a thread id that is a
 * UUID, items in its own shapes, and for its list of sessions the words of user and agent as events beside them.
 *
 * A system prompt becomes a developer message: there the model sees it and a reader finds it again, while Codex keeps
 * the instructions that its own tools need. Thinking of other models has no place in a request; its words are written
 * as events, which are shown and never sent. `cli_version` names the version whose records these are like.
 */
import {
  type AssistantBlock,
  callsOf,
  type Conversation,
  type Exchange,
  isWire,
  mediaNote,
  type Wire,
} from "../../model/index.ts"
import type { EncodeOptions } from "../../formats/engine/codec.ts"
import { nativeOf } from "../../formats/openai-responses/fields.ts"
import { conversationSeed, deriveUuid } from "../engine/derived-id.ts"
import { isoTimes } from "../engine/iso-time.ts"
import { classOf, textOf } from "./items.ts"
import { writeClient, writeNewCall, writeNewResult, writeSpoken } from "./write-item.ts"

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const cliVersion = "0.142.3"

const threadId = (conversation: Conversation, wanted: string | undefined): string => {
  if (wanted === undefined) return deriveUuid("codex", conversationSeed(conversation))
  return uuid.test(wanted) ? wanted.toLowerCase() : deriveUuid("codex", wanted)
}

class SessionWriter {
  readonly records: Wire[] = []
  readonly #time: () => string
  #words: string[] = []

  constructor(startedAt: string | undefined) {
    this.#time = isoTimes(startedAt)
  }

  /** Without a `model_provider`: Codex refuses to resume a session under another provider than the one it names. */
  header(id: string, folder: string): void {
    const timestamp = this.#time()
    const payload = { id, timestamp, cwd: folder, originator: "ligature", cli_version: cliVersion, source: "cli" }
    this.records.push({ timestamp, type: "session_meta", payload })
  }

  conversation({ items }: Conversation): void {
    for (const item of items) {
      if (item.role === "exchange") {
        this.#exchange(item)
        continue
      }
      const written = writeClient(item.role, item.blocks)
      if (!written) continue
      this.#item(written)
      if (item.role === "user") this.#prompt(written)
    }
  }

  #exchange(exchange: Exchange): void {
    const calls: Wire[] = []
    for (const block of exchange.message.blocks) {
      if (block.type !== "call") {
        this.#block(block)
        continue
      }
      this.#close()
      const call = writeNewCall(block)
      calls.push(call)
      this.#item(call)
    }
    this.#close()
    callsOf(exchange).forEach((_, index) => {
      const result = exchange.outcomes[index]?.result
      const call = calls[index]
      if (result && call) this.#item(writeNewResult(result, call))
    })
    for (const block of exchange.reply?.blocks ?? []) this.#block(block)
    this.#close()
  }

  #block(block: AssistantBlock): void {
    const native = nativeOf(block)
    // Reasoning and server-side items of the Responses API are at home here: same servers, same items.
    if ((block.type === "thinking" || block.type === "opaque") && isWire(native) && isItem(native)) {
      this.#close()
      this.#item(native)
    } else if (block.type === "thinking") {
      this.#close()
      if (block.text !== "") this.#event({ type: "agent_reasoning", text: block.text })
    } else if (block.type === "media") this.#words.push(mediaNote(block))
    else if (block.type !== "call" && block.text !== "") this.#words.push(block.text)
  }

  /** One message for the text between two other things: as the model said it. */
  #close(): void {
    if (this.#words.length === 0) return
    const item = writeSpoken(this.#words)
    this.#words = []
    this.#event({ type: "agent_message", message: textOf(item) })
    this.#item(item)
  }

  #prompt(item: Wire): void {
    const content = item["content"] as readonly Wire[]
    const images = content.flatMap((part) => (part["type"] === "input_image" ? [part["image_url"]] : []))
    this.#event({ type: "user_message", message: textOf(item), images, local_images: [], text_elements: [] })
  }

  #item(payload: Wire): void {
    this.records.push({ timestamp: this.#time(), type: "response_item", payload })
  }

  #event(payload: Wire): void {
    this.records.push({ timestamp: this.#time(), type: "event_msg", payload })
  }
}

const isItem = (native: Wire): boolean => {
  const { type } = native
  return typeof type === "string" && type !== "message" && type !== "malformed" && classOf(native) === "api"
}

export const newSession = (conversation: Conversation, options: EncodeOptions): readonly Wire[] => {
  const { id, folder, startedAt } = options.session ?? {}
  const writer = new SessionWriter(startedAt)
  writer.header(threadId(conversation, id), folder ?? "/")
  writer.conversation(conversation)
  return writer.records
}
