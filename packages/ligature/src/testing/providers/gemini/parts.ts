/**
 * The shape of one Gemini part: one data field, known names, objects where objects belong.
 */
import { isArray, isObject, unknownKey, type Violation, type WireObject } from "../verdict.ts"

// Field names of a Gemini request. The API reads both spellings of a name (`functionCall`, `function_call`), so every
// table holds both and every look-up asks for both.

function spellings(...names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => [name, snake(name)]))
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

export const bodyFields = spellings(
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "safetySettings",
  "generationConfig",
  "cachedContent",
  "model",
  "labels",
  "store",
  "serviceTier",
)

export const contentFields = spellings("role", "parts")

const dataNames = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
] as const

/** Every spelling of a data field with its camel-case name; a part sets exactly one. */
const dataFields: ReadonlyMap<string, string> = new Map(
  dataNames.flatMap(
    (name) =>
      [
        [name, name],
        [snake(name), name],
      ] as const,
  ),
)

const partFields: ReadonlySet<string> = new Set([
  ...dataFields.keys(),
  ...spellings("thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"),
])

const callFields = spellings("id", "name", "args", "partialArgs", "willContinue")
const responseFields = spellings("id", "name", "response", "parts", "willContinue", "scheduling")

export function callOf(part: WireObject): unknown {
  return part["functionCall"] ?? part["function_call"]
}

export function responseOf(part: WireObject): unknown {
  return part["functionResponse"] ?? part["function_response"]
}

export function signatureOf(part: WireObject): unknown {
  return part["thoughtSignature"] ?? part["thought_signature"]
}

const namePattern = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/

export function unknownName(key: string, path: string): Violation {
  return {
    rule: "gemini-unknown-field",
    message: `Invalid JSON payload received. Unknown name "${key}" at '${path}': Cannot find field.`,
  }
}

export function partViolation(
  part: unknown,
  role: string,
  content: number,
  index: number,
  takesResponseMedia: boolean,
): Violation | undefined {
  const place = (): string => `contents[${content}].parts[${index}]`
  if (!isObject(part)) {
    return { rule: "gemini-shape", message: `Invalid value at '${place()}' (type.googleapis.com/Part)` }
  }
  const extra = unknownKey(part, partFields)
  if (extra !== undefined) return unknownName(extra, place())
  const signature = signatureOf(part)
  if (signature !== undefined && (typeof signature !== "string" || signature.startsWith("gAAAA"))) {
    return { rule: "gemini-thought-signature-invalid", message: "Invalid thought signature." }
  }
  const field = soleDataField(part)
  if (field === "several") {
    return {
      rule: "gemini-empty-part",
      message:
        `* GenerateContentRequest.${place()}.data: required oneof field 'data' must have one initialized field, ` +
        "oneof field 'data' is already set",
    }
  }
  const isEmpty = field === "" || (field === "text" && part["text"] === "")
  if (isEmpty && typeof signature !== "string") {
    return {
      rule: "gemini-empty-part",
      message: `* GenerateContentRequest.${place()}.data: required oneof field 'data' must have one initialized field`,
    }
  }
  if (field === "text" && typeof part["text"] !== "string") {
    return { rule: "gemini-shape", message: `Invalid value at '${place()}.text' (TYPE_STRING)` }
  }
  if (field === "functionCall") return callViolation(callOf(part), role, place)
  return field === "functionResponse" ? responseViolation(responseOf(part), role, place, takesResponseMedia) : undefined
}

function soleDataField(part: WireObject): string {
  let found = ""
  for (const key in part) {
    const field = dataFields.get(key)
    if (field === undefined || part[key] === undefined || part[key] === null) continue
    if (found !== "") return "several"
    found = field
  }
  return found
}

const roleViolation: Violation = { rule: "gemini-role", message: "Please use a valid role: user, model." }

function nameViolation(name: string): Violation | undefined {
  if (namePattern.test(name)) return undefined
  return {
    rule: "gemini-function-name",
    message:
      "Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain " +
      "underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.",
  }
}

function callViolation(call: unknown, role: string, place: () => string): Violation | undefined {
  if (role !== "model") return roleViolation
  if (!isObject(call)) {
    return { rule: "gemini-shape", message: `Invalid value at '${place()}.function_call' (Message)` }
  }
  const extra = unknownKey(call, callFields)
  if (extra !== undefined) return unknownName(extra, `${place()}.function_call`)
  const { name, args } = call
  if (typeof name !== "string" || name === "") {
    return {
      rule: "gemini-function-name",
      message:
        `* GenerateContentRequest.${place()}.function_call.name: Invalid function name. Must start with a ` + "letter or an underscore.",
    }
  }
  if (args !== undefined && args !== null && !isObject(args)) {
    return {
      rule: "gemini-args-object",
      message: `Invalid value at '${place()}.function_call.args' (type.googleapis.com/google.protobuf.Struct)`,
    }
  }
  return nameViolation(name)
}

function responseViolation(response: unknown, role: string, place: () => string, takesMedia: boolean): Violation | undefined {
  if (role === "model") return roleViolation
  if (!isObject(response)) {
    return { rule: "gemini-shape", message: `Invalid value at '${place()}.function_response' (Message)` }
  }
  const extra = unknownKey(response, responseFields)
  if (extra !== undefined) return unknownName(extra, `${place()}.function_response`)
  const name = response["name"]
  if (typeof name !== "string" || name === "") {
    return {
      rule: "gemini-response-name",
      message: `* GenerateContentRequest.${place()}.function_response.name: Name cannot be empty.`,
    }
  }
  if (!isObject(response["response"])) {
    return {
      rule: "gemini-response-object",
      message: `Invalid function_response.response: '${place()}.function_response.response' must be a ` + "google.protobuf.Struct",
    }
  }
  if (isArray(response["parts"]) && response["parts"].length > 0 && !takesMedia) {
    return {
      rule: "gemini-response-media",
      message: `${place()}.function_response.parts: multimodal function responses are not supported by this model`,
    }
  }
  return nameViolation(name)
}
