/** Slots → blocks, each with the wire value that an answer in one piece would have had, read as the codec reads it. */
import {
  type Block,
  type CallBlock,
  isWire,
  type MediaSource,
  type OpaqueBlock,
  parseJson,
  readArgumentsObject,
  type TextBlock,
  type Wire,
} from "../../model/index.ts"
import { cutArguments } from "../arguments.ts"
import type { Slot, SlotKind } from "../draft.ts"
import { previewOf, stringOf } from "../fields.ts"
import type { AnthropicState } from "./reader.ts"

const kinds: ReadonlyMap<unknown, SlotKind> = new Map([
  ["text", "text"],
  ["thinking", "thinking"],
  ["redacted_thinking", "thinking"],
  ["tool_use", "call"],
  ["image", "media"],
  ["document", "media"],
] as const)

export const kindOfBlock = (wire: Wire): SlotKind => kinds.get(wire["type"]) ?? "opaque"

const buildText = (fields: Wire, text: string): TextBlock => {
  const wire = { ...fields, type: "text", text } as const
  return Object.keys(wire).length === 2 ? wire : { type: "text", text, native: { anthropic: wire } }
}

const buildThinking = (fields: Wire, text: string): Block => {
  if (fields["type"] === "redacted_thinking") {
    const signature = typeof fields["data"] === "string" && { signature: fields["data"] }
    return { type: "thinking", text: "", ...signature, redacted: true, native: { anthropic: fields } }
  }
  const signature = stringOf(fields["signature"])
  const native = { anthropic: { ...fields, thinking: text, signature } }
  if (signature !== "") return { type: "thinking", text, signature, native }
  return { type: "thinking", text, unsigned: true, native }
}

/** The input as the deltas say it; without any, as the start of the block says it. */
const inputOf = (fields: Wire, raw: string): unknown => (raw === "" ? fields["input"] : (parseJson(raw) ?? raw))

const buildCall = (fields: Wire, raw: string, whole: boolean): CallBlock => {
  const head = { type: "call", id: stringOf(fields["id"]), name: stringOf(fields["name"]) } as const
  if (!whole) return { ...head, ...cutArguments(raw), native: { anthropic: { ...fields, input: raw } } }
  const input = inputOf(fields, raw)
  return { ...head, ...readArgumentsObject(input), native: { anthropic: { ...fields, input } } }
}

const sourceOf = (source: unknown): MediaSource | undefined => {
  if (!isWire(source)) return undefined
  const { type, data, url, file_id: id } = source
  if (type === "base64" && typeof data === "string") return { type, data }
  if (type === "url" && typeof url === "string") return { type, url }
  return type === "file" && typeof id === "string" ? { type, id } : undefined
}

const buildMedia = (fields: Wire): Block => {
  const source = sourceOf(fields["source"])
  if (!source) return buildOpaque(fields)
  const mediaType = isWire(fields["source"]) ? fields["source"]["media_type"] : undefined
  return {
    type: "media",
    kind: fields["type"] === "image" ? "image" : "document",
    ...(typeof mediaType === "string" && { mediaType }),
    ...(typeof fields["title"] === "string" && { name: fields["title"] }),
    source,
    native: { anthropic: fields },
  }
}

const titleOf = (value: unknown): readonly string[] =>
  isWire(value) && typeof value["title"] === "string" ? [`${value["title"]} ${String(value["url"] ?? "")}`.trim()] : []

const buildOpaque = (wire: Wire): OpaqueBlock => {
  const kind = String(wire["type"] ?? "unknown")
  const native = { anthropic: wire }
  if (kind === "server_tool_use" || kind === "mcp_tool_use") {
    const text = `[${String(wire["name"])}: ${previewOf(wire["input"])}]`
    return { type: "opaque", kind, span: String(wire["id"]), half: "call", text, native }
  }
  if (kind.endsWith("_tool_result") && typeof wire["tool_use_id"] === "string") {
    const titles = Array.isArray(wire["content"]) ? wire["content"].flatMap(titleOf) : []
    const text = titles.length > 0 ? titles.join("\n") : previewOf(wire["content"])
    return { type: "opaque", kind, span: wire["tool_use_id"], half: "result", text, native }
  }
  const silent = kind === "compaction" || kind === "fallback" || kind === "container_upload"
  return { type: "opaque", kind, text: silent ? "" : previewOf(wire), native }
}

/** What deltas of a server-side block carry: the input of a tool, or the text of a compaction. */
const withDeltas = (fields: Wire, raw: string): Wire => {
  if (raw === "") return { ...fields }
  return fields["type"] === "compaction" ? { ...fields, content: raw } : { ...fields, input: inputOf(fields, raw) }
}

export const buildBlock = (slot: Slot<AnthropicState>, whole: boolean): Block => {
  const { fields } = slot.state
  const raw = slot.pieces.text
  switch (slot.kind) {
    case "text":
      return buildText(fields, raw)
    case "thinking":
      return buildThinking({ ...fields }, raw)
    case "call":
      return buildCall(fields, raw, whole)
    case "media":
      return buildMedia({ ...fields })
    case "opaque":
      return buildOpaque(withDeltas(fields, raw))
  }
}
