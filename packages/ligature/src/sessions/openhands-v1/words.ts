/** Texts as OpenHands shows them to its model: parts of a message, and the frame around the output of a command. */
import { type ContentBlock, isWire, type Native, text, type Wire } from "../../model/index.ts"
import { previewOf } from "../../formats/engine/malformed.ts"
import { readUrl } from "../../formats/engine/media.ts"

const images = (wire: Wire, native: Native, blocks: ContentBlock[]): void => {
  const urls = wire["image_urls"]
  if (!Array.isArray(urls)) return
  for (const url of urls) {
    if (typeof url === "string" && url !== "") blocks.push({ type: "media", kind: "image", ...readUrl(url), native })
  }
}

/**
 * A text, or a list of `{ type: "text", text }` and `{ type: "image", image_urls }`. `native` goes on what is no text.
 */
export const readParts = (content: unknown, native: Native, blocks: ContentBlock[] = []): ContentBlock[] => {
  if (typeof content === "string") {
    if (content !== "") blocks.push(text(content))
    return blocks
  }
  if (isWire(content)) return readParts([content], native, blocks)
  if (!Array.isArray(content)) return blocks
  for (const part of content as readonly unknown[]) {
    const words = isWire(part) ? part["text"] : part
    if (typeof words === "string") {
      if (words !== "") blocks.push(text(words))
    } else if (isWire(part) && part["type"] === "image") images(part, native, blocks)
    else if (part !== null && part !== undefined) {
      blocks.push({ type: "opaque", kind: "part", text: previewOf(part), native })
    }
  }
  return blocks
}

const textAt = (wire: Wire, key: string): string => (typeof wire[key] === "string" ? (wire[key] as string) : "")

/** The output of a command with what its shell told around it. */
export const commandWords = (output: string, metadata: unknown): string => {
  if (!isWire(metadata)) return output
  const folder = textAt(metadata, "working_dir")
  const python = textAt(metadata, "py_interpreter_path")
  const code = metadata["exit_code"]
  return [
    `${textAt(metadata, "prefix")}${output}${textAt(metadata, "suffix")}`,
    ...(folder === "" ? [] : [`[Current working directory: ${folder}]`]),
    ...(python === "" ? [] : [`[Python interpreter: ${python}]`]),
    ...(typeof code === "number" && code !== -1 ? [`[Command finished with exit code ${code}]`] : []),
  ].join("\n")
}

/** The first text block framed as the output of a command; one is made where there is none. */
export const framed = (blocks: readonly ContentBlock[], metadata: unknown): readonly ContentBlock[] => {
  if (!isWire(metadata)) return blocks
  const [first, ...rest] = blocks
  if (first?.type !== "text") {
    const words = commandWords("", metadata)
    return words === "" ? blocks : [text(words), ...blocks]
  }
  return [{ ...first, text: commandWords(first.text, metadata) }, ...rest]
}
