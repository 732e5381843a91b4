/**
 * Judges a request body for Gemini `generateContent`. The model stands in the URL there, so it comes as an option.
 */
import { geminiError } from "../error-bodies.ts"
import { type Judge, type JudgeOptions, type Violation, modelOf, verdictOf } from "../verdict.ts"
import { type WireObject, isArray, isObject, unknownKey } from "../wire.ts"
import { bodyFields, contentFields } from "./fields.ts"
import { geminiMediaViolation } from "./media.ts"
import { partViolation, unknownName } from "./parts.ts"
import { signaturesViolation, wantsSignatures } from "./signatures.ts"
import { roleOf, turnsViolation } from "./turns.ts"

export const judgeGemini: Judge = (body, options) => verdictOf(geminiViolation(body, options), geminiError)

function geminiViolation(body: unknown, options: JudgeOptions | undefined): Violation | undefined {
  if (!isObject(body)) return { rule: "gemini-shape", message: "Invalid JSON payload received. Expected an object." }
  const extra = unknownKey(body, bodyFields)
  if (extra !== undefined) return unknownName(extra, "")
  const contents = body["contents"]
  if (!isArray(contents) || contents.length === 0) {
    return {
      rule: "gemini-empty-parts",
      message: "* GenerateContentRequest.contents: contents is not specified",
    }
  }
  const model = modelOf(body, options)
  const isNew = wantsSignatures(model)
  for (let index = 0; index < contents.length; index++) {
    const found = contentViolation(contents[index], index, model === undefined || isNew)
    if (found !== undefined) return found
  }
  return instructionViolation(body["systemInstruction"] ?? body["system_instruction"])
    ?? geminiMediaViolation(contents as readonly WireObject[], body)
    ?? turnsViolation(contents as readonly WireObject[], options?.tip === "open")
    ?? (isNew ? signaturesViolation(contents as readonly WireObject[]) : undefined)
    ?? (model !== undefined && !isNew ? jsonModeViolation(body) : undefined)
}

/** Before Gemini 3, a reply could not be both JSON and a function call. */
function jsonModeViolation(body: WireObject): Violation | undefined {
  const config = body["generationConfig"] ?? body["generation_config"]
  const type = isObject(config) ? config["responseMimeType"] ?? config["response_mime_type"] : undefined
  const tools = body["tools"]
  const declares = isArray(tools) && tools.some(tool =>
    isObject(tool) && (tool["functionDeclarations"] ?? tool["function_declarations"]) !== undefined)
  if (type !== "application/json" || !declares) return undefined
  return {
    rule: "gemini-json-mode-with-tools",
    message: "Function calling with a response mime type: 'application/json' is unsupported",
  }
}

function contentViolation(content: unknown, index: number, takesMedia: boolean): Violation | undefined {
  if (!isObject(content)) return { rule: "gemini-shape", message: `Invalid value at 'contents[${index}]' (Content)` }
  const extra = unknownKey(content, contentFields)
  if (extra !== undefined) return unknownName(extra, `contents[${index}]`)
  const role = roleOf(content)
  if (role !== "user" && role !== "model") {
    return { rule: "gemini-role", message: "Please use a valid role: user, model." }
  }
  const parts = content["parts"]
  if (!isArray(parts) || parts.length === 0) {
    return {
      rule: "gemini-empty-parts",
      message: `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`,
    }
  }
  for (let part = 0; part < parts.length; part++) {
    const found = partViolation(parts[part], role, index, part, takesMedia)
    if (found !== undefined) return found
  }
  return undefined
}

function instructionViolation(instruction: unknown): Violation | undefined {
  if (instruction === undefined || instruction === null) return undefined
  const parts = isObject(instruction) ? instruction["parts"] : undefined
  if (isArray(parts) && parts.every(part => isObject(part) && typeof part["text"] === "string")) return undefined
  return {
    rule: "gemini-shape",
    message: "Invalid value at 'system_instruction' (Content): only text parts are allowed",
  }
}
