/** One line about a block or a message: its type and the beginning of its content. */
import { type Block, type CallBlock, type JsonObject, mediaNote, type Message, oneLine, phrase, resultText } from "../../model/index.ts"

/** More of a text never fits on one line. */
const shownCharacters = 400

const shortId = (id: string): string => (id.length > 24 ? `${id.slice(0, 12)}…${id.slice(-6)}` : id)

/** Strings before numbers and flags: the file of an edit tells more than `replace_all=false`. */
const stringsFirst = (values: JsonObject): readonly (readonly [string, unknown])[] => {
  const entries = Object.entries(values)
  const isText = ([, value]: readonly [string, unknown]): boolean => typeof value === "string"
  return [...entries.filter(isText), ...entries.filter((entry) => !isText(entry))]
}

/** The arguments as `key=value`, short and without the noise of JSON. */
export const argumentsLine = (call: CallBlock): string => {
  if (call.fault !== undefined && call.raw !== undefined) return oneLine(call.raw, shownCharacters)
  const values = stringsFirst(call.arguments)
  const [only] = values
  if (values.length === 1 && only !== undefined && typeof only[1] === "string") return oneLine(only[1], shownCharacters)
  let length = 0
  const shown: string[] = []
  for (const [name, value] of values) {
    const text = oneLine(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), 120)
    shown.push(`${name}=${text}`)
    length += text.length
    if (length > shownCharacters) break
  }
  return shown.join(" ")
}

export const callLine = (call: CallBlock): string => {
  const written = argumentsLine(call)
  return `${call.name === "" ? phrase`(no name)` : oneLine(call.name, 80)}(${written})`
}

export const blockLine = (block: Block): string => {
  switch (block.type) {
    case "text": {
      const line = oneLine(block.text, shownCharacters)
      return line === "" ? (block.text === "" ? phrase`(empty text)` : phrase`(blank text)`) : line
    }
    case "thinking":
      return block.redacted === true ? phrase`(thinking) redacted` : phrase`(thinking) ${oneLine(block.text, shownCharacters)}`.trimEnd()
    case "media":
      return oneLine(mediaNote(block), 120)
    case "call":
      return `→ ${callLine(block)} ${block.id === "" ? phrase`(no id)` : `#${shortId(oneLine(block.id))}`}`
    case "result": {
      const content = oneLine(resultText(block), shownCharacters)
      const id = block.callId === "" ? phrase`(no id)` : `#${shortId(oneLine(block.callId))}`
      const text = content === "" ? (block.content.length === 0 ? phrase`(empty)` : phrase`(media)`) : content
      return `← ${id} ${block.error === true ? phrase`failed: ${text}` : text}`
    }
    case "opaque":
      return `[${oneLine(block.kind, 60)}] ${oneLine(block.text, 200)}`.trimEnd()
  }
}

/** The blocks of a message from `first` on, joined. */
export const messageLine = (message: Message, first = 0): string => {
  if (message.blocks.length === 0) return phrase`(no content)`
  const shown = message.blocks.slice(first, first + 8).map(blockLine)
  return `${first > 0 ? "… " : ""}${shown.join("  ")}`
}

const encoder = new TextEncoder()

const bytesOf = (text: string): number => (text.length > 4096 ? text.length : encoder.encode(text).length)

/** Bytes of a block's content: text, arguments, media. Long texts are counted in characters. */
export const blockSize = (block: Block): number => {
  switch (block.type) {
    case "text":
    case "opaque":
      return bytesOf(block.text)
    case "thinking":
      return bytesOf(block.text) + (block.signature?.length ?? 0)
    case "media":
      return block.source.type === "base64" ? Math.floor((block.source.data.length * 3) / 4) : 0
    case "call":
      return bytesOf(block.raw ?? JSON.stringify(block.arguments))
    case "result":
      return block.content.reduce((sum, inner) => sum + blockSize(inner), 0)
  }
}

export const messageSize = (message: Message): number => message.blocks.reduce((sum, block) => sum + blockSize(block), 0)
