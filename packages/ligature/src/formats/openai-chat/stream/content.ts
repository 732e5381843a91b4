/** Words of a chat message: content as text or as parts, a refusal, audio. */
import { type Block, isWire, limitDepth, type Wire } from "../../../model/index.ts"
import type { Draft, Slot } from "../../engine/recorder/draft.ts"
import { listOf, stringOf } from "../../engine/recorder/fields.ts"
import { Findings } from "../findings.ts"
import { readAudioField, readPart, readRefusalField } from "../read-part.ts"
import type { ChatState } from "./state.ts"

type ChatSlot = Slot<ChatState>

const thoughtOf = (value: unknown): string => {
  if (typeof value === "string") return value
  return listOf(value).map((inner) => (isWire(inner) ? stringOf(inner["text"]) : "")).join("")
}

export class Content {
  readonly #draft: Draft<ChatState>
  /** Plain text of the content: one block, however often other things come between. */
  #text: ChatSlot | undefined
  /** The part that grows, where content comes in parts. */
  #part: ChatSlot | undefined
  #refusal: ChatSlot | undefined
  #audio: ChatSlot | undefined
  /** Content was said to be a text, even an empty one. */
  worded = false
  /** The field was mentioned: it goes back as null where nothing was refused. */
  refusalNamed = false
  /** Parts came: the content is a list. */
  inParts = false

  constructor(draft: Draft<ChatState>) {
    this.#draft = draft
  }

  take(delta: Wire): void {
    const { content, refusal, audio } = delta
    if (typeof content === "string") this.#takeText(content)
    else for (const part of listOf(content)) if (isWire(part)) this.#takePart(part)
    if (refusal === null) this.refusalNamed = true
    if (typeof refusal === "string" && refusal !== "") {
      this.#refusal ??= this.#draft.open("text", { type: "refusal" })
      this.#draft.add(this.#refusal, refusal)
    }
    if (isWire(audio)) this.#takeAudio(audio)
  }

  #takeText(text: string): void {
    this.worded = true
    if (text === "") return
    if (this.inParts) return this.#takePart({ type: "text", text })
    this.#text ??= this.#draft.open("text", { type: "content", part: undefined })
    this.#draft.add(this.#text, text)
  }

  #takePart(part: Wire): void {
    this.inParts = true
    const type = part["type"]
    const words = type === "text" ? stringOf(part["text"]) : type === "thinking" ? thoughtOf(part["thinking"]) : ""
    const kind = type === "text" ? "text" : type === "thinking" ? "thinking" : "opaque"
    const last = this.#part
    if (last && kind !== "opaque" && last.kind === kind) return this.#draft.add(last, words)
    if (last) this.#draft.close(last)
    this.#part = this.#draft.open(kind, { type: "content", part })
    this.#draft.add(this.#part, words)
    if (kind === "opaque") this.#draft.close(this.#part)
  }

  #takeAudio(audio: Wire): void {
    this.#audio ??= this.#draft.open("opaque", { type: "audio", fields: {} })
    if (this.#audio.state.type !== "audio") return
    const { fields } = this.#audio.state
    for (const name in audio) {
      const value = audio[name]
      const before = name === "data" || name === "transcript" ? stringOf(fields[name]) : ""
      if (value !== null && value !== undefined) fields[name] = typeof value === "string" ? before + value : value
    }
    this.#draft.touch(this.#audio)
  }

  build({ state, pieces }: ChatSlot): Block | readonly Block[] {
    const { text } = pieces
    if (state.type === "refusal") return readRefusalField(text)
    if (state.type === "audio") return readAudioField(limitDepth({ ...state.fields }))
    const part = state.type === "content" ? state.part : undefined
    if (!part) return { type: "text", text }
    const blocks = readPart(limitDepth(partOf(part, text)), new Findings())
    return blocks.length === 1 ? (blocks[0] as Block) : blocks
  }
}

/** The part as it would have come in one piece. */
const partOf = (part: Wire, text: string): Wire => {
  if (part["type"] === "text") return { ...part, text }
  if (part["type"] !== "thinking") return part
  return { ...part, thinking: typeof part["thinking"] === "string" ? text : [{ type: "text", text }] }
}
