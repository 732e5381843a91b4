/**
 * Groups → stored messages. One that says what was read from it comes back as it is. A changed one keeps its style,
 * cards or items, and every card, item and text in it that did not change.
 */
import { asWord } from "../../model/index.ts"
import type { Block, Wire } from "../../model/index.ts"
import { sameElements } from "../../formats/engine/codec.ts"
import { mediaNote, writeUrl } from "../../formats/engine/media.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { writeCard, writeReasoning } from "./cards.ts"
import { nativeOf, type Turn } from "./format.ts"
import { hasItems, type ItemId, readItem, writeItem } from "./output-items.ts"
import { blocksOf, type Group } from "./regroup.ts"

const sourceOf = (block: Block): string | undefined => {
  const source = nativeOf(block)?.["source"]
  return typeof source === "string" ? source : undefined
}

const isDone = (block: Block): boolean => (nativeOf(block)?.["attributes"] as Wire | undefined)?.["done"] === "true"

/** Content with cards, text by text and card by card. */
const writeCards = (group: Group, known: ReadonlySet<Block>): string => {
  let content = ""
  const addOwnLine = (words: string): void => {
    if (content !== "" && !content.endsWith("\n")) content += "\n"
    content += words
  }
  for (const { blocks, results } of group.steps) {
    let calls = 0
    for (const block of blocks) {
      const source = sourceOf(block)
      if (block.type === "call") {
        const result = results[calls++]
        const isWhole = known.has(block) && (result ? known.has(result) && sourceOf(result) === source : !isDone(block))
        addOwnLine(isWhole && source !== undefined ? source : writeCard(block, result))
      } else if (source !== undefined && known.has(block)) content += source
      else if (block.type === "text") addOwnLine(block.text)
      else if (block.type === "thinking" && block.text !== "") addOwnLine(writeReasoning(block.text))
      else if (block.type === "opaque" && block.text !== "") addOwnLine(block.text)
    }
  }
  return content
}

/** Items in which nothing is said stay in front of the item they preceded; the last ones stay last. */
const withSilentItems = (
  written: readonly Wire[],
  origins: readonly (Wire | undefined)[],
  previous: readonly unknown[],
): readonly unknown[] => {
  const silent = new Map<unknown, readonly unknown[]>()
  let waiting: unknown[] = []
  for (const wire of previous) {
    if (readItem(wire) === undefined) waiting.push(wire)
    else if (waiting.length > 0) {
      silent.set(wire, waiting)
      waiting = []
    }
  }
  const items: unknown[] = []
  written.forEach((wire, index) => {
    const origin = origins[index]
    if (origin !== undefined) for (const each of silent.get(origin) ?? []) items.push(each)
    items.push(wire)
  })
  for (const each of waiting) items.push(each)
  return items
}

const writeItems = (group: Group, id: ItemId, previous: readonly unknown[]): readonly unknown[] => {
  const written: Wire[] = []
  const origins: (Wire | undefined)[] = []
  for (const block of blocksOf(group)) {
    const item = writeItem(block, id)
    if (!item) continue
    written.push(item)
    origins.push(nativeOf(block))
  }
  return withSilentItems(written, origins, previous)
}

/** Ids of new items: from the message they stand in and the place they have there. */
export const itemIds = (messageId: string): ItemId => {
  let count = 0
  return (kind) => `${kind}_${deriveUuid(messageId, kind, String(count++)).replaceAll("-", "").slice(0, 24)}`
}

const wordsOf = (block: Block): string => {
  if (block.type === "text" || block.type === "opaque") return block.text
  return block.type === "media" ? mediaNote(block) : ""
}

const joinedText = (blocks: readonly Block[]): string =>
  blocks.map(wordsOf).filter((words) => words !== "").join("\n\n")

const writePart = (block: Block): Wire => {
  const native = nativeOf(block)
  if (block.type === "text") {
    return native?.["text"] === block.text ? native : { ...native, type: "text", text: block.text }
  }
  return native && block.type === "media" ? native : { type: "text", text: wordsOf(block) }
}

/** Words of the user. Pictures that lie beside them stay there. */
const rewriteUser = (stored: Wire, blocks: readonly Block[]): Wire => {
  const files: ReadonlySet<unknown> = new Set(Array.isArray(stored["files"]) ? stored["files"] : [])
  const said = blocks.filter((block) => block.type !== "media" || !files.has(nativeOf(block)))
  return { ...stored, content: Array.isArray(stored["content"]) ? said.map(writePart) : joinedText(said) }
}

/** What could not be read is written as the text it was shown as, or it would stay damaged. */
const isMalformed = (block: Block): boolean => {
  if (block.type === "result") return block.content.some(isMalformed)
  return block.type === "opaque" && block.kind === "malformed"
}

export const rewriteStored = (group: Group, { stored, blocks }: Turn): Wire => {
  const now = blocksOf(group)
  if (sameElements(now, blocks) && !now.some(isMalformed)) return stored
  if (group.role !== "assistant") return rewriteUser(stored, now)
  if (hasItems(stored)) {
    const previous = stored["output"] as readonly unknown[]
    return { ...stored, output: writeItems(group, itemIds(asWord(stored["id"])), previous) }
  }
  return { ...stored, content: writeCards(group, new Set(blocks)) }
}

export interface NodeHead {
  readonly id: string
  readonly parentId: string | null
  readonly timestamp: number
}

const filesOf = (blocks: readonly Block[]): readonly Wire[] =>
  blocks.flatMap((block) => {
    const url = block.type === "media" && block.kind === "image" ? writeUrl(block) : undefined
    return url === undefined ? [] : [{ type: "image", url }]
  })

export const newStored = (group: Group, { id, parentId, timestamp }: NodeHead, model: string): Wire => {
  const blocks = blocksOf(group)
  const head = { id, parentId, childrenIds: [] }
  if (group.role !== "assistant") {
    const files = filesOf(blocks)
    const content = joinedText(blocks.filter((block) => block.type !== "media" || filesOf([block]).length === 0))
    return { ...head, role: group.role, content, ...(files.length > 0 && { files }), timestamp, models: [model] }
  }
  const last = group.steps.at(-1)?.blocks ?? []
  const name = group.origin?.model ?? model
  const answer = { role: "assistant", content: joinedText(last), output: writeItems(group, itemIds(id), []) }
  return { ...head, ...answer, model: name, modelName: name, modelIdx: 0, timestamp, done: true }
}

