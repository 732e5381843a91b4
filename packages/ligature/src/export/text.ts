/**
 * A conversation as plain text, nothing shortened. Headings begin at the margin, content is indented: content can never look like
 * another speaker's message.
 */
import { oneLine, phrase, visible } from "../model/index.ts"
import type { ExportHead } from "./markdown.ts"
import { outcomeMarks, outcomeName, type Piece } from "./pieces.ts"

/** How parts of a line are coloured. Files have none. */
export type Ink = Readonly<Record<"quiet" | "strong" | "accent" | "good" | "warning" | "error", (text: string) => string>>

const same = (text: string): string => text

const noInk: Ink = { quiet: same, strong: same, accent: same, good: same, warning: same, error: same }

const indented = (text: string, margin: string): readonly string[] =>
  text
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .map((line) => (line === "" ? "" : `${margin}${line}`))

const written = (piece: Piece, ink: Ink): readonly string[] => {
  switch (piece.type) {
    case "turn":
      return ["", ink.quiet(`── ${phrase`turn ${piece.number}`} ──`)]
    case "speaker":
      return ["", ink.strong(piece.who)]
    case "prose":
      return indented(piece.text.trim() === "" ? phrase`(no text)` : piece.text, "  ")
    case "aside":
      return [ink.quiet(`  (${oneLine(piece.title)})`), ...indented(piece.text, "    ").map(ink.quiet)]
    case "note":
      return [`  ${oneLine(piece.text)}`]
    case "call":
      return [`  ${ink.accent("→")} ${oneLine(piece.name) || phrase`(no name)`} #${oneLine(piece.id)}`, ...indented(piece.text, "    ")]
    case "outcome": {
      const kind = outcomeName(piece.kind)
      const title = `  ${outcomeMarks[piece.kind]} ${piece.isPlaceholder ? phrase`${kind} (placeholder)` : kind}`
      const tone = piece.kind === "done" ? ink.good : piece.kind === "failed" ? ink.error : ink.warning
      return [tone(title), ...(piece.text === "" ? [] : indented(piece.text, "    ")), ...piece.notes.map((note) => `    ${oneLine(note)}`)]
    }
  }
}

export const fullLines = (pieces: readonly Piece[], ink: Ink): readonly string[] => {
  if (pieces.length === 0) return ["", ink.quiet(`  ${phrase`(no messages)`}`)]
  return pieces.flatMap((piece) => written(piece, ink))
}

/** Ends with a line break. Control characters are made visible. */
export const textOf = (head: ExportHead | undefined, pieces: readonly Piece[]): string => {
  const above = head === undefined ? [] : [oneLine(head.title), ...(head.facts ?? []).map((fact) => `  ${oneLine(fact)}`)]
  return [...above, ...fullLines(pieces, noInk).map((line) => visible(line))].map((line) => `${line}\n`).join("")
}
