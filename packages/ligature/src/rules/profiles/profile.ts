/**
 * A profile says what one provider, or one family of its models, demands of a conversation beyond the invariants: as data.
 * `fit` bends a conversation to it, `check` names what violates it, and the codec of its format reads `wire`.
 */

/** How a format's encoder writes what several servers of that format want differently. Every field has a default. */
export interface WireOptions {
  /** Chat: content of an assistant message that has calls and no text. Default "null". */
  readonly callContent?: "null" | "empty" | "filler"
  /** Chat: the `reasoning_content` field. "require" writes a blank where there is none. Default "keep" what came from there. */
  readonly reasoning?: "keep" | "require" | "omit"
  /** Chat: message content as one string, never as parts. Default false. */
  readonly plainContent?: boolean
  /** Chat: types of parts of a user message beside those that OpenAI has. Default: none. */
  readonly parts?: readonly ("video_url" | "document_url")[]
  /** Chat: refusals, which only OpenAI has in a field and a part of their own. Default "own". */
  readonly refusals?: "own" | "text"
  /** Chat: arguments as an object and `tool_name` on results, as Ollama's own API wants. Default false. */
  readonly objectArguments?: boolean
  /** Chat: `name` on tool messages. Default: only where it came from there. */
  readonly resultName?: boolean
  /** Chat: the role `developer`, which newer models have for the system. Default: kept where it came. */
  readonly developerRole?: "keep" | "system"
  /** Gemini 3 and 4: sentinel signature on the first call of each step of the current turn that has none. Default false. */
  readonly thoughtSignatures?: boolean
  /** Bedrock: the `status` field of results. Default true. */
  readonly resultStatus?: boolean
}

/** The shape of call ids at the target. */
export interface IdDemand {
  readonly pattern: RegExp
  readonly maxLength: number
  /** Ids of exactly this many letters and digits, as Mistral wants. */
  readonly exactLength?: number
}

export interface NameDemand {
  readonly pattern: RegExp
  readonly maxLength: number
}

/** What a provider accepts of one kind of media. An absent field is not limited, or nobody knows the limit. */
export interface KindLimits {
  /** Media types it accepts. Empty: this kind is never sent, only described. */
  readonly types?: readonly string[]
  /** Bytes of one. */
  readonly bytes?: number
  /** What `bytes` counts: the base64 text that is sent (default), or the file. */
  readonly measure?: "encoded" | "decoded"
  /** How many a request may have. */
  readonly count?: number
  /** Media that is named by its address. Default "accept". */
  readonly addresses?: "accept" | "reject"
}

export interface ImageLimits extends KindLimits {
  /** Pixels per side. */
  readonly side?: number
  /** Pixels per side where a request has more than `above` images. */
  readonly many?: { readonly above: number; readonly side: number }
  /** Width times height. */
  readonly pixels?: number
}

export interface DocumentLimits extends KindLimits {
  /** Pages of one PDF. */
  readonly pages?: number
  /** Encrypted PDFs. Default "accept". */
  readonly encrypted?: "accept" | "reject"
}

/** What a provider accepts of media. What exceeds it is replaced by a note, the oldest first where a sum is exceeded. */
export interface MediaLimits {
  readonly image: ImageLimits
  readonly document: DocumentLimits
  /** Images and pages of PDFs in a request, together. */
  readonly imagesAndPages?: number
  /** Bytes of a whole request. Media gives way; text is a matter of compaction. */
  readonly requestBytes?: number
}

export interface Profile {
  readonly name: string
  readonly title: string
  /** Format its requests are written in. */
  readonly format: string
  /** Whose opaque data (signatures, server tools) it understands: names of formats. */
  readonly origins: readonly string[]
  readonly ids: IdDemand
  readonly names: NameDemand
  /** Role of the first message after the system prompt. */
  readonly first: "user" | "any"
  /** Role of the last message. A pattern: `user` for requests that name such a model, `any` for others. */
  readonly last: "user" | "any" | RegExp
  /** User and assistant must take turns strictly on the wire. */
  readonly alternate: boolean
  /**
   * System messages after the first other message: kept, said as user text, or (`own`) kept where they came from this very
   * format and follow the user's turn, and said as user text elsewhere.
   */
  readonly systemInMiddle: "keep" | "own" | "user"
  /** Models of the target that take no system message after the first other message. Default: none is known. */
  readonly refusesSystem?: RegExp
  /** Empty or blank text is rejected. */
  readonly emptyText: "reject" | "accept"
  /** Media inside results, inside of those that did not fail, or in a user message after them. */
  readonly resultMedia: "inside" | "inside-done" | "after"
  /** Media the assistant made: replayed, or described in text. */
  readonly assistantMedia: "allow" | "note"
  /** Sizes, numbers and types of media. */
  readonly media: MediaLimits
  /** A document must have text beside it. */
  readonly documentText: "optional" | "required"
  /** A result must say something. */
  readonly emptyResult: "accept" | "filler"
  /** User text directly after results: allowed, or an assistant message must be between. */
  readonly textAfterResults: "allow" | "bridge"
  /** Text beside calls in one assistant message: allowed, or split into two messages. */
  readonly textBesideCalls: "allow" | "split"
  /** Several calls in one message: allowed, or one exchange each. */
  readonly parallelCalls: "allow" | "serialize"
  /** Thinking: replayed to its origin when signed; or never sent. */
  readonly thinking: "signed" | "plain" | "never"
  /** Any edit before a signed thinking block invalidates it (Claude preserved thinking). */
  readonly boundThinking: boolean
  /** Calls in a request without a list of tools are refused: the tools that the history calls are declared. Default: no. */
  readonly toolList?: "declare"
  /** Fields the target does not know are rejected. */
  readonly unknownFields: "reject" | "ignore"
  /** Trailing whitespace of a final assistant text is rejected. */
  readonly trimFinal: boolean
  readonly wire: WireOptions
}
