/**
 * Calls and results under whatever names APIs, SDKs, frameworks and tracing standards have for them. The type of a part,
 * or the field that holds it, tells whether it is a call or a result. Id, name, arguments and text are then looked up by
 * their known names, in the part itself and in the objects inside it that are known to hold them.
 */
import { textOf } from "./borrowed.ts"
import {
  asWord,
  type CallBlock,
  type ContentBlock,
  isWire,
  readArgumentsObject,
  readArgumentsText,
  type ResultBlock,
  type Wire,
} from "../../model/index.ts"
import { idText, isGiven } from "./wire.ts"

/** `tool call` → tool_call, tool-call, toolCall: one name in the spellings of different languages. */
const spellings = (words: string): readonly string[] => {
  const parts = words.split(" ")
  const camel = parts.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("")
  return [...new Set([parts.join("_"), parts.join("-"), camel])]
}

const namesFor = (...names: readonly string[]): readonly string[] => names.flatMap(spellings)

const callTypes = namesFor("tool use", "tool call", "function call", "custom tool call", "invalid tool call", "tool invocation", "function")
const resultTypes = namesFor(
  "tool result",
  "tool response",
  "tool output",
  "tool call result",
  "tool call response",
  "tool call output",
  "function response",
  "function result",
  "function call output",
  "custom tool call output",
)

const kinds: ReadonlyMap<unknown, "call" | "result"> = new Map([
  ...callTypes.map((type) => [type, "call"] as const),
  ...resultTypes.map((type) => [type, "result"] as const),
])

/** A part of the AI SDK that holds a call and, by its state, what came of it: `tool-read_file`, `dynamic-tool`. */
const isStatedCall = (wire: Wire): boolean => {
  const { type, state, toolCallId } = wire
  if (typeof type !== "string" || typeof state !== "string" || typeof toolCallId !== "string") return false
  return type === "dynamic-tool" || type.startsWith("tool-")
}

/** Whether the type of a part makes it a call or a result for some API. */
export const toolKindOf = (wire: Wire): "call" | "result" | undefined =>
  kinds.get(wire["type"]) ?? (isStatedCall(wire) ? "call" : undefined)

const callHolders = namesFor("tool call", "tool use", "function call", "tool invocation", "function", "custom")
const resultHolders = namesFor("tool result", "tool response", "function response", "tool output")

/** Names of fields, the most usual first. */
const idNames = [...namesFor("tool use id", "tool call id", "call id"), "id"]
const toolNames = ["name", ...namesFor("tool name", "function name"), "function", "tool"]
const inputNames = ["input", "arguments", "args", "parameters"]
const saidNames = ["content", "output", "result", "text", "data", "response", "value", "parts", "body"]
const failureNames = ["errorText", "error"]

/** The part, and the objects inside it that hold fields of a call or a result. Deeper than this nobody wraps them. */
const levelsOf = (wire: Wire, holders: readonly string[], depth = 3): readonly Wire[] => {
  if (depth === 0) return []
  const held = holders.flatMap((name) => {
    const inner = wire[name]
    return isWire(inner) ? levelsOf(inner, holders, depth - 1) : []
  })
  return [wire, ...held]
}

/** The first value under one of the names; one that says nothing counts only where no other is given. */
const firstOf = (levels: readonly Wire[], names: readonly string[], fits = isGiven): unknown => {
  let silent: unknown
  for (const name of names) {
    for (const level of levels) {
      const value = level[name]
      if (!isGiven(value) || !fits(value)) continue
      if (value !== "") return value
      silent = value
    }
  }
  return silent
}

const isText = (value: unknown): boolean => typeof value === "string"
const isId = (value: unknown): boolean => idText(value) !== ""

const idIn = (levels: readonly Wire[]): string => idText(firstOf(levels, idNames, isId))

const saidIn = (levels: readonly Wire[]): unknown =>
  firstOf(levels, saidNames) ?? firstOf(levels, failureNames, (value) => typeof value !== "boolean")

/** `tool-read_file` and `dynamic-tool` say the name of the tool in the type, or beside it. */
const nameIn = (levels: readonly Wire[]): string => {
  const [wire] = levels
  const type = wire?.["type"]
  const stated = wire !== undefined && isStatedCall(wire) && typeof type === "string" && type !== "dynamic-tool"
  const given = firstOf(levels, toolNames, isText)
  if (typeof given === "string" && given !== "") return given
  return stated && kinds.get(type) === undefined ? type.slice("tool-".length) : ""
}

/** The arguments with which a stream starts a call, before their pieces come: none, or an empty object, be it as text. */
export const isUnstarted = (input: unknown): boolean =>
  isWire(input) ? Object.keys(input).length === 0 : (input ?? "") === "" || input === "{}"

/** Arguments that came in pieces and were never put into the call: the object of its start is still empty. */
const pieces = (wire: Wire): string | undefined => {
  const { input, partial_json: written } = wire
  return isUnstarted(input) && typeof written === "string" && written !== "" ? written : undefined
}

/** The names a format has for what a call or a result says. */
export interface OwnNames {
  readonly id: string
  /** Missing where the format does not name the tool here. */
  readonly name?: string
  /** Of the arguments, or of what a result says. */
  readonly said: string
}

/** Whether a call or result of a format says under another name what it does not say under the format's own. */
export const isMisnamed = (wire: Wire, kind: "call" | "result", own: OwnNames): boolean => {
  const isCall = kind === "call"
  const [lacksId, lacksSaid] = [!isGiven(wire[own.id]), !isGiven(wire[own.said])]
  const lacksName = isCall && own.name !== undefined && !isGiven(wire[own.name])
  if (isCall && pieces(wire) !== undefined) return true
  if (!lacksId && !lacksSaid && !lacksName) return false
  const levels = levelsOf(wire, isCall ? callHolders : resultHolders)
  if (lacksId && idIn(levels) !== "") return true
  if (lacksSaid && (isCall ? firstOf(levels, inputNames) : saidIn(levels)) !== undefined) return true
  return lacksName && nameIn(levels) !== ""
}

/** Text stays text: a free-text tool has no JSON. */
export const callFrom = (wire: Wire): CallBlock => {
  const levels = levelsOf(wire, callHolders)
  const id = idIn(levels)
  const name = nameIn(levels)
  const given = pieces(wire) ?? firstOf(levels, inputNames)
  const custom = spellings("custom tool call").includes(asWord(wire["type"])) || isWire(wire["custom"])
  if (custom) return { type: "call", id, name, ...readArgumentsObject({ input: textOf(given) }), custom: true }
  // Whether arguments are text or an object depends on the API they come from, so that neither is a fault here. Text that
  // a framework could not parse is still text; where it kept none, the call has no arguments.
  const input = given ?? (spellings("invalid tool call").includes(asWord(wire["type"])) ? "" : isWire(wire["functionCall"]) ? {} : given)
  return { type: "call", id, name, ...(typeof input === "string" ? readArgumentsText(input) : readArgumentsObject(input)) }
}

const hasFailed = (levels: readonly Wire[]): boolean =>
  levels.some(
    ({ is_error: one, isError: other, status, state }) => one === true || other === true || status === "error" || state === "output-error",
  )

type SaidReader = (said: unknown) => readonly ContentBlock[]

const resultOf = (levels: readonly Wire[], callId: string, said: unknown, read: SaidReader): ResultBlock => {
  const name = nameIn(levels)
  return {
    type: "result",
    callId,
    ...(name !== "" && { name }),
    content: read(said),
    ...(hasFailed(levels) && { error: true as const }),
  }
}

export const resultFrom = (wire: Wire, read: SaidReader): ResultBlock => {
  const levels = levelsOf(wire, resultHolders)
  const custom = spellings("custom tool call output").includes(asWord(wire["type"]))
  const block = resultOf(levels, idIn(levels), saidIn(levels), read)
  return custom ? { ...block, custom: true } : block
}

/** What a call brought, where its writer kept it in the call itself. */
export const resultWithin = (wire: Wire, read: SaidReader, needsId = true): ResultBlock | undefined => {
  const levels = levelsOf(wire, callHolders)
  const said = firstOf(levels, ["result", "output", "errorText"])
  const callId = idIn(levels)
  if (!isGiven(said) || said === "" || (needsId && callId === "")) return undefined
  return resultOf(levels, callId, said, read)
}

/** Untyped parts: the field that holds one says what it is. */
export const heldToolKind = (wire: Wire): "call" | "result" | undefined => {
  for (const field in wire) {
    if (!isWire(wire[field])) continue
    if (resultHolders.includes(field)) return "result"
    const common = field === "function" || field === "custom"
    if (callHolders.includes(field) && (!common || nameIn(levelsOf(wire, callHolders)) !== "")) return "call"
  }
  return undefined
}
