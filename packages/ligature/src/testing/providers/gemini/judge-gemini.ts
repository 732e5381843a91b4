/**
 * Judges a request body for Gemini `generateContent`. The model is in the URL there, so it comes as an option.
 */
import {
  geminiError,
  isArray,
  isObject,
  type Judge,
  type JudgeOptions,
  modelOf,
  unknownKey,
  verdictOf,
  type Violation,
  type WireObject,
} from "../verdict.ts"
import { type MediaDemands, type MediaPart, mediaViolation } from "../media/judge-media.ts"
import { bodyFields, callOf, contentFields, partViolation, responseOf, signatureOf, unknownName } from "./parts.ts"

/** Inline files in Gemini requests: among the parts of a content, and inside function responses. */
function partOf(part: unknown, place: () => string): MediaPart | undefined {
  const blob = isObject(part) ? (part["inlineData"] ?? part["inline_data"]) : undefined
  if (!isObject(blob)) return undefined
  const declared = blob["mimeType"] ?? blob["mime_type"]
  const { data } = blob
  if (typeof declared !== "string" || typeof data !== "string") return undefined
  if (declared.startsWith("image/")) return { kind: "image", place: `${place()}.inline_data`, declared, data }
  return declared === "application/pdf" ? { kind: "document", place: `${place()}.inline_data`, declared, data } : undefined
}

function partsOf(contents: readonly WireObject[]): readonly MediaPart[] {
  const found: MediaPart[] = []
  contents.forEach(({ parts }, index) => {
    if (!isArray(parts)) return
    parts.forEach((each, at) => {
      const place = (): string => `contents[${index}].parts[${at}]`
      const part = partOf(each, place)
      if (part !== undefined) found.push(part)
      const response = isObject(each) ? responseOf(each) : undefined
      const inner = isObject(response) ? response["parts"] : undefined
      if (!isArray(inner)) return
      inner.forEach((held, number) => {
        const media = partOf(held, () => `${place()}.function_response.parts[${number}]`)
        if (media !== undefined) found.push(media)
      })
    })
  })
  return found
}

const refuse: MediaDemands["refuse"] = (fault, { place, kind }) => {
  switch (fault.what) {
    case "empty":
    case "address":
    case "not-base64":
      return {
        rule: "gemini-media-data",
        message: `Invalid value at '${place}.data' (TYPE_BYTES), Base64 decoding failed for "…"`,
      }
    case "unreadable":
    case "encrypted":
      return {
        rule: "gemini-media-data",
        message:
          kind === "image"
            ? "Unable to process input image. Please retry or report in " + "https://developers.generativeai.google/guide/troubleshooting"
            : "Unable to process input image. The document has no pages.",
      }
    case "type":
    case "declared":
      return { rule: "gemini-media-type", message: `Unsupported MIME type: ${fault.actual}` }
    case "pages":
      return {
        rule: "gemini-request-size",
        message: `The document contains ${fault.actual} pages which exceeds the supported page limit of ${fault.limit}.`,
      }
    default:
      return { rule: "gemini-request-size", message: `Request payload size exceeds the limit: ${fault.limit} bytes.` }
  }
}

const demands: MediaDemands = {
  types: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"],
  documentTypes: ["application/pdf"],
  pages: 1000,
  images: 3000,
  requestBytes: 20_000_000,
  refuse,
}

function geminiMediaViolation(contents: readonly WireObject[], body: unknown): Violation | undefined {
  return mediaViolation(partsOf(contents), body, demands)
}

// Thought signatures: Gemini 3 and later want one on the first call of every step of the current turn. The current turn
// starts after the last content in which the user really spoke. Whether a signature is genuine cannot be seen; the
// published stand-ins are as good as any.

function wantsSignatures(model: string | undefined): boolean {
  return model !== undefined && /gemini-([3-9]|\d\d)/.test(model)
}

function signaturesViolation(contents: readonly WireObject[]): Violation | undefined {
  let start = contents.length - 1
  while (start >= 0 && !isSpoken(contents[start])) start -= 1
  for (let index = start + 1; index < contents.length; index++) {
    const parts = contents[index]?.["parts"]
    if (!isArray(parts)) continue
    const first = parts.find((part) => isObject(part) && isObject(callOf(part)))
    if (!isObject(first)) continue
    const signature = signatureOf(first)
    if (typeof signature === "string" && signature !== "") continue
    const call = callOf(first)
    return {
      rule: "gemini-thought-signature-missing",
      message:
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work " +
        "correctly, and missing thought_signature may lead to degraded model performance. Additional data, function " +
        `call \`default_api:${String(isObject(call) ? call["name"] : "")}\`, position ${index}.`,
    }
  }
  return undefined
}

function isSpoken(content: WireObject | undefined): boolean {
  if (content === undefined || roleOf(content) !== "user" || !isArray(content["parts"])) return false
  return !content["parts"].some((part) => isObject(part) && isObject(responseOf(part)))
}

// The order of Gemini contents: user and model by turns, a call turn right after a user turn, and right after it one
// content with exactly as many responses as it has calls.
//
// A user content may follow a response content although both have the role user: what the user says after the results
// has no other place.

interface Turn {
  readonly role: string
  readonly calls: readonly WireObject[]
  readonly responses: number
}

const nothing: readonly WireObject[] = []

function turnsViolation(contents: readonly WireObject[], openTip: boolean): Violation | undefined {
  let previous: Turn | undefined
  for (let index = 0; index < contents.length; index++) {
    const content = contents[index]
    if (content === undefined) continue
    const parts = isArray(content["parts"]) ? (content["parts"] as readonly WireObject[]) : nothing
    const turn: Turn = { role: roleOf(content), calls: select(parts, callOf), responses: count(parts) }
    const found = neighbourViolation(previous, turn) ?? responsesViolation(previous, turn, parts, index)
    if (found !== undefined) return found
    previous = turn
  }
  if (previous?.role !== "model" || (openTip && previous.calls.length > 0)) return undefined
  return {
    rule: "gemini-ends-with-user",
    message:
      contents.length === 1
        ? "Please ensure that single turn requests end with a user role or the role field is empty."
        : "Please ensure that multiturn requests ends with a user role or a function response.",
  }
}

/** An absent role means user. */
function roleOf(content: WireObject): string {
  const role = content["role"]
  return role === undefined || role === null || role === "" ? "user" : String(role)
}

function select(parts: readonly WireObject[], read: (part: WireObject) => unknown): readonly WireObject[] {
  let found: WireObject[] | undefined
  for (const part of parts) {
    const value = read(part)
    if (isObject(value)) (found ??= []).push(value)
  }
  return found ?? nothing
}

function count(parts: readonly WireObject[]): number {
  let responses = 0
  for (const part of parts) if (isObject(responseOf(part))) responses += 1
  return responses
}

function neighbourViolation(previous: Turn | undefined, turn: Turn): Violation | undefined {
  if (turn.calls.length > 0 && previous?.role !== "user") {
    return {
      rule: "gemini-call-after-user",
      message: "Please ensure that function call turn comes immediately after a user turn or after a function response " + "turn.",
    }
  }
  if (previous === undefined) {
    return turn.role === "user"
      ? undefined
      : {
          rule: "gemini-starts-with-user",
          message: "Please ensure that multiturn requests start with a user turn.",
        }
  }
  const followsResults = turn.role === "user" && previous.responses > 0 && turn.responses === 0
  if (previous.role !== turn.role || followsResults || turn.responses > 0) return undefined
  return {
    rule: "gemini-alternation",
    message: "Please ensure that multiturn requests alternate between user and model.",
  }
}

function responsesViolation(previous: Turn | undefined, turn: Turn, parts: readonly WireObject[], index: number): Violation | undefined {
  const calls = previous?.calls ?? nothing
  if (calls.length === 0) {
    return turn.responses === 0
      ? undefined
      : {
          rule: "gemini-response-after-call",
          message: "Please ensure that function response turn comes immediately after a function call turn.",
        }
  }
  if (turn.responses !== calls.length) {
    return {
      rule: "gemini-call-response-count",
      message:
        "Please ensure that the number of function response parts is equal to the number of function call parts " +
        "of the function call turn.",
    }
  }
  return matchViolation(calls, parts, index)
}

/** Responses are matched by id where the calls have ids, and by name otherwise; each call is answered once. */
function matchViolation(calls: readonly WireObject[], parts: readonly WireObject[], content: number): Violation | undefined {
  const open = new Map<string, string[]>()
  for (const call of calls) {
    const key = keyOf(call)
    const names = open.get(key)
    if (names === undefined) open.set(key, [String(call["name"])])
    else names.push(String(call["name"]))
  }
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]
    const response = part === undefined ? undefined : responseOf(part)
    if (!isObject(response)) continue
    const names = open.get(keyOf(response))
    const name = names?.pop()
    if (name === undefined && typeof response["id"] === "string") {
      return {
        rule: "gemini-id-match",
        message:
          `contents[${content}].parts[${index}].function_response.id: functionResponse.id ` +
          `'${response["id"]}' does not match functionCall.id`,
      }
    }
    if (name !== response["name"]) return mismatch(response, open, content, index)
  }
  return undefined
}

function keyOf({ id, name }: WireObject): string {
  return typeof id === "string" && id !== "" ? `id ${id}` : `name ${String(name)}`
}

function mismatch(response: WireObject, open: ReadonlyMap<string, readonly string[]>, content: number, index: number): Violation {
  const place = `contents[${content}].parts[${index}].function_response`
  const hasIds = [...open].some(([key, names]) => key.startsWith("id ") && names.includes(String(response["name"])))
  if (hasIds && typeof response["id"] !== "string") {
    return { rule: "gemini-id-match", message: `${place}.id: functionResponse.id '' does not match functionCall.id` }
  }
  return {
    rule: "gemini-response-name",
    message:
      `* GenerateContentRequest.${place}.name: [REQUIRED] '${String(response["name"])}' is not the name of an ` +
      "unanswered function call of the previous turn.",
  }
}

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
  return (
    instructionViolation(body["systemInstruction"] ?? body["system_instruction"]) ??
    geminiMediaViolation(contents as readonly WireObject[], body) ??
    turnsViolation(contents as readonly WireObject[], options?.tip === "open") ??
    (isNew ? signaturesViolation(contents as readonly WireObject[]) : undefined) ??
    (model !== undefined && !isNew ? jsonModeViolation(body) : undefined)
  )
}

/** Before Gemini 3, a reply could not be both JSON and a function call. */
function jsonModeViolation(body: WireObject): Violation | undefined {
  const config = body["generationConfig"] ?? body["generation_config"]
  const type = isObject(config) ? (config["responseMimeType"] ?? config["response_mime_type"]) : undefined
  const tools = body["tools"]
  const declares =
    isArray(tools) && tools.some((tool) => isObject(tool) && (tool["functionDeclarations"] ?? tool["function_declarations"]) !== undefined)
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
  if (isArray(parts) && parts.every((part) => isObject(part) && typeof part["text"] === "string")) return undefined
  return {
    rule: "gemini-shape",
    message: "Invalid value at 'system_instruction' (Content): only text parts are allowed",
  }
}
