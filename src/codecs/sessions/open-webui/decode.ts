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
} from "../../../model/index.ts"
import type { DecodeOptions } from "../../codec.ts"
import { malformedMessage } from "../../malformed.ts"
import { anomaly } from "../anomaly.ts"
import { textOf } from "../fields.ts"
import { pathTo, readChatTree } from "./chat-tree.ts"
import { type ChatReading, chatOf, entryOf, format, nodesOf } from "./format.ts"
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

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const chat = chatOf(entryOf(value))
  const all = nodesOf(chat)
  const tree = readChatTree(all)
  const wanted = options.branch === undefined ? tree.current : tree.tree.byId.get(options.branch)
  const { path, diagnostics } = pathTo(tree, wanted ?? tree.current)
  const reader = new ChatReader(options.lines?.[0])
  for (const diagnostic of diagnostics) reader.diagnostics.push(diagnostic)
  if (wanted === undefined) {
    const what = `There is no message ${String(options.branch)} in this chat: the active path is read`
    reader.diagnostics.push(anomaly("unknown-record", {}, what))
  }
  if (tree.lost) {
    const what = `The chat stands at ${String(all.currentId)}, which is none of its messages: the last one is taken`
    reader.diagnostics.push(anomaly("dangling-parent", {}, what))
  }
  if (Array.isArray(value) && value.length > 1) {
    reader.diagnostics.push(anomaly("missing-context", {}, `The export holds ${value.length} chats: the first is read`))
  }
  for (const message of systemOf(chat)) reader.messages.push(message)
  const seen = options.view === "effective" ? fromLastSummary(path, all.nodes) : path
  for (const index of seen) reader.stored(all.nodes[index], index)
  const origin = originOf(reader.messages)
  const reading: ChatReading = { value, records: all.nodes, path, said: reader.said }
  return {
    format,
    messages: reader.messages,
    native: { "open-webui": reading },
    ...(origin && { origin }),
    ...(options.source !== undefined && { source: options.source }),
    ...(reader.diagnostics.length > 0 && { diagnostics: reader.diagnostics }),
  }
}
