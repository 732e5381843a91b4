/** Fields Converse knows: its clients reject every other one. Values are returned untouched when clean. */
import { isWire, type Wire } from "../../model/index.ts"
import type { OpaquePlace, TakesBack } from "../../rules/index.ts"
import { mapList, pickFields } from "../engine/allow-list.ts"

const messageFields = ["role", "content"]

const blockFields = [
  "text",
  "image",
  "document",
  "video",
  "audio",
  "toolUse",
  "toolResult",
  "reasoningContent",
  "cachePoint",
  "guardContent",
  "citationsContent",
  "searchResult",
  "toolAddition",
  "toolRemoval",
  "json",
]

/** What is inside the blocks whose shape is ours to write. */
const innerFields: ReadonlyMap<string, readonly string[]> = new Map([
  ["toolUse", ["toolUseId", "name", "input", "type"]],
  ["toolResult", ["toolUseId", "content", "status", "type"]],
  ["image", ["format", "source", "error"]],
  ["document", ["format", "name", "source", "context", "citations"]],
  ["video", ["format", "source"]],
  ["audio", ["format", "source", "error"]],
])

/** A block of a kind newer than this list is kept: its one key is what it is. */
const block = (wire: unknown): unknown => {
  if (!isWire(wire)) return wire
  let cleaned = Object.keys(wire).some((key) => blockFields.includes(key)) ? pickFields(wire, blockFields) : wire
  for (const key in cleaned) {
    const fields = innerFields.get(key)
    const held = cleaned[key]
    if (!fields || !isWire(held)) continue
    const picked = key === "toolResult" ? mapList(pickFields(held, fields), "content", block) : pickFields(held, fields)
    if (picked !== held) cleaned = { ...cleaned, [key]: picked }
  }
  return cleaned
}

const bodyFields = [
  "messages",
  "system",
  "toolConfig",
  "inferenceConfig",
  "guardrailConfig",
  "additionalModelRequestFields",
  "promptVariables",
  "additionalModelResponseFieldPaths",
  "requestMetadata",
  "performanceConfig",
  "serviceTier",
  "outputConfig",
  "modelId",
  "model",
]

const userOnly: ReadonlySet<OpaquePlace> = new Set(["user"])
const inMessages: ReadonlySet<OpaquePlace> = new Set(["user", "assistant"])
const anywhereButResults: ReadonlySet<OpaquePlace> = new Set(["system", "user", "assistant"])
const ofUser: ReadonlySet<OpaquePlace> = new Set(["user", "result", "failed-result"])

/** Where Converse takes blocks that only it understands. */
const places: ReadonlyMap<string, ReadonlySet<OpaquePlace>> = new Map([
  ["image", ofUser],
  ["document", ofUser],
  ["video", ofUser],
  ["audio", inMessages],
  ["searchResult", new Set(["user", "assistant", "result", "failed-result"])],
  ["cachePoint", anywhereButResults],
  ["guardContent", anywhereButResults],
  ["citationsContent", inMessages],
  ["toolAddition", inMessages],
  ["toolRemoval", inMessages],
  ["toolUse", new Set(["assistant"])],
  ["toolResult", userOnly],
] as const)

const idPattern = /^[a-zA-Z0-9_-]{1,64}$/

const isId = (value: unknown): boolean => typeof value === "string" && idPattern.test(value)

export const takesBack: TakesBack = ({ kind, native }, place) => {
  const wire = native["bedrock-converse"]
  const held = isWire(wire) ? wire[kind] : undefined
  if (!isWire(held) || places.get(kind)?.has(place) !== true) return false
  if (kind === "document") return typeof held["name"] === "string"
  if (kind === "toolUse") return isId(held["toolUseId"]) && isId(held["name"]) && isWire(held["input"])
  return kind !== "toolResult" || (isId(held["toolUseId"]) && Array.isArray(held["content"]))
}

export const allowed = {
  message: (wire: Wire): Wire => mapList(pickFields(wire, messageFields), "content", block),
  body: (wire: Wire): Wire => pickFields(wire, bodyFields),
}
