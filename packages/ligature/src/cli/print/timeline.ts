/**
 * A history as a timeline: one row per block, exchanges as brackets, the outcome of each call marked.
 * Rows are values before they are text, so that two timelines can be printed side by side.
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
  phrase,
  pushAll,
  resultText,
  type Transcript,
} from "../../model/index.ts"
import { outcomeMarks, outcomeName } from "../../export/pieces.ts"
import { blockLine, blockSize, callLine } from "./block.ts"
import type { Palette } from "../frame/palette.ts"
import { cut, oneLine, pad, size, widthOf, wrap } from "../frame/text.ts"

type Tone = "plain" | "quiet" | "good" | "bad" | "odd" | "strong"

export interface Row {
  /** In the margin: part of an exchange's bracket, a rule between turns, or the mark of a bad place. */
  readonly bracket: " " | "┌" | "│" | "└" | "─" | "✗"
  readonly label: string
  readonly mark?: string
  readonly text: string
  readonly tone: Tone
  readonly bytes?: number
  /** Of its message, counted from 1; on the first row of each. */
  readonly number?: number
}

const outcomeTones: Readonly<Record<OutcomeKind, Tone>> = {
  done: "good",
  failed: "bad",
  pending: "odd",
  interrupted: "odd",
  "not-run": "odd",
  lost: "odd",
}

/** What the marks mean. */
export const legend = (): string =>
  (Object.keys(outcomeMarks) as OutcomeKind[]).map((kind) => `${outcomeMarks[kind]} ${outcomeName(kind)}`).join("   ")

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

export interface RowOptions {
  /** Print sizes at the end of each row. */
  readonly sizes: boolean
  /** How many lines a long text may have. Default 1. */
  readonly lines?: number
  /** Columns for the numbers of messages. Default 0: none. */
  readonly numbers?: number
}

/** Broken into at most `most` lines of `width`; the last one is cut. */
const broken = (text: string, width: number, most: number): readonly string[] => {
  const lines = most === 1 ? [text] : wrap(text, width)
  const kept = lines.slice(0, most)
  const last = kept.at(-1)
  if (lines.length > most && last !== undefined) kept[most - 1] = `${last} ${lines.slice(most).join(" ")}`
  return kept.map((line) => pad(cut(line, width), width))
}

/** A row as lines of exactly `width`. */
export const renderRow = (row: Row, width: number, palette: Palette, options: RowOptions): readonly string[] => {
  if (row.bracket === "─") {
    const rest = "─".repeat(Math.max(0, width - widthOf(row.label) - 4))
    return [palette.quiet(`── ${row.label} ${rest}`)]
  }
  const mark = row.mark === undefined ? "" : `${row.mark} `
  const { numbers = 0 } = options
  const room = width - numbers - 2 - labelWidth - widthOf(mark) - (options.sizes ? sizeWidth : 0)
  const isWhole = row.tone === "bad" || row.tone === "odd" || row.tone === "quiet"
  return broken(row.text, room, options.lines ?? 1).map((content, index) => {
    const isFirst = index === 0
    const margin = isFirst ? row.bracket : row.bracket === "┌" || row.bracket === "│" ? "│" : " "
    const bracket = margin === "✗" ? paint(row.tone, margin, palette) : palette.accent(margin)
    const label = palette.strong(pad(isFirst ? cut(row.label, labelWidth - 1) : "", labelWidth))
    const shown = pad(isFirst ? mark : "", widthOf(mark))
    const text = isWhole ? paint(row.tone, `${shown}${content}`, palette) : `${paint(row.tone, shown, palette)}${content}`
    const bytes = options.sizes ? (isFirst && row.bytes !== undefined ? size(row.bytes) : "").padStart(sizeWidth) : ""
    const number = numbers === 0 ? "" : palette.quiet((isFirst && row.number !== undefined ? `${row.number} ` : "").padStart(numbers))
    return `${number}${bracket} ${label}${text}${palette.quiet(bytes)}`
  })
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
  const [mark, tone] = [outcomeMarks[outcome.kind], outcomeTones[outcome.kind]]
  if (outcome.kind === "pending") return { bracket: "│", label: "", mark: `  ${mark}`, text: outcomeName("pending"), tone }
  const { result } = outcome
  const media = result.content.filter((block) => block.type !== "text").map(blockLine)
  const content = [oneLine(resultText(result), 400), ...media].filter((each) => each !== "").join(" ") || phrase`(empty)`
  const name = outcomeName(outcome.kind)
  const isDone = outcome.kind === "done"
  const text = result.synthetic !== undefined ? (isDone ? "" : phrase`${name} (generated)`) : isDone ? content : phrase`${name}: ${content}`
  return { bracket: "│", label: "", mark: `  ${mark}`, text, tone, bytes: blockSize(result) }
}

const exchangeRows = (exchange: Exchange, options: TimelineOptions): readonly Row[] => {
  const rows: Row[] = [...messageRows(exchange.message, "│", "assistant")]
  callsOf(exchange).forEach((call, index) => {
    const label = rows.length === 0 ? "assistant" : ""
    const text = options.ids === true ? `${callLine(call)} #${call.id}` : callLine(call)
    rows.push({ bracket: "│", label, mark: "→", text, tone: "plain", bytes: blockSize(call) })
    const outcome = exchange.outcomes[index]
    if (outcome) rows.push(outcomeRow(outcome))
  })
  if (exchange.reply) pushAll(rows, replyRows(exchange.reply))
  if (rows.length === 0) rows.push({ bracket: "│", label: "assistant", text: phrase`(no content)`, tone: "quiet" })
  if (rows.length === 1 && callsOf(exchange).length === 0) return rows.map((row) => ({ ...row, bracket: " " }))
  return rows.map((row, index) => ({ ...row, bracket: index === 0 ? "┌" : index === rows.length - 1 ? "└" : "│" }))
}

const replyRows = (reply: AssistantMessage): readonly Row[] => messageRows(reply, "│", phrase`reply`)

export interface TimelineOptions {
  /** Separate turns by numbered rules. */
  readonly turns?: boolean
  /** Show the ids of calls. */
  readonly ids?: boolean
}

/** A valid history. */
export const conversationRows = (conversation: Conversation, options: TimelineOptions = {}): readonly Row[] => {
  const rows: Row[] = []
  let turn = 0
  let spoke: string | undefined
  conversation.items.forEach((item, index) => {
    if (options.turns === true && item.role === "user" && spoke !== "user") {
      rows.push({ bracket: "─", label: phrase`turn ${++turn}`, text: "", tone: "quiet" })
    }
    spoke = item.role
    const isSummary = item.role !== "exchange" && item.summary === true
    if (isSummary) rows.push({ bracket: "─", label: phrase`compaction: everything above is summarised`, text: "", tone: "quiet" })
    const label = isSummary ? phrase`summary` : item.role
    const [first, ...others] = item.role === "exchange" ? exchangeRows(item, options) : messageRows(item, " ", label)
    if (first) pushAll(rows, [{ ...first, number: index + 1 }, ...others])
  })
  return rows
}

const badTone = ({ severity }: Diagnostic): Tone => (severity === "error" ? "bad" : "odd")

/** A history as it is in its source; blocks that a finding points at are marked. */
export const transcriptRows = (transcript: Transcript, findings: readonly Diagnostic[]): readonly Row[] => {
  const bad = new Map<string, Diagnostic>()
  for (const finding of findings) bad.set(`${finding.place.message}:${finding.place.block ?? 0}`, finding)
  return transcript.messages.flatMap((message, index) => {
    const blocks = message.blocks.map((block, number): Row => {
      const finding = bad.get(`${index}:${number}`)
      return {
        bracket: finding === undefined ? " " : "✗",
        label: number === 0 ? message.role : "",
        text: blockLine(block),
        tone: finding ? badTone(finding) : block.type === "thinking" ? "quiet" : "plain",
        bytes: blockSize(block),
      }
    })
    if (blocks.length > 0) return blocks
    const isBad = bad.has(`${index}:0`)
    const tone = isBad ? "bad" : "quiet"
    return [{ bracket: isBad ? "✗" : " ", label: message.role, text: phrase`(no content)`, tone, bytes: 0 } satisfies Row]
  })
}
