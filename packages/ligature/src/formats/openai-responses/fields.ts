/**
 * The kinds of items an input is made of, as data: which calls exist, where each keeps its arguments and which item
 * answers it, and which items other than messages are said by the client. Everything else is said by the model.
 */
import { isWire, type Message, type Native, type Wire } from "../../model/index.ts"
import { misnamedCall } from "../engine/borrowed.ts"
import { idText, renameFields } from "../engine/wire.ts"

export const format = "openai-responses"

/** What this format said about a block or message; the encoder goes back to it. */
export const nativeOf = (value: { readonly native?: Native }): unknown => value.native?.["openai-responses"]

interface CallKind {
  /** Types of the item that answers it. The first one is written where there is no native answer. */
  readonly answers: readonly [string, ...string[]]
  /** Field with the arguments of a typed call. */
  readonly field: string
}

const functionCall: CallKind = { answers: ["function_call_output"], field: "arguments" }

const callKinds: Readonly<Record<string, CallKind>> = {
  function_call: functionCall,
  custom_tool_call: { answers: ["custom_tool_call_output"], field: "input" },
  local_shell_call: { answers: ["local_shell_call_output", "function_call_output"], field: "action" },
  shell_call: { answers: ["shell_call_output"], field: "action" },
  apply_patch_call: { answers: ["apply_patch_call_output"], field: "operation" },
  computer_call: { answers: ["computer_call_output"], field: "action" },
}

export const callKindOf = (type: unknown): CallKind | undefined => {
  if (type === "function_call") return functionCall
  return typeof type === "string" && Object.hasOwn(callKinds, type) ? callKinds[type] : undefined
}

export const answerTypes: ReadonlySet<unknown> = new Set(Object.values(callKinds).flatMap((kind) => kind.answers))

/** Items of the client that are neither messages nor answers, and the role of the message that holds them. */
export const clientItems: ReadonlyMap<unknown, "user" | "system"> = new Map([
  ["mcp_approval_response", "user"],
  ["compaction_trigger", "user"],
  ["additional_tools", "system"],
  ["configuration_update", "system"],
] as const)

/** A message item; its `type` may be absent. Content parts have no role, which tells the two apart. */
export const isMessageItem = (wire: Wire): boolean =>
  wire["role"] !== undefined && (wire["type"] === "message" || wire["type"] === undefined || wire["type"] === null)

/** `kind` of an opaque block that is a content part of a message item, not an item of its own. */
export const partKind = (type: string): string => `message/${type}`
export const isPartKind = (kind: string): boolean => kind.startsWith("message/")

// Which items may keep their id. The server looks an id up: it wants the reasoning the item was made with before it, takes each id once, and
// rejects ids that are not of the item's type. An item without id is never looked up, so leaving the id out is always safe, and no model sees the
// difference. Decoder and encoder walk the items in order with one of these: the one to report what will be left out, the other to leave it out.

/** How ids of a type begin. Compared, not looked up: JSON.parse makes a new string of each long name. */
const prefixOf = (type: unknown): string | undefined => {
  if (type === "function_call") return "fc"
  if (type === "message") return "msg"
  if (type === "reasoning") return "rs"
  return type === "custom_tool_call" ? "ctc" : undefined
}
const maxLength = 64

/** Whether the id leads the server to the reasoning the item was made with. */
const isTied = (item: Wire, type: unknown): boolean =>
  type === "function_call" || (type === "message" && item["role"] === "assistant") || type === "custom_tool_call"

/** Models that reason before they speak: there an id without reasoning in its step means that reasoning was lost. */
const isReasoningModel = (model: unknown): boolean => typeof model === "string" && /(^|\/)(o\d|gpt-[5-9](?!.*chat)|codex)/.test(model)

const idOf = (item: unknown): string | undefined => (isWire(item) && typeof item["id"] === "string" ? item["id"] : undefined)

const isReasoning = (item: unknown): item is Wire => isWire(item) && item["type"] === "reasoning"

/** Local shell items may have no call id of their own: there the item id is what pairs call and output. */
const namesItsCall = (item: Wire, type: unknown): boolean =>
  (type === "local_shell_call" || type === "local_shell_call_output") && typeof item["call_id"] !== "string"

export class ItemIds {
  readonly #strict: boolean
  readonly #used = new Set<string>()
  readonly #reasoned = new Set<string>()
  readonly #lost = new Set<string>()
  #stepReasoned = false

  constructor(model: unknown) {
    this.#strict = isReasoningModel(model)
  }

  /** A step of the model ends where the client speaks. */
  clientSpeaks(): void {
    this.#stepReasoned = false
  }

  /** Why the server would reject the id of this item; notes the id as used where it would not. */
  fault(item: Wire, type: unknown = item["type"] ?? "message"): string | undefined {
    const id = idOf(item)
    if (id === undefined) return item["id"] === undefined || item["id"] === null ? undefined : "is no text"
    if (namesItsCall(item, type)) return undefined
    const prefix = prefixOf(type)
    if (prefix !== undefined && !id.startsWith(prefix)) return `does not begin with "${prefix}"`
    if (id.length > maxLength) return `is longer than ${maxLength} characters`
    if (this.#used.has(id)) return "is on an earlier item"
    const unreasoned = this.#strict && !this.#stepReasoned && isTied(item, type)
    if (unreasoned || this.#lost.has(id)) return "needs reasoning that is not here"
    this.#used.add(id)
    if (type === "reasoning") {
      this.#reasoned.add(id)
      this.#stepReasoned = true
    }
    return undefined
  }

  /** The item, without its id where the server would reject it. */
  checked(item: Wire): Wire {
    if (this.fault(item) === undefined) return item
    const { id: _, ...rest } = item
    return rest
  }

  /** Notes which items of this message have lost the reasoning before them. */
  enter(message: Message): void {
    const items = nativeOf(message)
    if (!Array.isArray(items)) return
    let missing = 0
    for (const item of items as readonly unknown[]) if (isReasoning(item)) missing++
    if (missing === 0) return
    for (const block of message.blocks) if (block.type === "thinking" && nativeOf(block) !== undefined) missing--
    if (missing === 0) return
    const thoughts = message.blocks.filter((block) => block.type === "thinking")
    const present = new Set(thoughts.map((block) => idOf(nativeOf(block))))
    let gone = false
    for (const item of items as readonly unknown[]) {
      const id = idOf(item)
      if (isReasoning(item)) gone = id !== undefined && !present.has(id) && !this.#reasoned.has(id)
      else if (gone && id !== undefined) this.#lost.add(id)
    }
  }
}

// By which id a call and its output belong together. It is the `call_id`; but writers confuse it with the id of the item, leave it out on the call,
// or count in numbers. All of it is readable without doubt, and reported.

/** The id of a call. One without `call_id` goes by the id of its item. */
export const callIdOf = (wire: Wire): string => idText(wire["call_id"]) || idText(wire["id"])

/** The id that an output names. */
export const answeredIdOf = (wire: Wire): string => {
  const id = idText(wire["call_id"])
  return id === "" && wire["type"] === "local_shell_call_output" ? idText(wire["id"]) : id
}

/** Names that other APIs have for the id of a call, and for the words of an answer. */
const namesOfId = ["tool_call_id", "tool_use_id", "id"] as const
const namesOfOutput = ["content", "result", "text", "data", "response", "value", "body"] as const

/**
 * An output that names its call, or says what it has to say, under another name, as the API writes it; undefined where
 * it does not. Its own `id` may be that of the item, and counts where it names a call.
 */
export const outputInPlainWords = (wire: Wire, isCallId: (id: string) => boolean): Wire | undefined => {
  const names = new Map<string, string>()
  if (answeredIdOf(wire) === "") {
    const isName = (name: string): boolean => idText(wire[name]) !== "" && (name !== "id" || isCallId(idText(wire[name])))
    const name = namesOfId.find(isName)
    if (name !== undefined) names.set(name, "call_id")
  }
  if (wire["output"] === undefined || wire["output"] === null) {
    const name = namesOfOutput.find((each) => wire[each] !== undefined && wire[each] !== null)
    if (name !== undefined) names.set(name, "output")
  }
  return names.size === 0 ? undefined : renameFields(wire, names)
}

/** A call whose name or arguments have another name, or are inside another object, as the API writes it. */
export const callInPlainWords = (wire: Wire): Wire | undefined => {
  const id = idText(wire["call_id"]) === "" ? "id" : "call_id"
  const call = misnamedCall(wire, { id, name: "name", said: "arguments" })
  if (!call) return undefined
  return { ...wire, call_id: call.id, name: call.name, arguments: call.raw ?? JSON.stringify(call.arguments) }
}

/** The ids of all calls. */
export const callIdsIn = (input: readonly unknown[]): ReadonlySet<string> => {
  const calls = input.filter((wire): wire is Wire => isWire(wire) && callKindOf(wire["type"]) !== undefined)
  return new Set(calls.map(callIdOf))
}

/** How ids of call items begin: a glance, for every output. */
export const looksLikeItemId = (id: string): boolean => id.startsWith("fc") || id.startsWith("ctc")

/** The call ids by the ids of their items, for those that no call has as its call id. */
export const callIdsByItem = (input: readonly unknown[]): ReadonlyMap<string, string> => {
  const byItem = new Map<string, string>()
  const calls = input.filter((wire): wire is Wire => isWire(wire) && callKindOf(wire["type"]) !== undefined)
  for (const call of calls) if (typeof call["id"] === "string") byItem.set(call["id"], callIdOf(call))
  for (const call of calls) byItem.delete(callIdOf(call))
  return byItem
}

/** Why the server would not find the call by its id; undefined where it would. */
export const callIdFault = (wire: Wire, isCall: boolean): string | undefined => {
  if (typeof wire["call_id"] === "number") return "The call id is a number where text belongs"
  const nameless = isCall && typeof wire["call_id"] !== "string" && wire["type"] !== "local_shell_call"
  return nameless && callIdOf(wire) !== "" ? "A call has an item id and no call id" : undefined
}
