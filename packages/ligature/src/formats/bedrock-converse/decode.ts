/** Bedrock Converse → Transcript. */
import { type Block, type Diagnostic, isWire, type Place, pushAll, type Transcript, type Wire } from "../../model/index.ts"
import { borrowedBlocks, borrowedMessage, saysElsewhere } from "../engine/borrowed.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { malformedMessage } from "../engine/malformed.ts"
import { MessageList, misshapen, originOf } from "../engine/message-list.ts"
import { asList, usualRoles } from "../engine/wire.ts"
import { format, readBlocks } from "./read-blocks.ts"

/** The name of a document, whether it was read as media or as text. */
const documentName = (block: Block): string | undefined => {
  const wire = block.type === "media" || block.type === "opaque" ? block.native?.[format] : undefined
  const held = isWire(wire) ? wire["document"] : undefined
  return isWire(held) && typeof held["name"] === "string" ? held["name"] : undefined
}

const isJson = (block: Block): boolean => {
  const wire = block.type === "text" ? block.native?.[format] : undefined
  return isWire(wire) && "json" in wire
}

/** What the encoder will write otherwise than it is in this list of blocks. `names`: of the documents so far. */
const bent = (content: unknown, blocks: readonly Block[], place: Place, names: Set<string>, inResult = false): readonly Diagnostic[] => {
  const found: Diagnostic[] = []
  const isBorrowed = (block: Block): boolean => block.type !== "opaque" && block.native?.[format] === undefined
  if (typeof content === "string") found.push(misshapen(place, "Expected a list of blocks, got a string"))
  else if (blocks.some(isBorrowed)) found.push(misshapen(place, "Expected a block, got one of another API"))
  else if (Array.isArray(content) && content.length !== blocks.length) {
    found.push(misshapen(place, "Expected one key in a block, got several"))
  }
  if (!inResult && blocks.some(isJson)) found.push(misshapen(place, "Expected JSON in a result only", "written as text"))
  for (const block of blocks) {
    const name = documentName(block)
    if (name !== undefined && names.has(name)) {
      found.push(misshapen(place, `Expected document names to be unique, got ${name} again`, "gave it another name"))
    }
    if (name !== undefined) names.add(name)
    if (block.type === "opaque" && block.kind === "malformed") {
      found.push(malformedMessage(place, "Expected a block: an object with one key that says what it is"))
    } else if (block.type === "result" && !isBorrowed(block)) {
      const wire = block.native?.[format]
      const held = isWire(wire) ? wire["toolResult"] : undefined
      const inner = isWire(held) ? held["content"] : undefined
      if (!Array.isArray(inner)) found.push(misshapen(place, `Expected a list as content of result ${block.callId}`))
      else pushAll(found, bent(inner, block.content, place, names, true))
    }
  }
  return found
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const body: Wire = isWire(value) ? value : { messages: value }
  const list = asList(body["messages"])
  const read = new MessageList(format, "messages", options)
  const names = new Set<string>()
  const system = body["system"]
  if (system !== undefined && system !== null) {
    const blocks = readBlocks(system)
    pushAll(read.diagnostics, bent(system, blocks, { message: 0, path: "system" }, names))
    if (blocks.length > 0) read.add({ role: "system", blocks, native: { [format]: { system } } })
  }
  for (let index = 0; index < list.length; index++) {
    const wire = list[index]
    read.at(index)
    const role = isWire(wire) ? usualRoles.get(wire["role"]) : undefined
    const place = read.place()
    const elsewhere = isWire(wire) && (role === undefined || saysElsewhere(wire))
    const said = elsewhere ? borrowedMessage(wire) : undefined
    const calls = isWire(wire) && role !== undefined && !said ? borrowedBlocks(wire, readBlocks) : undefined
    const borrowed = said ?? (calls && role && { role, blocks: calls })
    if (borrowed) {
      read.diagnostics.push(misshapen(place, "Expected a message, got one of another API", "written as a message"))
      read.add(borrowed)
      continue
    }
    if (!isWire(wire) || role === undefined) {
      read.addMalformed(wire, "Expected a message with role user or assistant")
      continue
    }
    const blocks = readBlocks(wire["content"])
    if (read.messages.at(-1)?.role === role) {
      read.diagnostics.push(misshapen(place, `Expected roles to alternate, got ${role} twice`, "joined with the one before"))
    }
    pushAll(read.diagnostics, bent(wire["content"], blocks, place, names))
    read.add({ role, blocks, native: { [format]: wire } })
  }
  return read.transcript(value, { origin: originOf(format, body["modelId"]) })
}
