/**
 * Whether a history is a compacted view. Its handles count in the history it was made from, and those of a second
 * compaction would count in the view: they could not be told apart. Views are recognised by the text that opens what a
 * compaction inserts; it is taken from the functions that write it, so that both cannot differ.
 */
import type { Conversation, Message } from "../model/index.ts"
import { prefaceOf } from "./strategies/digest/render.ts"
import { summaryBlock } from "./summary/message.ts"
import { leftOutNote } from "./text/stand-ins.ts"

const anywhere = { from: 0, to: 0 }

/** `[ligature:summary]` */
const markOf = (text: string): string => text.slice(0, text.indexOf("]") + 1)

const openings: readonly string[] = [
  // Up to the first handle: the text after it depends on the budget.
  prefaceOf(anywhere.from, anywhere.to, 0).replace(/#.*$/, ""),
  ...leftOutNote(1, [anywhere]).blocks.map((block) => (block.type === "text" ? markOf(block.text) : "")),
  markOf(summaryBlock({ text: "", first: 0, last: 0 }).text),
].filter((opening) => opening !== "")

/** Any block of it: formats that want users and assistants in turn have it after the request it follows. */
const isRecord = ({ blocks }: Message): boolean =>
  blocks.some((block) => block.type === "text" && openings.some((opening) => block.text.startsWith(opening)))

export const isCompactedView = ({ items }: Conversation): boolean =>
  items.some((item) => item.role === "user" && isRecord(item))
