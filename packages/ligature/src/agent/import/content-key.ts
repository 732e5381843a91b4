/**
 * The content of a path as keys that can be compared: two imports of one source are the same as far as their keys are. A key
 * is for a message, or for one result of a message that has only results: agents write results as they land, so that a
 * source may have one result today and three in the same message tomorrow.
 *
 * A key covers text, calls, results and media. How they were written down (`native`, raw spelling, ids of messages, lines)
 * is not part of it: a source that was repaired, or is stored in fewer bytes, has the same keys.
 */
import { createHash } from "node:crypto"
import { type Block, canonicalJson, type Message, type ResultBlock } from "../../model/index.ts"
import type { NewEntry } from "../../store/index.ts"

/** Fingerprint of the content of one message or result. */
export type ContentKey = string

const comparable = (block: Block): unknown => {
  switch (block.type) {
    case "text":
      return [block.text]
    case "thinking":
      return ["thinking", block.text, block.signature ?? ""]
    case "media":
      return ["media", block.kind, block.source]
    case "call":
      return ["call", block.id, block.name, block.arguments, block.fault === undefined ? "" : (block.raw ?? "")]
    case "result":
      return ["result", block.callId, block.content.map(comparable), block.error ?? false, block.denied ?? false, block.synthetic ?? ""]
    case "opaque":
      return ["opaque", block.kind, block.text, block.native]
    default:
      return block satisfies never
  }
}

const fingerprint = (value: unknown): ContentKey => createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32)

const isResult = (block: Block): block is ResultBlock => block.type === "result"

/** The results of a message that has only results; undefined for any other. */
export const resultsOf = ({ blocks }: Message): readonly ResultBlock[] | undefined =>
  blocks.length > 0 && blocks.every(isResult) ? blocks : undefined

const keysOfMessage = (message: Message): readonly ContentKey[] => {
  const results = resultsOf(message)
  if (results) return results.map((result) => fingerprint(comparable(result)))
  return [fingerprint([message.role, message.summary ?? false, message.blocks.map(comparable)])]
}

const made = new WeakMap<NewEntry, readonly ContentKey[]>()

const keysIn = (entry: NewEntry): readonly ContentKey[] => {
  if (entry.kind === "message") return keysOfMessage(entry.message)
  return entry.kind === "result" ? [fingerprint(comparable(entry.result))] : []
}

/** The keys of an entry; none for notes, summaries and hides, which have no content of their own. Made once for each entry. */
export const contentKeys = (entry: NewEntry): readonly ContentKey[] => {
  const known = made.get(entry)
  if (known) return known
  const keys = keysIn(entry)
  made.set(entry, keys)
  return keys
}

export const isContent = ({ kind }: NewEntry): boolean => kind === "message" || kind === "result"

/** Whether a message goes on where another one stopped, as an answer that was read while it was being written does. */
export const continues = (longer: NewEntry | undefined, shorter: NewEntry | undefined): boolean => {
  if (longer?.kind !== "message" || shorter?.kind !== "message") return false
  const [long, short] = [longer.message, shorter.message]
  if (long.role !== "assistant" || short.role !== "assistant" || long.blocks.length <= short.blocks.length) return false
  return short.blocks.every((block, index) => canonicalJson(comparable(block)) === canonicalJson(comparable(long.blocks[index] as Block)))
}

/** One key for a list of texts. */
export const digestOf = (texts: readonly string[]): string => fingerprint(texts)
