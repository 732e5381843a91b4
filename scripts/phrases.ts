/** The sentences of the sources that a catalogue can translate: `phrase` templates, and literals given to `translated` and `count`. */
import type { SourceFile } from "./source-files.ts"

/** Index after the delimiter that closes what opens at `start`; strings and templates inside are skipped. */
const closing = (text: string, start: number, open: string, close: string): number => {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    const character = text.charAt(index)
    if (character === '"') index = text.indexOf('"', index + 1)
    else if (character === "`") index = templateOf(text, index).end - 1
    else if (character === open) depth++
    else if (character === close && --depth === 0) return index + 1
  }
  return text.length
}

const cooked = (raw: string): string => raw.replace(/\\(.)/gs, (_, character: string) => (character === "n" ? "\n" : character))

/** The template that begins with the backtick at `start`: its id, with `{1}` for the first value, and where it ends. */
const templateOf = (text: string, start: number): { readonly id: string; readonly end: number } => {
  let id = ""
  let values = 0
  let from = start + 1
  for (let index = from; index < text.length; index++) {
    const character = text.charAt(index)
    if (character === "\\") index++
    else if (character === "`") return { id: id + cooked(text.slice(from, index)), end: index + 1 }
    else if (character === "$" && text.charAt(index + 1) === "{") {
      id += `${cooked(text.slice(from, index))}{${++values}}`
      from = closing(text, index + 1, "{", "}")
      index = from - 1
    }
  }
  return { id, end: text.length }
}

/** Comments quote phrases as examples. */
const inCode = ({ code }: SourceFile, index: number): boolean => /\S/.test(code.charAt(index))

const literals = (text: string): readonly string[] => [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, raw]) => cooked(raw ?? ""))

export const phrasesIn = (file: SourceFile): readonly string[] => {
  const { text } = file
  const found: string[] = []
  for (const { index, 0: word } of text.matchAll(/\bphrase(?=`)/g)) {
    if (inCode(file, index)) found.push(templateOf(text, index + word.length).id)
  }
  for (const { index, 1: name, 0: call } of text.matchAll(/\b(translated|count)(?=\()/g)) {
    if (!inCode(file, index)) continue
    const given = literals(text.slice(index, closing(text, index + call.length, "(", ")")))
    if (name === "translated") found.push(...given)
    else if (given.length > 0) found.push(`{1} ${given[1] ?? `${given[0]}s`}`)
  }
  return found
}
