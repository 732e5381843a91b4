/** One line about an entry. */
import { phrase } from "../../../model/index.ts"
import type { Entry } from "../../../store/index.ts"
import { blockLine, messageLine } from "../../print/block.ts"
import { count, oneLine } from "../../frame/text.ts"

const shown = 200

const entries = (covers: readonly unknown[]): string => count(covers.length, "entry", "entries")

export const entryWords = (entry: Entry): string => {
  switch (entry.kind) {
    case "message":
      return oneLine(`${entry.message.role}: ${messageLine(entry.message)}`, shown)
    case "result":
      return oneLine(phrase`result: ${blockLine(entry.result)}`, shown)
    case "summary":
      return oneLine(phrase`summary of ${entries(entry.covers)}: ${messageLine(entry.message)}`, shown)
    case "hide":
      return oneLine(`${phrase`hides ${entries(entry.covers)}`}${entry.reason === undefined ? "" : `: ${entry.reason}`}`, shown)
    case "rename":
      return oneLine(phrase`title: ${entry.title}`, shown)
    case "tip":
      return phrase`tip: ${entry.to ?? phrase`before the first entry`}`
    case "note":
      return oneLine(`note ${entry.name}: ${JSON.stringify(entry.value) ?? ""}`, shown)
    default:
      return entry satisfies never
  }
}
