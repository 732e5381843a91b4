/**
 * Conversation: a valid history. Calls own their outcomes, so that an orphan result or a split pair cannot be written
 * down in this type. The brand keeps object literals out: `settle` makes conversations, and operations that preserve the
 * rules derive new ones from them.
 */
import type { AssistantBlock, CallBlock, Native, ResultBlock, SyntheticKind, UserBlock } from "./block.ts"
import type { Message, Origin } from "./message.ts"

declare const valid: unique symbol

export interface SystemMessage extends Message {
  readonly role: "system"
  readonly blocks: readonly UserBlock[]
}

export interface UserMessage extends Message {
  readonly role: "user"
  readonly blocks: readonly UserBlock[]
}

export interface AssistantMessage extends Message {
  readonly role: "assistant"
  readonly blocks: readonly AssistantBlock[]
}

/** What became of a call. Only `pending` has no result, and only the last exchange may hold it (L6). */
export type OutcomeKind = "done" | "failed" | "pending" | SyntheticKind

export type Outcome =
  | {
      readonly kind: Exclude<OutcomeKind, "pending">
      readonly result: ResultBlock
      /** The wire message that carried the result, so that its own format gets the same message back. */
      readonly carrier?: Native
    }
  | { readonly kind: "pending"; readonly result?: undefined; readonly carrier?: undefined }

/** An assistant message, the outcome of each of its calls in call order, and the text-only reply directly after them. */
export interface Exchange {
  readonly role: "exchange"
  readonly message: AssistantMessage
  readonly outcomes: readonly Outcome[]
  readonly reply?: AssistantMessage
}

export type Item = SystemMessage | UserMessage | Exchange

export interface Conversation {
  readonly [valid]: true
  readonly items: readonly Item[]
  /** The envelope of the transcript it was settled from. */
  readonly native?: Native
  readonly origin?: Origin
  readonly ids?: "required" | "optional"
  /** See `Transcript`. */
  readonly unusual?: true
  /** The first item that differs from what the source said: signed thinking after it may not be replayable. */
  readonly edited?: number
  /** Of a view that shows only a part of a longer history. */
  readonly viewOf?: ViewOrigin
}

/** Where the items of a view come from. */
export interface ViewOrigin {
  /** Per item, the positions in the whole history that it stands for, from zero; its own is the first. */
  readonly positions: readonly (readonly number[])[]
  /** Size of what can be compacted of the whole history, as it was measured for the view: a share is taken of it. */
  readonly whole: { readonly tokens: number; readonly bytes: number }
}

/** For `rules/` alone: says that the given items have been judged. */
export const asValid = (parts: Omit<Conversation, typeof valid>): Conversation => parts as Conversation

/** The calls of an exchange, in order; `exchange.outcomes[i]` is the outcome of `callsOf(exchange)[i]`. */
export const callsOf = (exchange: Exchange): readonly CallBlock[] =>
  exchange.message.blocks.filter((block): block is CallBlock => block.type === "call")

export const outcomeKind = (result: ResultBlock): Exclude<OutcomeKind, "pending"> =>
  result.synthetic ?? (result.denied === true ? "not-run" : result.error === true ? "failed" : "done")
