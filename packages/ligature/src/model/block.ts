/**
 * Blocks: the typed pieces a message is made of. One shape for every format; what a format said beyond it is kept
 * verbatim under the format's name in `native`, so that a block goes back to its own format unchanged.
 */
import type { JsonObject } from "./json.ts"

/** Wire values kept verbatim, each under the name of the format that said it. Never edited, only replaced. */
export type Native = Readonly<Record<string, unknown>>

export interface TextBlock {
  readonly type: "text"
  readonly text: string
  readonly native?: Native
}

/** Reasoning of the model. A signature without text is complete; text without signature is not replayable at its origin. */
export interface ThinkingBlock {
  readonly type: "thinking"
  readonly text: string
  /** Proof of origin: an Anthropic signature, a Gemini thought signature, an OpenAI encrypted_content. Opaque (L10). */
  readonly signature?: string
  /** The provider withheld the text: `signature` holds all there is. */
  readonly redacted?: true
  /** Its format demands a signature and it has none: its origin would reject it. */
  readonly unsigned?: true
  /** Must be followed by the block it led to, or be removed whole (L9). */
  readonly tied?: true
  readonly native?: Native
}

export type MediaKind = "image" | "document" | "audio" | "video" | "file"

/** Where the bytes of a media block are. */
export type MediaSource =
  | { readonly type: "base64"; readonly data: string }
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "file"; readonly id: string }

export interface MediaBlock {
  readonly type: "media"
  readonly kind: MediaKind
  readonly mediaType?: string
  readonly name?: string
  readonly source: MediaSource
  readonly native?: Native
}

/** Why arguments are not what they should be (L7). `encoded`: a JSON text where an object belongs; it was parsed. */
export type ArgumentsFault = "unparsable" | "not-object" | "empty" | "encoded"

/** The model asks for a tool. Owned by an exchange, together with its outcome. */
export interface CallBlock {
  readonly type: "call"
  /** Unique in a conversation (L5). "" in a transcript whose source gave none. */
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
  /** The arguments as text, exactly as they came, where the format carries text. */
  readonly raw?: string
  /**
   * Set when `raw` is not a JSON object. `unparsable` and `not-object`: such a call must never be executed. `empty` says
   * `{}` and `encoded` was parsed: what the model meant is plain.
   */
  readonly fault?: ArgumentsFault
  /** A free-text tool (OpenAI `custom`): the text is `arguments.input`. */
  readonly custom?: true
  /** By the word of the source: waits for approval (has not run), or still runs. */
  readonly pending?: "approval" | "running"
  /** The id as the provider said it, where ours differs because the provider recycled or omitted it. */
  readonly providerId?: string
  /** The source gave no id and its format needs none: `id` was assigned by us and need not be said. */
  readonly assigned?: true
  /** How sure the reader is that this text is a call, 0 to 1, where calls are written as text. */
  readonly certainty?: number
  /** How the call was written, where that was not as a block. */
  readonly style?: "xml"
  readonly native?: Native
}

/** Outcomes nobody reported: the call was interrupted, never run, or its result was cut away. */
export type SyntheticKind = "interrupted" | "not-run" | "lost"

/** The answer to exactly one call. Valid only as part of an outcome. */
export interface ResultBlock {
  readonly type: "result"
  readonly callId: string
  /** Name of the tool, where the source says it. */
  readonly name?: string
  readonly content: readonly ContentBlock[]
  /** The source carried an object, not text; `content` shows it as JSON. */
  readonly structured?: true
  /** The tool said that it failed. */
  readonly error?: true
  /** The source says that the call was denied: it never ran. */
  readonly denied?: true
  /** Invented by us, and why; a later real result replaces it. */
  readonly synthetic?: SyntheticKind
  readonly providerId?: string
  readonly custom?: true
  readonly style?: "xml"
  readonly native?: Native
}

/** What only its origin understands: server tools, compaction marks, citations carriers. Verbatim or not at all (L10). */
export interface OpaqueBlock {
  readonly type: "opaque"
  /** The wire type, for reports: `server_tool_use`, `web_search_call`, … */
  readonly kind: string
  /** Blocks that share a span stand or fall together (L9). */
  readonly span?: string
  /** Which half of the span this is, where a span has halves. */
  readonly half?: "call" | "result"
  /** What a reader of another format should see instead; empty: nothing. */
  readonly text: string
  readonly native: Native
}

export type Block = TextBlock | ThinkingBlock | MediaBlock | CallBlock | ResultBlock | OpaqueBlock
export type BlockType = Block["type"]

/** What may be in a result. */
export type ContentBlock = TextBlock | MediaBlock | OpaqueBlock
/** What may be in a valid user or system message. */
export type UserBlock = TextBlock | MediaBlock | OpaqueBlock
/** What may be in a valid assistant message. */
export type AssistantBlock = TextBlock | ThinkingBlock | MediaBlock | CallBlock | OpaqueBlock

export const text = (value: string): TextBlock => ({ type: "text", text: value })

/** What the content of a result may consist of. */
export const isContent = (block: Block): block is ContentBlock => block.type === "text" || block.type === "media" || block.type === "opaque"

/** A block that its decoder did not understand, kept as it was. */
export const isMalformed = (block: Block): block is OpaqueBlock => block.type === "opaque" && block.kind === "malformed"

/** The text of a result, its text blocks joined by newlines. */
export const resultText = (result: ResultBlock): string => {
  const [first] = result.content
  if (result.content.length === 1 && first?.type === "text") return first.text
  return result.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
}
