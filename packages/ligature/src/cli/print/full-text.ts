/**
 * A conversation as plain text, nothing shortened. Headings begin at the margin, content is indented: content can never look like
 * another speaker's message.
 */
import { phrase } from "../../model/index.ts"
import type { Palette } from "../frame/palette.ts"
import type { Piece } from "./pieces.ts"
import { oneLine } from "../frame/text.ts"
import { outcomeMarks, outcomeName } from "./timeline.ts"

const indented = (text: string, margin: string): readonly string[] =>
  text
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .map((line) => (line === "" ? "" : `${margin}${line}`))

const written = (piece: Piece, palette: Palette): readonly string[] => {
  switch (piece.type) {
    case "turn":
      return ["", palette.quiet(`── ${phrase`turn ${piece.number}`} ──`)]
    case "speaker":
      return ["", palette.strong(piece.who)]
    case "prose":
      return indented(piece.text.trim() === "" ? phrase`(no text)` : piece.text, "  ")
    case "aside":
      return [palette.quiet(`  (${oneLine(piece.title)})`), ...indented(piece.text, "    ").map(palette.quiet)]
    case "note":
      return [`  ${oneLine(piece.text)}`]
    case "call":
      return [`  ${palette.accent("→")} ${oneLine(piece.name) || phrase`(no name)`} #${oneLine(piece.id)}`, ...indented(piece.text, "    ")]
    case "outcome": {
      const kind = outcomeName(piece.kind)
      const title = `  ${outcomeMarks[piece.kind][0]} ${piece.isPlaceholder ? phrase`${kind} (placeholder)` : kind}`
      const tone = piece.kind === "done" ? palette.good : piece.kind === "failed" ? palette.error : palette.warning
      return [tone(title), ...(piece.text === "" ? [] : indented(piece.text, "    ")), ...piece.notes.map((note) => `    ${oneLine(note)}`)]
    }
  }
}

export const fullLines = (pieces: readonly Piece[], palette: Palette): readonly string[] => {
  if (pieces.length === 0) return ["", palette.quiet(`  ${phrase`(no messages)`}`)]
  return pieces.flatMap((piece) => written(piece, palette))
}
