/** OpenAI Chat Completions: requests and message lists, also of the many servers that speak it. */
import { phrase, type Wire } from "../../model/index.ts"
import { type Codec, declareHomes, type Feature, type WireReason } from "../engine/codec.ts"
import { defineCodec } from "../engine/known-codecs.ts"
import { listsTools, stubDescription, stubSchema } from "../engine/tools.ts"
import { inShort, type WireDifference } from "../engine/wire-difference.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { reasoningFields } from "./fields.ts"

/** What Chat Completions can express. Servers that imitate it know `reasoning_content`; nobody has an error flag. */
const capabilities = declareHomes({
  native: [
    "parallel-calls",
    "call-grouping",
    "raw-arguments",
    "free-text-call",
    "call-id",
    "refusal",
    "audio",
    "system-in-the-middle",
    "speaker-name",
  ],
  convention: ["result-error", "result-image", "result-document", "empty-result", "thinking", "citations"],
})

// What a wire message says beyond the model: a refusal that is one, and citations.

const nothing: readonly Feature[] = []

const extras = ({ refusal, annotations }: Wire): readonly Feature[] => {
  const cited = Array.isArray(annotations) && annotations.length > 0
  if (!refusal && !cited) return nothing
  return cited ? (refusal ? ["refusal", "citations"] : ["citations"]) : ["refusal"]
}

// Why a server of this family wants a message written differently.

const isReasoning = (field: string): boolean => (reasoningFields as readonly string[]).includes(field)

const isSilent = (content: unknown): boolean => content === null || content === undefined || content === ""

const removedReasoning = (fields: readonly string[], before: Wire): WireReason => {
  const named = fields.map((field) => `\`${field}\` (${inShort(before[field])})`).join(", ")
  return {
    rule: "thinking-forbidden",
    what: phrase`takes no ${named} in a message; it would be left out`,
    repair: phrase`left out ${fields.join(", ")}`,
  }
}

/** A field of the message itself that is missing or would be sent with another value. */
const changedField = (field: string, before: unknown, after: unknown): WireReason | undefined => {
  if (isReasoning(field)) {
    const what = phrase`requires \`${field}\` in this message; ${inShort(after)} would be sent`
    return { rule: "thinking-required", what, repair: phrase`wrote ${field}` }
  }
  if (field !== "content") return undefined
  if (isSilent(before)) {
    const given = before === undefined ? "a message without `content`" : `\`content\`: ${inShort(before)}`
    return {
      rule: "call-content",
      what: phrase`would reject ${given} here; ${inShort(after)} would be sent`,
      repair: phrase`wrote ${inShort(after)} as content`,
    }
  }
  if (!Array.isArray(before) || typeof after !== "string") return undefined
  const what = phrase`takes \`content\` as one text, not as a list of ${before.length} parts; ${inShort(after)} would be sent`
  return { rule: "content-string", what, repair: "joined the parts of the content to one text" }
}

/** Servers with an API of their own take arguments as an object. */
const changedArguments = (before: unknown, after: unknown): WireReason | undefined => {
  if (typeof before !== "string" || typeof after !== "object") return undefined
  const what = phrase`takes the \`arguments\` of a tool call as an object, not as JSON text; ${inShort(before)} would be sent as ${inShort(after)}`
  return { rule: "wire-shape", what, repair: "wrote the arguments as an object" }
}

const explain = (difference: WireDifference, path: string): WireReason | undefined => {
  switch (difference.type) {
    case "removed":
      return difference.path === path && difference.fields.every(isReasoning)
        ? removedReasoning(difference.fields, difference.before)
        : undefined
    case "added":
      return difference.path === path ? changedField(difference.field, undefined, difference.after) : undefined
    case "changed":
      return difference.path.endsWith(".function.arguments")
        ? changedArguments(difference.before, difference.after)
        : changedField(difference.path.slice(path.length + 1), difference.before, difference.after)
  }
}

export const openaiChat: Codec = defineCodec({
  format: "openai-chat",
  title: "OpenAI Chat Completions",
  capabilities,
  decode,
  encode,
  explain,
  extras,
  declareTools: (request, names) => {
    if (listsTools(request["tools"])) return undefined
    const tools = names.map((name) => ({ type: "function", function: { name, description: stubDescription, parameters: stubSchema } }))
    return { ...request, tools }
  },
})
