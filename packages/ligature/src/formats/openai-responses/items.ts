/**
 * The kinds of items an input is made of, as data: which calls exist, where each keeps its arguments and which item
 * answers it, and which items other than messages are said by the client. Everything else is said by the model.
 */
import type { Native, Wire } from "../../model/index.ts"

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

export const callKinds: Readonly<Record<string, CallKind>> = {
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
