/**
 * Pairing in a Responses input: by `call_id`, anywhere later, with an output of the matching type. A call marked
 * `async` may be answered in a later request; an output may answer a call of a response that the request chains to.
 */
import type { WireObject } from "../wire.ts"
import type { Violation } from "../verdict.ts"
import { callKinds, outputKinds, typeOfItem } from "./fields.ts"

interface Open {
  readonly type: string
  readonly isAsync: boolean
}

export function responsesPairingViolation(
  items: readonly WireObject[],
  isChained: boolean,
  openTip: boolean,
): Violation | undefined {
  const calls = new Map<string, string>()
  const open = new Map<string, Open>()
  const itemIds = new Set<string>()
  let tip = items.length
  if (openTip) while (tip > 0 && callKinds.has(typeOfItem(items[tip - 1] ?? {}))) tip -= 1
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    if (item === undefined) continue
    const type = typeOfItem(item)
    const itemId = item["id"]
    if (typeof itemId === "string") {
      if (itemIds.has(itemId)) return duplicateViolation(itemId, index)
      itemIds.add(itemId)
    }
    const callId = String(item["call_id"])
    if (callKinds.has(type)) {
      if (calls.has(callId)) return duplicateViolation(callId, index)
      calls.set(callId, type)
      if (index < tip) open.set(callId, { type, isAsync: item["async"] === true })
    } else if (outputKinds.has(type)) {
      const found = outputViolation(callId, type, calls, open, isChained, index)
      if (found !== undefined) return found
      open.delete(callId)
    }
  }
  return unansweredViolation(open)
}

function duplicateViolation(id: string, index: number): Violation {
  return {
    rule: "openai-responses-duplicate-item",
    message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
    param: `input[${index}]`,
  }
}

function outputViolation(
  callId: string,
  type: string,
  calls: ReadonlyMap<string, string>,
  open: ReadonlyMap<string, Open>,
  isChained: boolean,
  index: number,
): Violation | undefined {
  const wanted = outputKinds.get(type) ?? ""
  const asked = calls.get(callId)
  // The agent that made local shell calls popular answers them as functions, and is served.
  const fits = asked === wanted || (asked === "local_shell_call" && type === "function_call_output")
  if (fits) return open.has(callId) ? undefined : duplicateViolation(callId, index)
  if (asked === undefined && isChained) return undefined
  const name = callKinds.get(wanted)?.name ?? "tool call"
  const message = `No tool call found for ${name} output with call_id ${callId}.`
  if (asked !== undefined) return { rule: "openai-responses-output-type-match", message, param: "input" }
  return {
    rule: wanted === "custom_tool_call" ? "openai-responses-orphan-custom-output" : "openai-responses-orphan-output",
    message,
    param: "input",
  }
}

function unansweredViolation(open: ReadonlyMap<string, Open>): Violation | undefined {
  for (const [callId, { type, isAsync }] of open) {
    if (isAsync) continue
    return {
      rule: type === "custom_tool_call" || type === "apply_patch_call"
        ? "openai-responses-custom-call-needs-output"
        : "openai-responses-call-needs-output",
      message: `No tool output found for ${callKinds.get(type)?.name ?? "tool call"} ${callId}.`,
      param: "input",
    }
  }
  return undefined
}
