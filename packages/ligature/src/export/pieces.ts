/** A conversation as the pieces of a document, nothing shortened: speakers, texts, tool calls and results. */
import {
  type AssistantMessage,
  type Block,
  type CallBlock,
  callsOf,
  type Conversation,
  type Exchange,
  mediaNote,
  type Message,
  type Outcome,
  type OutcomeKind,
  phrase,
  pushAll,
  resultText,
} from "../model/index.ts"

/** The mark of an outcome, in a place of one column. */
export const outcomeMarks: Readonly<Record<OutcomeKind, string>> = {
  done: "✓",
  failed: "✗",
  pending: "…",
  interrupted: "!",
  "not-run": "⊘",
  lost: "?",
}

const outcomeNames: Readonly<Record<OutcomeKind, () => string>> = {
  done: () => phrase`done`,
  failed: () => phrase`failed`,
  pending: () => phrase`pending`,
  interrupted: () => phrase`interrupted`,
  "not-run": () => phrase`not-run`,
  lost: () => phrase`lost`,
}

export const outcomeName = (kind: OutcomeKind): string => outcomeNames[kind]()

export type Piece =
  /** A new turn begins with a user message. */
  | { readonly type: "turn"; readonly number: number }
  /** Who the following pieces are from: `user`, `assistant`, `system`, `summary`. */
  | { readonly type: "speaker"; readonly who: string }
  | { readonly type: "prose"; readonly text: string }
  /** Not prose: thinking, provider data. */
  | { readonly type: "aside"; readonly title: string; readonly text: string }
  /** A note in the place of something that cannot be shown as text. */
  | { readonly type: "note"; readonly text: string }
  | { readonly type: "call"; readonly name: string; readonly id: string; readonly text: string; readonly isJson: boolean }
  | {
      readonly type: "outcome"
      readonly kind: OutcomeKind
      readonly isPlaceholder: boolean
      readonly text: string
      readonly notes: readonly string[]
    }

const blockPieces = (block: Block): readonly Piece[] => {
  switch (block.type) {
    case "text":
      return [{ type: "prose", text: block.text }]
    case "thinking":
      return [{ type: "aside", title: phrase`thinking`, text: block.redacted === true ? phrase`(redacted)` : block.text }]
    case "media":
      return [{ type: "note", text: mediaNote(block) }]
    case "opaque":
      return [{ type: "aside", title: block.kind, text: block.text }]
    case "call":
    case "result":
      return []
  }
}

const messagePieces = ({ blocks }: Message | AssistantMessage): readonly Piece[] => blocks.flatMap(blockPieces)

const callPiece = (call: CallBlock): Piece => {
  const { name, id, raw, fault } = call
  const isJson = fault === undefined || raw === undefined
  return { type: "call", name, id, text: isJson ? JSON.stringify(call.arguments, undefined, 2) : raw, isJson }
}

const outcomePiece = (outcome: Outcome): Piece => {
  const { kind, result } = outcome
  if (!result) return { type: "outcome", kind, isPlaceholder: false, text: "", notes: [] }
  const notes = result.content.flatMap((block) =>
    block.type === "media" ? [mediaNote(block)] : block.type === "opaque" ? [block.text] : [],
  )
  return { type: "outcome", kind, isPlaceholder: result.synthetic !== undefined, text: resultText(result), notes }
}

const exchangePieces = (exchange: Exchange): readonly Piece[] => {
  const pieces: Piece[] = [{ type: "speaker", who: "assistant" }]
  pushAll(pieces, messagePieces(exchange.message))
  callsOf(exchange).forEach((call, index) => {
    pieces.push(callPiece(call))
    const outcome = exchange.outcomes[index]
    if (outcome) pieces.push(outcomePiece(outcome))
  })
  if (exchange.reply) {
    pieces.push({ type: "speaker", who: "assistant" })
    pushAll(pieces, messagePieces(exchange.reply))
  }
  return pieces
}

export const conversationPieces = (conversation: Conversation): readonly Piece[] => {
  const pieces: Piece[] = []
  let turn = 0
  let spoke: string | undefined
  for (const item of conversation.items) {
    const isSummary = item.role !== "exchange" && item.summary === true
    if (item.role === "user" && spoke !== "user" && !isSummary) pieces.push({ type: "turn", number: ++turn })
    spoke = item.role
    if (item.role === "exchange") pushAll(pieces, exchangePieces(item))
    else {
      pieces.push({ type: "speaker", who: isSummary ? phrase`summary` : item.role })
      pushAll(pieces, messagePieces(item))
    }
  }
  return pieces
}
