/**
 * A conversation as a Markdown document. Content cannot escape its place: no text can open a fence, a comment or
 * a tag that swallows what comes after it.
 *
 *   prose                     in a block quote, as Markdown; fenced code in it is fenced anew and always closed; what
 *                             would be HTML or fetch an image is escaped
 *   calls, results, thinking  in fences longer than any run of backticks inside
 *   names and ids             in code spans with a delimiter chosen the same way
 *
 * Control characters are made visible, as everywhere.
 */
import { oneLine, phrase, visible } from "../model/index.ts"
import { outcomeName, type Piece } from "./pieces.ts"

const longestRun = (text: string): number => {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

/** Line breaks normalised, control characters made visible. */
const clean = (text: string): string => visible(text.replace(/\r\n?/g, "\n"))

const fenced = (text: string, language = ""): string => {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${language}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${fence}`
}

/** A name or an id, as it is. */
export const codeSpan = (text: string): string => {
  const line = oneLine(text, 500)
  if (line === "") return phrase`(none)`
  const fence = "`".repeat(longestRun(line) + 1)
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : ""
  return `${fence}${pad}${line}${pad}${fence}`
}

/** Text inside a line, with all markup escaped. */
export const plainInline = (text: string): string => oneLine(text).replace(/[\\`*_{}[\]<>#!|~&]|^[-+]/g, "\\$&")

/** A fence that opens code in quoted Markdown. */
const opening = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/

const languageOf = (info: string): string => /^[\w+#.-]{1,30}/.exec(info.trim())?.[0] ?? ""

const isClosing = (line: string, fence: string): boolean => {
  const found = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1]
  return found !== undefined && found.startsWith(fence.charAt(0)) && found.length >= fence.length
}

/** Tags, comments and images are escaped. */
const harmless = (line: string): string => line.replace(/<(?=[A-Za-z/!?])/g, "\\<").replaceAll("![", "\\![")

/** Quoted Markdown, with every fence closed. */
const contained = (text: string): string => {
  const out: string[] = []
  const lines = clean(text).split("\n")
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    const [, fence, info = ""] = opening.exec(line) ?? []
    if (fence === undefined || (fence.startsWith("`") && info.includes("`"))) {
      out.push(harmless(line))
      continue
    }
    let end = at + 1
    while (end < lines.length && !isClosing(lines[end] ?? "", fence)) end++
    out.push(fenced(lines.slice(at + 1, end).join("\n"), languageOf(info)))
    at = end
  }
  return out.join("\n")
}

const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n")

const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`

const written = (piece: Piece): readonly string[] => {
  switch (piece.type) {
    case "turn":
      return [`## ${phrase`Turn ${piece.number}`}`]
    case "speaker":
      return [`### ${capital(plainInline(piece.who))}`]
    case "prose":
      return [piece.text.trim() === "" ? `*${phrase`(no text)`}*` : quoted(contained(piece.text))]
    case "aside":
      return [`**${capital(plainInline(piece.title))}**`, ...(piece.text === "" ? [] : [fenced(clean(piece.text))])]
    case "note":
      return [`*${plainInline(piece.text)}*`]
    case "call":
      return [phrase`**Call** ${codeSpan(piece.name)} ${codeSpan(piece.id)}`, fenced(clean(piece.text), piece.isJson ? "json" : "")]
    case "outcome": {
      const kind = outcomeName(piece.kind)
      const title = phrase`**Result**: ${piece.isPlaceholder ? phrase`${kind} (placeholder)` : kind}`
      const notes = piece.notes.map((note) => `*${plainInline(note)}*`)
      return [title, ...(piece.text === "" ? [] : [fenced(clean(piece.text))]), ...notes]
    }
  }
}

/** What is said of a conversation before its messages. */
export interface ExportHead {
  readonly title: string
  readonly facts?: readonly string[]
}

/** Ends with a line break. */
export const markdownOf = (head: ExportHead | undefined, pieces: readonly Piece[]): string => {
  const { title, facts = [] } = head ?? { title: "" }
  const list = facts.map((fact) => `- ${plainInline(fact)}`).join("\n")
  const body = pieces.length === 0 ? [`*${phrase`(no messages)`}*`] : pieces.flatMap(written)
  return `${[title === "" ? "" : `# ${plainInline(title)}`, list, ...body].filter((each) => each !== "").join("\n\n")}\n`
}
