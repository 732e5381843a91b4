/** Anthropic Messages → Transcript. One reader per block type; what no reader knows becomes an opaque block. */
import {
  asWord,
  type Block,
  type ContentBlock,
  isContent,
  isWire,
  type JsonObject,
  type MediaBlock,
  type MediaSource,
  type Message,
  type OpaqueBlock,
  readArgumentsObject,
  readResultContent,
  type Role,
  type TextBlock,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import { isMisnamed, isUnstarted } from "../engine/borrowed-tools.ts"
import { borrowedBlocks, borrowedMessage, readBorrowed, saysElsewhere } from "../engine/borrowed.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { malformedBlock, malformedMessage, ofAnotherApi, previewOf } from "../engine/malformed.ts"
import { hasMalformed, MessageList, originOf } from "../engine/message-list.ts"
import { leftover } from "../engine/unread.ts"
import { roleAlias } from "../engine/wire.ts"

// What is wrong with a block, as far as its shape goes: not of this format, or not of any.

/** What is of this format has a native value, or is a plain text block itself. `wire`: what the block was read from. */
const isBorrowed = (block: Block, wire: unknown): boolean => {
  if (block === wire || !isWire(wire)) return false
  if (block.native === undefined || leftover in block.native) return true
  if (block.type !== "result" || typeof wire["content"] === "string") return false
  const said: readonly unknown[] = Array.isArray(wire["content"]) ? wire["content"] : []
  return block.content.some((inner, index) => isBorrowed(inner, said[index]))
}

/** What a block broke by standing here; most are of the format. */
const reportOf = (block: Block, wire: unknown): typeof malformedMessage | undefined => {
  if (block === wire) return undefined
  if (hasMalformed(block)) return malformedMessage
  if (block.type === "result" && isWire(wire) && wire["content"] === null) return ofAnotherApi
  return isBorrowed(block, wire) ? ofAnotherApi : undefined
}

// What can be the signature of a thinking block. Only Anthropic knows whether it is one; but gateways write what it never is: nothing, the name of
// the field in which another provider gave its reasoning, a time, a redactor's word, the text of a missing value. A request with such a block is refused, so it is read as
// thinking without signature.

const base64 = /^[A-Za-z0-9+/]+={0,2}$/

const digits = /^\d+$/

const placeholder = /^(?:redacted|reasoning|thinking|null|undefined|none|true|false)$/i

/** What is in place of a signature is short, and real ones have thousands of characters: their beginning is enough. */
const looked = 32

export const isSignature = (value: unknown): value is string => {
  if (typeof value !== "string") return false
  const opening = value.length > looked ? value.slice(0, looked) : value
  return base64.test(opening) && !digits.test(opening) && !placeholder.test(opening)
}

// Arguments that a framework left in the pieces of the stream they came in: `input_json_delta` blocks after a call whose own input is still empty.

const isPiece = (block: unknown): block is Wire => isWire(block) && block["type"] === "input_json_delta"

/** The content with each piece in its call; undefined where there are none, or no call they could belong to. */
const joinedPieces = (content: readonly unknown[]): readonly unknown[] | undefined => {
  if (!content.some(isPiece)) return undefined
  const texts = new Map<Wire, string>()
  const open: Wire[] = []
  for (const block of content) {
    if (isWire(block) && block["type"] === "tool_use") open.push(block)
    if (!isPiece(block)) continue
    const { index, input, partial_json: written } = block
    const text = typeof input === "string" ? input : written
    const call = open.findLast((each) => index === undefined || each["index"] === index) ?? open.at(-1)
    if (call === undefined || !isUnstarted(call["input"]) || typeof text !== "string") return undefined
    texts.set(call, (texts.get(call) ?? "") + text)
  }
  return content.flatMap((block): readonly unknown[] => {
    if (isPiece(block)) return []
    if (!isWire(block)) return [block]
    // The number of a block in its stream is no field of a block.
    const { index: _index, ...rest } = block
    const text = texts.get(block) ?? ""
    return [text === "" ? rest : { ...rest, partial_json: text }]
  })
}

const format = "anthropic"

type Reader = (wire: Wire) => Block

/** A block of another API may bring its result along: then there are two. */
type Read = Block | readonly Block[]

/** `{type, text}` and nothing else: the wire value is a text block of the model as it is. */
const isPlainText = (wire: Wire): wire is Wire & TextBlock => {
  if (wire["type"] !== "text" || typeof wire["text"] !== "string") return false
  let fields = 0
  for (const _ in wire) fields++
  return fields === 2
}

const readText = (wire: Wire): Read => {
  if (isPlainText(wire)) return wire
  const { text } = wire
  if (typeof text === "string") return { type: "text", text, native: { anthropic: wire } }
  return borrowed(wire) ?? malformedBlock(format, wire)
}

const readThinking: Reader = (wire) => {
  const { thinking, signature } = wire
  if (thinking !== undefined && typeof thinking !== "string") return malformedBlock(format, wire)
  const text = typeof thinking === "string" ? thinking : ""
  const native = { anthropic: wire }
  if (isSignature(signature)) return { type: "thinking", text, signature, native }
  return { type: "thinking", text, unsigned: true, native }
}

const readRedacted: Reader = (wire) => ({
  type: "thinking",
  text: "",
  ...(typeof wire["data"] === "string" && { signature: wire["data"] }),
  redacted: true,
  native: { anthropic: wire },
})

const readMediaSource = (source: unknown): MediaSource | undefined => {
  if (!isWire(source)) return undefined
  if (source["type"] === "base64" && typeof source["data"] === "string") return { type: "base64", data: source["data"] }
  if (source["type"] === "url" && typeof source["url"] === "string") return { type: "url", url: source["url"] }
  if (source["type"] === "file" && typeof source["file_id"] === "string") return { type: "file", id: source["file_id"] }
  return undefined
}

/** A kind of source we know, which then lacks its bytes; of others we cannot say what they need. */
const isKnownSource = (source: unknown): boolean =>
  !isWire(source) || source["type"] === "base64" || source["type"] === "url" || source["type"] === "file"

const readMedia: Reader = (wire) => {
  const source = readMediaSource(wire["source"])
  if (!source) return isKnownSource(wire["source"]) ? malformedBlock(format, wire) : opaque(wire)
  const mediaType = isWire(wire["source"]) ? wire["source"]["media_type"] : undefined
  const block: MediaBlock = {
    type: "media",
    kind: wire["type"] === "image" ? "image" : "document",
    ...(typeof mediaType === "string" && { mediaType }),
    ...(typeof wire["title"] === "string" && { name: wire["title"] }),
    source,
    native: { anthropic: wire },
  }
  return block
}

const callNames = { id: "id", name: "name", said: "input" }
const resultNames = { id: "tool_use_id", said: "content" }

/** Reasoning of other providers stays whole: agents that keep it among these blocks know what it is. */
const borrowed = (wire: Wire): Read | undefined => {
  const blocks = readBorrowed(wire)
  if (blocks?.[0]?.type === "thinking") return undefined
  return blocks?.length === 1 ? blocks[0] : blocks
}

const readCall = (wire: Wire): Read => {
  const { id, name, input } = wire
  const native = { anthropic: wire }
  if (typeof id === "string" && typeof name === "string" && isWire(input) && wire["partial_json"] === undefined) {
    return { type: "call", id, name, arguments: input as JsonObject, native }
  }
  // Read as a neighbour would write it, so that it is reported and rewritten.
  if (typeof id === "number" || isMisnamed(wire, "call", callNames)) return borrowed(wire) ?? malformedBlock(format, wire)
  const head = { id: typeof id === "string" ? id : "", name: typeof name === "string" ? name : "" }
  return { type: "call", ...head, ...readArgumentsObject(input), native }
}

const readContent = (content: unknown): readonly ContentBlock[] => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  if (!Array.isArray(content)) return content === undefined || content === null ? [] : [malformedBlock(format, content)]
  return content.map((wire): ContentBlock => {
    const block = readBlock(wire)
    // A call, a result or a thought inside of a result is refused: it is said in words.
    return "type" in block && isContent(block) ? block : malformedBlock(format, wire)
  })
}

const bracket = "[".charCodeAt(0)

/** Every mark of ours begins with a bracket: most results are known to carry none by their first character. */
const isPlain = (content: unknown): content is string => typeof content === "string" && content !== "" && content.charCodeAt(0) !== bracket

const readResult = (wire: Wire): Read => {
  const { tool_use_id: id, content: said } = wire
  if (isPlain(said) && typeof id === "string" && wire["is_error"] !== true) {
    return { type: "result", callId: id, content: [{ type: "text", text: said }], native: { anthropic: wire } }
  }
  if (typeof id === "number" || isMisnamed(wire, "result", resultNames)) return borrowed(wire) ?? malformedBlock(format, wire)
  const read = readResultContent(readContent(said), { errorMark: false })
  return {
    type: "result",
    callId: typeof id === "string" ? id : "",
    ...(typeof wire["name"] === "string" && { name: wire["name"] }),
    ...read,
    ...(wire["is_error"] === true && { error: true as const }),
    native: { anthropic: wire },
  }
}

/** What a server tool brought that can be read: pages by title and address, texts, what a program printed. */
const wordsOf = (content: unknown): readonly string[] => {
  if (Array.isArray(content)) return content.flatMap(wordsOf)
  if (!isWire(content)) return typeof content === "string" && content !== "" ? [content] : []
  const { title, url, text, stdout, stderr } = content
  if (typeof title === "string") return [`${title} ${asWord(url ?? "")}`.trim()]
  return [text, stdout, stderr].filter((said): said is string => typeof said === "string" && said !== "")
}

/** A server-side block, for its origin alone; others see a short text in its place. */
const opaque = (wire: Wire): OpaqueBlock => {
  const kind = asWord(wire["type"] ?? "unknown")
  const native = { anthropic: wire }
  if (kind === "server_tool_use" || kind === "mcp_tool_use") {
    const shown = `[${asWord(wire["name"])}: ${previewOf(wire["input"])}]`
    return { type: "opaque", kind, span: asWord(wire["id"]), half: "call", text: shown, native }
  }
  if (kind.endsWith("_tool_result") && typeof wire["tool_use_id"] === "string") {
    const content = wire["content"]
    const words = wordsOf(content)
    const shown = words.length > 0 ? words.join("\n") : previewOf(content)
    return { type: "opaque", kind, span: wire["tool_use_id"], half: "result", text: shown, native }
  }
  const silent = kind === "compaction" || kind === "fallback" || kind === "container_upload"
  return { type: "opaque", kind, text: silent ? "" : previewOf(wire), native }
}

const readers: Readonly<Record<string, Reader>> = {
  thinking: readThinking,
  redacted_thinking: readRedacted,
  image: readMedia,
  document: readMedia,
}

/** One block of content, whatever it is. The recorder reads what a stream added up to with it as well. */
export const readBlock = (wire: unknown): Read => {
  if (!isWire(wire)) return malformedBlock(format, wire)
  const { type } = wire
  // Common types are compared: JSON.parse makes a new string of each `tool_result`, and a table would hash them all.
  if (type === "tool_use") return readCall(wire)
  if (type === "tool_result") return readResult(wire)
  if (type === "text") return readText(wire)
  if (typeof type !== "string") return borrowed(wire) ?? malformedBlock(format, wire)
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined
  return reader ? reader(wire) : (borrowed(wire) ?? opaque(wire))
}

const readList = (content: readonly unknown[]): readonly Block[] => {
  const blocks = content.map(readBlock)
  for (let index = 0; index < blocks.length; index++) if (Array.isArray(blocks[index])) return blocks.flat()
  return blocks as readonly Block[]
}

const readBlocks = (content: unknown): readonly Block[] => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  if (Array.isArray(content)) return readList(content)
  if (isWire(content)) return readList([content])
  return content === undefined || content === null ? [] : [malformedBlock(format, content)]
}

const roles: Readonly<Record<string, Role>> = { user: "user", assistant: "assistant", system: "system", tool: "tool" }

const nothing: readonly unknown[] = []

/** A message that does not say who speaks in our words: another name for it does, or its blocks, where they are of this format. */
const withoutRole = (wire: unknown): Message => {
  const named = isWire(wire) ? wire["role"] : undefined
  const known = roleAlias(named)
  if (isWire(wire) && known !== undefined && !saysElsewhere(wire)) {
    return { role: known, blocks: borrowedBlocks(wire, readBlocks) ?? readBlocks(wire["content"]) }
  }
  const borrowed = borrowedMessage(wire)
  if (borrowed) return borrowed
  const content = isWire(wire) && named === undefined ? wire["content"] : undefined
  const said = Array.isArray(content) ? (joinedPieces(content) ?? content) : content
  const blocks = Array.isArray(said) || typeof said === "string" ? readBlocks(said) : []
  if (blocks.length === 0 || blocks.some(hasMalformed)) return { role: "user", blocks: [malformedBlock(format, wire)] }
  const assistant = blocks.some((block) => block.type === "call" || block.type === "thinking")
  return { role: assistant ? "assistant" : "user", blocks }
}

const roleOf = (role: unknown): Role | undefined => (typeof role === "string" && Object.hasOwn(roles, role) ? roles[role] : undefined)

const withBlock = (message: Message, position: number, block: Block): Message => ({
  ...message,
  blocks: message.blocks.map((each, index) => (index === position ? block : each)),
})

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const body: Wire = isWire(value) ? value : { messages: value }
  const list = Array.isArray(body["messages"]) ? (body["messages"] as readonly unknown[]) : []
  const read = new MessageList(format, "messages", options)
  const system = body["system"]
  const prompt = system === undefined || system === null ? [] : readBlocks(system)
  if (prompt.length > 0) read.add({ role: "system", blocks: prompt, native: { anthropic: { system } } })
  for (let index = 0; index < list.length; index++) {
    const wire = list[index]
    read.at(index)
    const role = isWire(wire) ? roleOf(wire["role"]) : undefined
    if (!isWire(wire) || role === undefined) {
      read.malformed("Expected a message with role user or assistant")
      read.add(withoutRole(wire))
      continue
    }
    const { content } = wire
    if (role === "tool") read.ofAnotherApi('The role "tool" is not of this format, expected user')
    const mixed = wire["tool_calls"] !== undefined || wire["tool_call_id"] !== undefined
    const elsewhere = content === undefined && saysElsewhere(wire)
    const borrowed = elsewhere ? borrowedMessage(wire)?.blocks : mixed ? borrowedBlocks(wire, readBlocks) : undefined
    const joined = role === "assistant" && !borrowed && Array.isArray(content) ? joinedPieces(content) : undefined
    let message: Message = borrowed
      ? { role, blocks: borrowed }
      : joined
        ? { role, blocks: readList(joined) }
        : { role, blocks: readBlocks(content), native: { anthropic: wire } }
    if (borrowed) read.ofAnotherApi("The message says its calls or its result as another API does")
    else if (joined) read.ofAnotherApi("Arguments are here in the pieces of a stream", ".content")
    else if (isWire(content)) read.ofAnotherApi("Expected a list of blocks, got one block", ".content")
    const given: readonly unknown[] = !borrowed && !joined && Array.isArray(content) ? content : nothing
    const said = given.length === message.blocks.length ? given : nothing
    if (given.length !== said.length) read.ofAnotherApi("Expected one block, got a call together with its result", ".content")
    for (let position = 0; position < message.blocks.length; position++) {
      const block = message.blocks[position] as Block
      const unplaced = role === "assistant" && block.type === "opaque" && (block.kind === "image" || block.kind === "document")
      const report = unplaced ? malformedMessage : reportOf(block, said[position])
      if (!report) continue
      const what = unplaced ? `Expected a ${block.kind} in a user message only` : "Expected a content block"
      read.diagnostics.push(report(read.place(`.content[${position}]`, position), what))
      if (unplaced) message = withBlock(message, position, malformedBlock(format, block.native[format]))
    }
    read.add(wire["stop_reason"] === "pause_turn" ? { ...message, paused: true } : message)
  }
  return read.transcript(value, { origin: originOf("anthropic", body["model"]) })
}
