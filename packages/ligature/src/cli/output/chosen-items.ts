/** Some messages of a conversation: one by its number (`--message N`), or those that have a text (`--search WORDS`). */
import { conversationPieces, type Piece } from "../../export/pieces.ts"
import { type Conversation, type Item, oneLine, phrase } from "../../model/index.ts"
import type { OptionSpec } from "../frame/arguments.ts"
import type { Context, Printer } from "../frame/command.ts"
import { UsageError } from "../frame/usage-error.ts"
import { cut, widthOf } from "../frame/text.ts"

export const chosenOptions: readonly OptionSpec[] = [
  { name: "message", value: "N", text: "show only message N in full; an exchange with its results counts as one" },
  { name: "search", value: "WORDS", text: "show only messages that have this text, in any case, with their numbers" },
]

export interface Chosen {
  readonly message?: number
  readonly search?: string
}

export const chosenOf = ({ arguments: given }: Context): Chosen => {
  const [text, search] = [given.text("message"), given.text("search")?.trim()]
  if (text !== undefined && search !== undefined) throw new UsageError(phrase`Give only one of --message and --search`)
  if (search === "") throw new UsageError(phrase`search needs a text`)
  if (search !== undefined) return { search }
  if (text === undefined) return {}
  // The handle that recall and compacted views use.
  if (/^#?[1-9]\d{0,8}$/.test(text)) return { message: Number(text.replace("#", "")) }
  throw new UsageError(phrase`--message is a number, not ${text}`)
}

export interface ChosenItem {
  readonly item: Item
  /** Counted from 1. */
  readonly number: number
}

const textsOf = (piece: Piece): readonly string[] => {
  switch (piece.type) {
    case "prose":
    case "aside":
    case "note":
      return [piece.text]
    case "call":
      return [piece.name, piece.text]
    case "outcome":
      return [piece.text, ...piece.notes]
    case "turn":
    case "speaker":
      return []
  }
}

const piecesOf = (conversation: Conversation, item: Item): readonly Piece[] => conversationPieces({ ...conversation, items: [item] })

export const chosenItems = (conversation: Conversation, { message, search }: Chosen, label: string): readonly ChosenItem[] => {
  const items = conversation.items.map((item, index): ChosenItem => ({ item, number: index + 1 }))
  if (message !== undefined) {
    const chosen = items[message - 1]
    if (chosen !== undefined) return [chosen]
    throw new UsageError(
      phrase`${label} has no message ${message}`,
      phrase`It has 1 to ${items.length}; an exchange with its results counts as one.`,
    )
  }
  if (search === undefined) return items
  const wanted = search.toLowerCase()
  return items.filter(({ item }) =>
    piecesOf(conversation, item)
      .flatMap(textsOf)
      .some((text) => text.toLowerCase().includes(wanted)),
  )
}

const mostExcerpts = 4

/** The surroundings of a match, on one line. */
const excerptOf = (text: string, at: number, length: number, width: number): readonly [before: string, match: string, after: string] => {
  const before = oneLine(text.slice(Math.max(0, at - width), at))
  const match = oneLine(text.slice(at, at + length), width)
  const room = Math.max(0, Math.floor((width - widthOf(match)) / 3))
  const shownBefore = widthOf(before) <= room ? before : `…${[...before].slice(-room).join("")}`
  const gap = /\s$/.test(text.slice(0, at)) && shownBefore !== "" ? " " : ""
  const space = /^\s/.test(text.slice(at + length)) ? " " : ""
  const after = oneLine(text.slice(at + length, at + length + width * 2))
  return [`${shownBefore}${gap}`, match, `${space}${cut(after, Math.max(0, width - widthOf(shownBefore) - widthOf(match) - 2))}`]
}

/** Each message with the places that have the text. */
export const printMatches = (conversation: Conversation, chosen: readonly ChosenItem[], search: string, out: Printer): void => {
  const wanted = search.toLowerCase()
  for (const { item, number } of chosen) {
    out.line()
    out.line(out.palette.strong(`#${number} ${item.role === "exchange" ? "assistant" : item.role}`))
    let found = 0
    for (const text of piecesOf(conversation, item).flatMap(textsOf)) {
      const folded = text.toLowerCase()
      for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + wanted.length)) {
        if (++found > mostExcerpts) continue
        const [before, match, after] = excerptOf(text, at, wanted.length, out.width - 2)
        out.line(`  ${before}${out.palette.accent(match)}${after}`)
      }
    }
    if (found > mostExcerpts) out.line(out.palette.quiet(`  ${phrase`… ${found - mostExcerpts} more in this message`}`))
  }
}
