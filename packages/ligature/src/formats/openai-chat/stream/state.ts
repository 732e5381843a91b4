/** What the reader of chat streams remembers about each block. */

/** Reasoning fields of the message; `Reasoning` gathers them. */
export interface ReasoningState {
  readonly type: "reasoning"
}

/** A part of the content: plain text where content came as text, else a part of the type it names. */
export interface PartState {
  readonly type: "content"
  readonly part: Readonly<Record<string, unknown>> | undefined
}

export interface RefusalState {
  readonly type: "refusal"
}

export interface AudioState {
  readonly type: "audio"
  readonly fields: Record<string, unknown>
}

export interface CallState {
  readonly type: "call"
  id: string
  name: string
  /** How many pieces with text came. */
  deltas: number
  /** A free-text tool. */
  custom: boolean
  /** A call in the style of old, which the message holds outside of `tool_calls`. */
  readonly legacy: boolean
  /** Fields of the entry and of its function beside those we know. */
  readonly fields: Record<string, unknown>
  readonly inner: Record<string, unknown>
}

export type ChatState = ReasoningState | PartState | RefusalState | AudioState | CallState
