/**
 * A history as a timeline: one row per thing that was said, exchanges as brackets, the outcome of each call marked. Rows
 * are values first and text last, so that two timelines can stand side by side.
 */
import {
  type AssistantMessage,
  callsOf,
  type Conversation,
  type Diagnostic,
  type Exchange,
  type Message,
  type Outcome,
  type OutcomeKind,
  resultText,
  type Transcript,
} from "../../model/index.ts"
import { blockLine, blockSize, callLine, messageSize } from "./block.ts"
import type { Palette } from "./palette.ts"
import { cut, oneLine, pad, size, widthOf } from "./text.ts"

type Tone = "plain" | "quiet" | "good" | "bad" | "odd" | "strong"

export interface Row {
  readonly bracket: " " | "┌" | "│" | "└" | "─"
  readonly label: string
  readonly mark?: string
  readonly text: string
  readonly tone: Tone
  readonly bytes?: number
}

const outcomeMarks: Readonly<Record<OutcomeKind, readonly [mark: string, tone: Tone]>> = {
  done: ["✓", "good"],
  failed: ["✗", "bad"],
  pending: ["…", "odd"],
  interrupted: ["!", "odd"],
  "not-run": ["⊘", "odd"],
  lost: ["?", "odd"],
}

/** What the marks mean, for a legend. */
export const legend = Object.entries(outcomeMarks)
  .map(([kind, [mark]]) => `${mark} ${kind}`)
  .join("   ")

const paint = (tone: Tone, text: string, palette: Palette): string => {
  switch (tone) {
    case "plain":
      return text
    case "quiet":
      return palette.quiet(text)
    case "good":
      return palette.good(text)
    case "bad":
      return palette.error(text)
    case "odd":
      return palette.warning(text)
    case "strong":
      return palette.strong(text)
  }
}

const labelWidth = 10
const sizeWidth = 8

/** A row as a line of exactly `width`; without sizes where there is no room to spare. */
export const renderRow = (row: Row, width: number, palette: Palette, options: { readonly sizes: boolean }): string => {
  if (row.bracket === "─") return palette.quiet(pad(cut(`── ${row.label} ${"─".repeat(width)}`, width - 1), width))
  const mark = row.mark === undefined ? "" : `${row.mark} `
  const room = width - 2 - labelWidth - widthOf(mark) - (options.sizes ? sizeWidth : 0)
  const words = pad(cut(row.text, room), room)
  const bytes = options.sizes ? palette.quiet((row.bytes === undefined ? "" : size(row.bytes)).padStart(sizeWidth)) : ""
  const label = pad(cut(row.label, labelWidth - 1), labelWidth)
  const painted = row.tone === "bad" || row.tone === "odd" ? paint(row.tone, `${mark}${words}`, palette) : ""
  const said = painted === "" ? `${paint(row.tone, mark, palette)}${row.tone === "quiet" ? palette.quiet(words) : words}` : painted
  return `${palette.accent(row.bracket)} ${palette.strong(label)}${said}${bytes}`
}

const messageRows = (message: Message, bracket: Row["bracket"], label: string): readonly Row[] => {
  const rows: Row[] = []
  for (const block of message.blocks) {
    if (block.type === "call") continue
    const tone = block.type === "thinking" || block.type === "opaque" ? "quiet" : "plain"
    rows.push({ bracket, label: rows.length === 0 ? label : "", text: blockLine(block), tone, bytes: blockSize(block) })
  }
  return rows
}

const outcomeRow = (outcome: Outcome): Row => {
  const [mark, tone] = outcomeMarks[outcome.kind]
  if (outcome.kind === "pending") return { bracket: "│", label: "", mark: `  ${mark}`, text: "pending", tone }
  const { result } = outcome
  const words = oneLine(resultText(result), 400)
  const media = result.content.filter((block) => block.type !== "text").map(blockLine)
  const said = [words, ...media].filter((each) => each !== "").join(" ") || "(empty)"
  const kind = outcome.kind === "done" ? "" : `${outcome.kind}${result.synthetic === undefined ? ": " : " (invented) "}`
  const text = result.synthetic === undefined ? `${kind}${said}` : kind.trimEnd()
  return { bracket: "│", label: "", mark: `  ${mark}`, text, tone, bytes: blockSize(result) }
}

const exchangeRows = (exchange: Exchange): readonly Row[] => {
  const rows: Row[] = [...messageRows(exchange.message, "│", "assistant")]
  callsOf(exchange).forEach((call, index) => {
    const label = rows.length === 0 ? "assistant" : ""
    rows.push({ bracket: "│", label, mark: "→", text: callLine(call), tone: "plain", bytes: blockSize(call) })
    const outcome = exchange.outcomes[index]
    if (outcome) rows.push(outcomeRow(outcome))
  })
  if (exchange.reply) rows.push(...replyRows(exchange.reply))
  if (rows.length === 0) rows.push({ bracket: "│", label: "assistant", text: "(no content)", tone: "quiet" })
  if (rows.length === 1 && callsOf(exchange).length === 0) return rows.map((row) => ({ ...row, bracket: " " }))
  return rows.map((row, index) => ({ ...row, bracket: index === 0 ? "┌" : index === rows.length - 1 ? "└" : "│" }))
}

const replyRows = (reply: AssistantMessage): readonly Row[] => messageRows(reply, "│", "reply")

/** A lawful history. Turns are numbered where there is more than one. */
export const conversationRows = (conversation: Conversation, options: { readonly turns: boolean }): readonly Row[] => {
  const rows: Row[] = []
  let turn = 0
  let spoke: string | undefined
  for (const item of conversation.items) {
    if (options.turns && item.role === "user" && spoke !== "user") {
      rows.push({ bracket: "─", label: `turn ${++turn}`, text: "", tone: "quiet" })
    }
    spoke = item.role
    rows.push(...(item.role === "exchange" ? exchangeRows(item) : messageRows(item, " ", item.role)))
  }
  return rows
}

/** A history as its source says it; blocks that a finding points at are marked. */
export const transcriptRows = (transcript: Transcript, findings: readonly Diagnostic[]): readonly Row[] => {
  const bad = new Map<string, Diagnostic>()
  for (const finding of findings) bad.set(`${finding.place.message}:${finding.place.block ?? 0}`, finding)
  return transcript.messages.flatMap((message, index) => {
    const blocks = message.blocks.map((block, number): Row => {
      const finding = bad.get(`${index}:${number}`)
      return {
        bracket: " ",
        label: number === 0 ? message.role : "",
        text: blockLine(block),
        tone: finding === undefined ? (block.type === "thinking" ? "quiet" : "plain") : finding.severity === "error" ? "bad" : "odd",
        bytes: blockSize(block),
      }
    })
    if (blocks.length > 0) return blocks
    const tone = bad.has(`${index}:0`) ? "bad" : "quiet"
    return [{ bracket: " ", label: message.role, text: "(no content)", tone, bytes: messageSize(message) } satisfies Row]
  })
}
