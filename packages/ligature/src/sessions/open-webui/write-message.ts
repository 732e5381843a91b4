/**
 * What a stored message says now → the message. A changed one keeps its style, cards or items, and every card, item and text in
 * it that did not change.
 */
import { asWord, type Block, type ResultBlock, type Wire } from "../../model/index.ts"
import { shownText, writeUrl } from "../../formats/engine/media.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { millisecondsOf } from "../engine/iso-time.ts"
import { listOf, nativeIn } from "../engine/fields.ts"
import type { RecordMessage, WritePlace } from "../engine/session-format.ts"
import { format, writeCard, writeReasoning } from "./cards.ts"
import { hasItems, type ItemId, readItem, writeItem } from "./output-items.ts"

const sourceOf = (block: Block): string | undefined => {
  const source = nativeIn(block, format)?.["source"]
  return typeof source === "string" ? source : undefined
}

const isDone = (block: Block): boolean => (nativeIn(block, format)?.["attributes"] as Wire | undefined)?.["done"] === "true"

/** What the assistant said in one go, and the results of its calls, each at the place of its call. */
interface Step {
  readonly blocks: readonly Block[]
  readonly results: readonly (ResultBlock | undefined)[]
}

const stepsOf = (messages: readonly RecordMessage[]): readonly Step[] => {
  const steps: Step[] = []
  let results = new Map<string, ResultBlock>()
  for (const { blocks } of messages.toReversed()) {
    for (const block of blocks) if (block.type === "result") results.set(block.callId, block)
    const others = blocks.filter(({ type }) => type !== "result")
    if (others.length === 0) continue
    steps.unshift({ blocks: others, results: others.flatMap((block) => (block.type === "call" ? [results.get(block.id)] : [])) })
    results = new Map()
  }
  return steps
}

/** Content with cards, text by text and card by card. */
const writeCards = (messages: readonly RecordMessage[], known: ReadonlySet<Block>): string => {
  let content = ""
  const addOwnLine = (words: string): void => {
    if (content !== "" && !content.endsWith("\n")) content += "\n"
    content += words
  }
  for (const { blocks, results } of stepsOf(messages)) {
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

/** Items without text stay before the item they preceded; the last ones stay last. */
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

const writeItems = (blocks: readonly Block[], id: ItemId, previous: readonly unknown[]): readonly unknown[] => {
  const written: Wire[] = []
  const origins: (Wire | undefined)[] = []
  for (const block of blocks) {
    const item = writeItem(block, id)
    if (!item) continue
    written.push(item)
    origins.push(nativeIn(block, format))
  }
  return withSilentItems(written, origins, previous)
}

/** Ids of new items: from the message they are in and their place there. */
const itemIds = (messageId: string): ItemId => {
  let count = 0
  return (kind) => `${kind}_${deriveUuid(messageId, kind, String(count++)).replaceAll("-", "").slice(0, 24)}`
}

const joinedText = (blocks: readonly Block[]): string =>
  blocks
    .map(shownText)
    .filter((words) => words !== "")
    .join("\n\n")

const writePart = (block: Block): Wire => {
  const native = nativeIn(block, format)
  if (block.type === "text") {
    return native?.["text"] === block.text ? native : { ...native, type: "text", text: block.text }
  }
  return native && block.type === "media" ? native : { type: "text", text: shownText(block) }
}

/** Words of the user. Pictures that lie beside them stay there. */
const rewriteUser = (stored: Wire, blocks: readonly Block[]): Wire => {
  const files: ReadonlySet<unknown> = new Set(Array.isArray(stored["files"]) ? stored["files"] : [])
  const said = blocks.filter((block) => block.type !== "media" || !files.has(nativeIn(block, format)))
  return { ...stored, content: Array.isArray(stored["content"]) ? said.map(writePart) : joinedText(said) }
}

const filesOf = (blocks: readonly Block[]): readonly Wire[] =>
  blocks.flatMap((block) => {
    const url = block.type === "media" && block.kind === "image" ? writeUrl(block) : undefined
    return url === undefined ? [] : [{ type: "image", url }]
  })

const newStored = (messages: readonly RecordMessage[], { id, time, previous, origin }: WritePlace): Wire => {
  const [{ role, origin: own } = { role: "user" as const }] = messages
  const blocks = messages.flatMap((message) => message.blocks)
  const head = { id, parentId: null, childrenIds: [] }
  const before = previous?.["timestamp"]
  const timestamp = Math.max(Math.floor((millisecondsOf(time) ?? 0) / 1000), typeof before === "number" ? before : 0)
  const model = origin?.model ?? "unknown"
  if (role !== "assistant") {
    const files = filesOf(blocks)
    const content = joinedText(blocks.filter((block) => block.type !== "media" || filesOf([block]).length === 0))
    return { ...head, role: role === "system" ? role : "user", content, ...(files.length > 0 && { files }), timestamp, models: [model] }
  }
  const last = messages.findLast((message) => message.role === "assistant")?.blocks ?? []
  const name = own?.model ?? model
  const answer = { role, content: joinedText(last), output: writeItems(blocks, itemIds(id), []) }
  return { ...head, ...answer, model: name, modelName: name, modelIdx: 0, timestamp, done: true }
}

const summaryKeys = ["contextSummary", "context_summary"] as const

export const writeStored = (messages: readonly RecordMessage[], stored: Wire | undefined, place: WritePlace): Wire => {
  if (!stored) return newStored(messages, place)
  const summary = messages.find((message) => message.summary)
  const said = messages.filter((message) => !message.summary)
  const key = summary && summaryKeys.find((each) => typeof stored[each] === "string")
  const kept = key ? { ...stored, [key]: joinedText(summary.blocks) } : stored
  const blocks = said.flatMap((message) => message.blocks)
  if (stored["role"] !== "assistant") return rewriteUser(kept, blocks)
  if (hasItems(stored)) return { ...kept, output: writeItems(blocks, itemIds(asWord(stored["id"])), listOf(stored["output"])) }
  return { ...kept, content: writeCards(said, new Set(place.before.flatMap((message) => message.blocks))) }
}
