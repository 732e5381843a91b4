/** How the parts of `fit` report a change: which profile rule asked for it, what was found, what was done, in which item. */
import { type Item, mediaNote, type Message, type RepairKind, type ReportEntry } from "../../model/index.ts"
import type { IdDemand, NameDemand } from "../profiles/profile.ts"

/** What was found: the thing, what the target accepts, and what would be sent instead. `check` shows it as it is. */
export type Found = { readonly found: string }

/** `at`: the item, or its index where it is one of the conversation. */
export type Note = (
  rule: string,
  kind: RepairKind,
  what: string,
  at: number | Item,
  more: Found & Partial<Pick<ReportEntry, "ids" | "original" | "replacement">>,
) => void

const longest = 60

/** Long values are shown by how they begin; a line break would tear a finding apart. */
export const shorten = (value: string): string => {
  const line = value.slice(0, longest + 1).replace(/\s+/g, " ")
  return value.length > longest ? `${line.slice(0, longest).toWellFormed()}… (${value.length} characters)` : line.toWellFormed()
}

export const code = (value: string): string => `\`${shorten(value)}\``

export const quoted = (value: string): string => `"${shorten(value)}"`

/** What a message begins with, so that a reader finds it. */
export const beginningOf = (message: Pick<Message, "blocks">): string => {
  const [first] = message.blocks.filter((block) => block.type !== "text" || block.text.trim() !== "")
  switch (first?.type) {
    case undefined:
      return "empty"
    case "call":
      return `tool call ${code(first.name)}`
    case "result":
      return `result of ${code(first.callId)}`
    case "media":
      return shorten(mediaNote(first))
    case "text":
    case "thinking":
    case "opaque":
      return quoted(first.text.trim())
  }
}

const plainCharacters: ReadonlyMap<string, string> = new Map([
  ["^[a-zA-Z0-9_-]+$", "letters, digits, _ and -"],
  ["^[a-zA-Z0-9]{9}$", "letters or digits"],
  ["^[a-zA-Z_][a-zA-Z0-9_.:-]*$", "letters, digits, _ . : and - that begin with a letter or _"],
  ["^[^\\s|]+$", "characters other than white space and |"],
  ["\\S", "any characters"],
])

/** `exactly 9 letters or digits`: what ids and names may consist of. */
export const acceptedText = ({ pattern, maxLength, ...demand }: IdDemand | NameDemand): string => {
  const characters = plainCharacters.get(pattern.source) ?? `characters that match ${pattern.source}`
  const exact = "exactLength" in demand ? demand.exactLength : undefined
  return exact === undefined ? `at most ${maxLength} ${characters}` : `exactly ${exact} ${characters}`
}
