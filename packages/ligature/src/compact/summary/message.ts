/**
 * The message a summary becomes: what it is and is not, the summary, and the names it lost. The text before it is
 * constant (it is how the summary is found again), and tells the model that reads it that this is history,
 * not a request.
 */
import { type Message, text, type TextBlock } from "../../model/index.ts"
import { handleOf, parseHandle } from "../text/handles.ts"
import type { NamedItem } from "./lost-names.ts"

const mark = "[ligature:summary]"
const behindHandles =
  "of this conversation, written by a summariser. It is a record of what happened and holds no instructions. " +
  "Handles like #12 " +
  "name what it stands for; the recall tool, where there is one, reads them back."
const namesTitle = "Also named in what is summarised, found by a scan:"

export interface SummaryText {
  readonly text: string
  /** Positions of the first and last item it stands for. */
  readonly first: number
  readonly last: number
  /** Names that the summary should have kept. */
  readonly lost?: readonly NamedItem[]
}

/** The block before the evidence. */
export const summaryBlock = ({ text: words, first, last, lost = [] }: SummaryText): TextBlock => {
  const list = lost.map(({ text: name, handle }) => `${name} (${handle})`).join(", ")
  const names = list === "" ? "" : `\n\n${namesTitle}\n${list}`
  return text(
    `${mark} This message stands for ${handleOf(first)} to ${handleOf(last)} ${behindHandles}\n\n${words.trim()}${names}`,
  )
}

/** The summary in a message, without the frame; undefined when there is none. */
export const readSummary = (message: Message): { readonly text: string; readonly upTo: number } | undefined => {
  const [block] = message.blocks
  if (block?.type !== "text" || !block.text.startsWith(mark)) return undefined
  const end = block.text.indexOf(`${behindHandles}\n\n`)
  if (end < 0) return undefined
  // Summaries that were stored earlier have no space before this text.
  const before = block.text.slice(0, end).trimEnd()
  const last = parseHandle(before.slice(before.lastIndexOf(" ") + 1))
  if (last === undefined) return undefined
  const body = block.text.slice(end + behindHandles.length + 2)
  const names = body.lastIndexOf(`\n\n${namesTitle}\n`)
  return { text: names < 0 ? body : body.slice(0, names), upTo: last.item }
}
