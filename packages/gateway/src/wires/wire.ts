/**
 * What an HTTP endpoint of one wire looks like: addresses, headers, errors, and where a body has its history. How blocks and
 * streams are spelt is the library's knowledge; this is only what is around them. One file per wire, one line in index.ts.
 */
export const wireNames = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const

export type WireName = (typeof wireNames)[number]

/** `generate`: an answer of the model. `count`: how many tokens a request has. */
export type AskKind = "generate" | "count"

/** What the address of a request says. */
export interface Ask {
  readonly wire: WireName
  readonly kind: AskKind
  /** Where the address names the model. */
  readonly model?: string
  /** Where the address says whether the answer is streamed. */
  readonly stream?: boolean
  /** Streamed as one JSON array instead of events. */
  readonly array?: boolean
}

/** What went wrong, in the words of no wire. `context`: the request is longer than the model's window. */
export interface Failure {
  readonly status: number
  readonly message: string
  readonly code?: "context" | "previous-response"
}

export type Json = Readonly<Record<string, unknown>>

export const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

export interface Wire {
  readonly name: WireName
  /** The member of a body with the list of messages. */
  readonly list: string
  /** Other members that are history: where one changes, everything is looked at again. */
  readonly prompt: readonly string[]
  /** What a POST to this path asks for; undefined: not of this wire. */
  match(path: string, query: URLSearchParams): Ask | undefined
  /** The path below the base address, for a request that was written here. */
  path(ask: AskKind, model: string, stream: boolean): string
  /** Headers of every request that was written here. */
  readonly headers: Readonly<Record<string, string>>
  /** Headers in which clients present a key; lower case. */
  readonly credentials: readonly string[]
  keyHeader(key: string): readonly [name: string, value: string]
  /** A message that may be before any history. */
  readonly opening: Json
  /** Whether an element of the list is the model's. */
  isModel(element: Json): boolean
  /** The id of an answer that was written here. */
  answerId(unique: string): string
  errorBody(failure: Failure): Json
  /** The answer to a question for tokens. */
  countBody(tokens: number): Json
  /** Where the models are listed; one of them is below it. */
  readonly modelsPath: string
  /** The list of models. */
  modelsBody(ids: readonly string[]): Json
  /** One model of the list. */
  modelBody(id: string): Json
  /** What a stream has in it once it has said that it is over, or why it is not: at most 32 characters each. */
  readonly endMarks: readonly string[]
  /** How an answer that broke is shown so that clients survive it best: some end for good when their connection is reset. */
  readonly broken: "reset" | "error"
  /** A sign of life in a stream that is silent. */
  readonly ping: string
}

export const bearerOf = (value: string): string | undefined => /^bearer\s+(\S+)$/i.exec(value)?.[1]

/** An event of this type, as its stream may spell it. Texts in events have other quotes, and no line ends. */
export const typed = (type: string): readonly string[] => [`"type":"${type}"`, `"type": "${type}"`, `\nevent: ${type}`, `\nevent:${type}`]
