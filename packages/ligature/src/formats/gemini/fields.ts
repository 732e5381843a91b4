/**
 * The names of Gemini's fields. JSON of the API has two spellings for each, camelCase and snake_case, and histories
 * hold either, sometimes side by side: readers take both, and writers go on in the spelling a value came in.
 */
import { stringOf } from "../engine/wire.ts"
import { isWire, type Wire } from "../../model/index.ts"

/** What a part holds. A valid part has exactly one of these fields. */
export type PartKind = "text" | "call" | "result" | "inline" | "file" | "code" | "code-result" | "server-call" | "server-result"

/** A Map, so that no key of a hostile file finds something of `Object.prototype`. */
export const partKinds: ReadonlyMap<string, PartKind> = new Map([
  ["text", "text"],
  ["functionCall", "call"],
  ["function_call", "call"],
  ["functionResponse", "result"],
  ["function_response", "result"],
  ["inlineData", "inline"],
  ["inline_data", "inline"],
  ["fileData", "file"],
  ["file_data", "file"],
  ["executableCode", "code"],
  ["executable_code", "code"],
  ["codeExecutionResult", "code-result"],
  ["code_execution_result", "code-result"],
  ["toolCall", "server-call"],
  ["tool_call", "server-call"],
  ["toolResponse", "server-result"],
  ["tool_response", "server-result"],
])

/** Fields that say something about a part and are not what it holds. */
export const partMarks: ReadonlySet<string> = new Set([
  "thought",
  "thoughtSignature",
  "thought_signature",
  "videoMetadata",
  "video_metadata",
  "mediaResolution",
  "media_resolution",
  "partMetadata",
  "part_metadata",
])

/** The value under either spelling; null, which dumps of SDK objects are full of, counts as absent. */
export const either = (wire: Wire, camel: string, snake: string): unknown => wire[camel] ?? wire[snake] ?? undefined

/** The thought signature on a part, "" if there is none. Asked of every part, hence with the names spelled out. */
export const signatureOf = (part: Wire): string => stringOf(part["thoughtSignature"] ?? part["thought_signature"])

/** The spelling under which a part holds its object, and that object. */
interface Held {
  readonly key: string
  readonly held: Wire | undefined
}

const heldAs = (camel: string, given: unknown, snake: string, other: unknown): Held => {
  if (isWire(given)) return { key: camel, held: given }
  return isWire(other) ? { key: snake, held: other } : { key: camel, held: undefined }
}

/** Names are spelled out where they are read: one that is only known at run time costs several times more. */
export const heldCall = (part: Wire | undefined): Held =>
  heldAs("functionCall", part?.["functionCall"], "function_call", part?.["function_call"])

export const heldResponse = (part: Wire | undefined): Held =>
  heldAs("functionResponse", part?.["functionResponse"], "function_response", part?.["function_response"])

/** Where a request holds its system text: the API at the top, the JavaScript SDK under `config`. */
export interface SystemHome {
  readonly key: string
  readonly inConfig: boolean
  readonly value: unknown
}

const systemKeys = ["systemInstruction", "system_instruction"] as const

export const systemHome = (body: Wire): SystemHome | undefined => {
  const config = body["config"]
  for (const key of systemKeys) {
    const value = body[key]
    if (value !== undefined && value !== null) return { key, inConfig: false, value }
  }
  if (!isWire(config)) return undefined
  for (const key of systemKeys) {
    const value = config[key]
    if (value !== undefined && value !== null) return { key, inConfig: true, value }
  }
  return undefined
}

/** The content inside of a candidate, or of a whole answer, that was appended as it came. */
export const contentWithin = (wire: unknown): Wire | undefined => {
  if (!isWire(wire) || wire["role"] !== undefined || wire["parts"] !== undefined) return undefined
  const { candidates, content } = wire
  const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined
  const found = isWire(candidate) ? candidate["content"] : content
  return isWire(found) && Array.isArray(found["parts"]) ? found : undefined
}
