/**
 * Open WebUI chats → Transcript: the path from the message the chat stands at to the first one, or to the leaf that
 * `branch` names.
 *
 * Default view: whole. `effective` begins with the last summary of the context, where the chat has one.
 */
import {
  type Block,
  type Diagnostic,
  isWire,
  type Message,
  text,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { malformedMessage } from "../../formats/engine/malformed.ts"
import { anomaly } from "../engine/anomaly.ts"
import { textOf } from "../engine/fields.ts"
import { nameOfLeaf } from "../engine/read-tree.ts"
import { sharedIds } from "../engine/relink.ts"
import { pathTo, readChatTree, relinkedNodes } from "./chat-tree.ts"
import { type ChatReading, chatOf, entryOf, format, nodesOf } from "./format.ts"
import { keyedById, putIntoValue, standingAt } from "./put-chat.ts"
import { readStored } from "./read-message.ts"

/** The prompt set for this chat. It is no message of the tree and goes back by staying where it is. */
const systemOf = (chat: Wire): readonly Message[] => {
  const params = isWire(chat["params"]) ? chat["params"] : {}
  const words = textOf(params["system"]) ?? textOf(chat["system"])
  if (words === undefined || words.trim() === "") return []
  return [{ role: "system", blocks: [text(words)], native: { "open-webui": { system: words } } }]
}

/** A summary of everything before this message. */
export const summaryOf = (stored: unknown): string | undefined => {
  if (!isWire(stored)) return undefined
  const summary = textOf(stored["contextSummary"]) ?? textOf(stored["context_summary"])
  return summary?.trim() === "" ? undefined : summary
}

const isMalformed = (block: Block): boolean => {
  if (block.type === "result") return block.content.some(isMalformed)
  return block.type === "opaque" && block.kind === "malformed"
}

const summaryMessage = (summary: string): Message => ({
  role: "user",
  blocks: [text(summary)],
  summary: true,
  native: { "open-webui": { summary } },
})

class ChatReader {
  readonly messages: Message[] = []
  readonly said: number[] = []
  readonly diagnostics: Diagnostic[] = []
  private readonly line: { readonly line?: number }

  constructor(line: number | undefined) {
    this.line = line === undefined ? {} : { line }
  }

  stored(stored: unknown, index: number): void {
    const id = isWire(stored) ? textOf(stored["id"]) : undefined
    const at = { message: this.messages.length, path: `history.messages.${id ?? index}`, ...this.line }
    const read = readStored(stored)
    if (!read) {
      this.diagnostics.push(anomaly("malformed-record", at, "Expected a message of the user or the assistant"))
      return
    }
    const summary = summaryOf(stored)
    if (summary !== undefined) this.messages.push(summaryMessage(summary))
    if (read.length === 0) return
    this.said.push(index)
    if (isWire(stored) && stored["role"] === "assistant" && stored["done"] === false) {
      this.diagnostics.push(anomaly("stream-cut", at, "The answer was not done when the chat was stored"))
    }
    for (const message of read) this.message(message, at.path)
  }

  private message(message: Message, path: string): void {
    message.blocks.forEach((block, position) => {
      if (!isMalformed(block)) return
      const place = { message: this.messages.length, block: position, path, ...this.line }
      this.diagnostics.push(malformedMessage(place, "Expected text, a card or an item of the output"))
    })
    this.messages.push("line" in this.line ? { ...message, ...this.line } : message)
  }
}

const fromLastSummary = (path: readonly number[], nodes: readonly unknown[]): readonly number[] => {
  const last = path.findLastIndex((index) => summaryOf(nodes[index]) !== undefined)
  return last < 0 ? path : path.slice(last)
}

const originOf = (messages: readonly Message[]): Transcript["origin"] =>
  messages.findLast(({ origin }) => origin !== undefined)?.origin

interface ChatPath {
  /** The chat, with links that lead through. */
  readonly value: unknown
  readonly nodes: readonly unknown[]
  readonly path: readonly number[]
  readonly diagnostics: readonly Diagnostic[]
}

/** The path to a message, by its id, or to where the chat stands. */
const readPath = (value: unknown, branch: string | undefined): ChatPath => {
  const all = nodesOf(chatOf(entryOf(value)))
  const tree = readChatTree(all)
  const wanted = branch === undefined ? tree.current : tree.tree.byId.get(branch)
  const { path, links, diagnostics: broken } = pathTo(tree, wanted ?? tree.current)
  const diagnostics = [...broken, ...sharedIds(tree.tree)]
  if (wanted === undefined) {
    const what = `There is no message ${String(branch)} in this chat: the active path is read`
    diagnostics.push(anomaly("unknown-record", {}, what))
  }
  if (tree.lost) {
    const what = `The current message of the chat is ${JSON.stringify(all.currentId)}, which is not in it`
    const repair = { kind: "safe", what: "set it to the last message" } as const
    diagnostics.push({ ...anomaly("dangling-parent", {}, what), repair })
  }
  const nodes = relinkedNodes(all.nodes, tree.tree, links)
  const linked = nodes === all.nodes ? value : putIntoValue(value, all.nodes, nodes)
  const whole = tree.lost ? standingAt(linked, nameOfLeaf(tree.tree, tree.current)) : linked
  if (whole === value) return { value, nodes, path, diagnostics }
  const after = nodesOf(chatOf(entryOf(whole)))
  // What is no message stands last in a tree that was written anew.
  const places = new Map(after.keys?.map((key, place) => [key, place]))
  const moved = path.map((place) => places.get(all.keys?.[place] ?? "") ?? place)
  return { value: whole, nodes: after.nodes, path: moved, diagnostics }
}

/** A message that says another id than the one it is kept under: the latter is what others name. */
const withOwnIds = (value: unknown): { readonly value: unknown; readonly diagnostics: readonly Diagnostic[] } => {
  const { nodes, keys } = nodesOf(chatOf(entryOf(value)))
  if (!keys) return { value, diagnostics: [] }
  const strange = keys.filter((key, index) => {
    const node = nodes[index]
    return isWire(node) && node["id"] !== key
  })
  if (strange.length === 0) return { value, diagnostics: [] }
  const what = `${strange.length} messages have another id than the one they are stored under`
  return { value: keyedById(value), diagnostics: [anomaly("missing-record-id", {}, what, strange)] }
}

export const decode = (given: unknown, options: DecodeOptions = {}): Transcript => {
  const named = withOwnIds(given)
  const { value, nodes, path, diagnostics } = readPath(named.value, options.branch)
  const reader = new ChatReader(options.lines?.[0])
  for (const diagnostic of [...named.diagnostics, ...diagnostics]) reader.diagnostics.push(diagnostic)
  if (Array.isArray(value) && value.length > 1) {
    reader.diagnostics.push(anomaly("missing-context", {}, `The export holds ${value.length} chats: the first is read`))
  }
  for (const message of systemOf(chatOf(entryOf(value)))) reader.messages.push(message)
  const seen = options.view === "effective" ? fromLastSummary(path, nodes) : path
  for (const index of seen) reader.stored(nodes[index], index)
  const origin = originOf(reader.messages)
  const reading: ChatReading = { value, records: nodes, path, said: reader.said }
  return {
    format,
    messages: reader.messages,
    native: { "open-webui": reading },
    ...(origin && { origin }),
    ...(options.source !== undefined && { source: options.source }),
    ...(reader.diagnostics.length > 0 && { diagnostics: reader.diagnostics }),
  }
}
