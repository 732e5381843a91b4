/**
 * Model → items as Codex loads them. Its loader is stricter than the API: a message has its type and a list of parts,
 * parts are text or images, and what it does not know it throws away with the whole record. So everything else is said
 * as text.
 */
import {
  type CallBlock,
  type ContentBlock,
  mediaNote,
  type ResultBlock,
  text,
  type UserBlock,
  type Wire,
} from "../../model/index.ts"
import { writeUrl } from "../../formats/engine/media.ts"
import { nativeOf } from "../../formats/openai-responses/fields.ts"
import { writeCall, writeResult } from "../../formats/openai-responses/write-blocks.ts"

const image = (block: ContentBlock): string | undefined =>
  block.type === "media" && block.kind === "image"
    ? writeUrl(block.mediaType === undefined ? { ...block, mediaType: "image/png" } : block)
    : undefined

const wordsOf = (block: ContentBlock): string => (block.type === "media" ? mediaNote(block) : block.text)

const part = (block: UserBlock): readonly Wire[] => {
  const url = image(block)
  if (url !== undefined) return [{ type: "input_image", image_url: url }]
  const words = wordsOf(block)
  return words === "" ? [] : [{ type: "input_text", text: words }]
}

const roles = { user: "user", system: "developer" } as const

/** A message of the client; nothing where it has nothing to say. */
export const writeClient = (role: "user" | "system", blocks: readonly UserBlock[]): Wire | undefined => {
  const content = blocks.flatMap(part)
  return content.length === 0 ? undefined : { type: "message", role: roles[role], content }
}

export const writeSpoken = (words: readonly string[]): Wire => ({
  type: "message",
  role: "assistant",
  content: words.map((said) => ({ type: "output_text", text: said })),
})

/** Calls of other built-in tools than these are functions to Codex. */
const keptCalls: ReadonlySet<unknown> = new Set(["local_shell_call"])

export const writeNewCall = (call: CallBlock): Wire => {
  const native = nativeOf(call) as Wire | undefined
  if (keptCalls.has(native?.["type"])) return writeCall(call, undefined)
  const { native: _, ...plain } = call
  return writeCall(plain, undefined)
}

const plain = (block: ContentBlock): ContentBlock => {
  if (block.type === "media" && image(block) !== undefined) return { ...block, native: {} }
  return text(wordsOf(block))
}

export const writeNewResult = (result: ResultBlock, call: Wire): Wire => {
  const { native: _, ...rest } = result
  return writeResult({ ...rest, content: result.content.map(plain) }, call)
}
