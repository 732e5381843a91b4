/**
 * Field names of a Gemini request. The API reads both spellings of a name (`functionCall`, `function_call`), so every
 * table holds both and every look-up asks for both.
 */
import type { WireObject } from "../wire.ts"

function spellings(...names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap(name => [name, snake(name)]))
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

export const bodyFields = spellings(
  "contents", "systemInstruction", "tools", "toolConfig", "safetySettings", "generationConfig", "cachedContent",
  "model",
  "labels", "store", "serviceTier",
)

export const contentFields = spellings("role", "parts")

const dataNames = [
  "text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult",
  "toolCall", "toolResponse",
] as const

/** Every spelling of a data field with its camel-case name; a part sets exactly one. */
export const dataFields: ReadonlyMap<string, string> = new Map(
  dataNames.flatMap(name => [[name, name], [snake(name), name]] as const),
)

export const partFields: ReadonlySet<string> = new Set([
  ...dataFields.keys(),
  ...spellings("thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"),
])

export const callFields = spellings("id", "name", "args", "partialArgs", "willContinue")
export const responseFields = spellings("id", "name", "response", "parts", "willContinue", "scheduling")

export function callOf(part: WireObject): unknown {
  return part["functionCall"] ?? part["function_call"]
}

export function responseOf(part: WireObject): unknown {
  return part["functionResponse"] ?? part["function_response"]
}

export function signatureOf(part: WireObject): unknown {
  return part["thoughtSignature"] ?? part["thought_signature"]
}
