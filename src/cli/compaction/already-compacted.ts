/**
 * Whether a history is a compacted view already. Its handles count in the history it was made from, and those of a
 * second compaction would count in the view: nobody could tell them apart. Views are known by the words that stand in
 * front of what a compaction puts in; they are taken from the functions that write them, so that they cannot differ.
 */
import { prefaceOf } from "../../compact/digest/render.ts"
import { summaryBlock } from "../../compact/index.ts"
import { leftOutNote } from "../../compact/plan/left-out-note.ts"
import type { Conversation, Message } from "../../model/index.ts"
import type { Printer } from "../command.ts"

const somewhere = { from: 0, to: 0 }

/** `[ligature:summary]` */
const markOf = (text: string): string => text.slice(0, text.indexOf("]") + 1)

const openings: readonly string[] = [
  // Up to the first handle: what stands behind it is longer or shorter by the budget.
  prefaceOf(somewhere.from, somewhere.to, 0).replace(/#.*$/, ""),
  ...leftOutNote(1, [somewhere]).blocks.map((block) => (block.type === "text" ? markOf(block.text) : "")),
  markOf(summaryBlock({ text: "", first: 0, last: 0 }).text),
].filter((opening) => opening !== "")

/** Any block of it: formats that want users and assistants in turn have it behind the request it follows. */
const isRecord = ({ blocks }: Message): boolean =>
  blocks.some((block) => block.type === "text" && openings.some((opening) => block.text.startsWith(opening)))

export const isAlreadyCompacted = ({ items }: Conversation): boolean =>
  items.some((item) => item.role === "user" && isRecord(item))

export const warnAlreadyCompacted = (label: string, err: Printer): void => {
  err.line(`${err.palette.warning("!")} ${label} is a compacted view already: handles in it belong to its original`)
  err.line(err.palette.quiet("  Give the original instead: it still holds everything, and handles count in it."))
}
