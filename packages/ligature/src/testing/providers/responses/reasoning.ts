/**
 * Reasoning items and what they led to. A reasoning item must be followed by model output; an item that is sent with
 * its id must still have the reasoning it was generated with.
 *
 * Which reasoning an item had is not written in the item. A server that issued it knows, and passes the pairs in.
 * Without that, a reasoning model's name is taken as proof: then every model item with an id needs reasoning earlier
 * in its step.
 */
import type { WireObject } from "../wire.ts"
import type { Violation } from "../verdict.ts"
import { isClientItem, typeOfItem } from "./fields.ts"

const tiedTypes: ReadonlySet<string> = new Set(["function_call", "custom_tool_call", "message"])

export function reasoningViolation(
  items: readonly WireObject[],
  model: string | undefined,
  required: ReadonlyMap<string, string> | undefined,
): Violation | undefined {
  const isStrict = required === undefined && isReasoningModel(model)
  let waiting: WireObject | undefined
  /** Ids of the reasoning items of the current step; a step ends where the client speaks. */
  const step = new Set<unknown>()
  for (const item of items) {
    const type = typeOfItem(item)
    if (type === "reasoning") {
      waiting = item
      step.add(item["id"])
      continue
    }
    if (isClientItem(type, item["role"])) {
      if (waiting !== undefined) return followerViolation(waiting)
      step.clear()
      continue
    }
    waiting = undefined
    const id = item["id"]
    if (typeof id !== "string" || !tiedTypes.has(type)) continue
    const needed = required?.get(id) ?? (isStrict && step.size === 0 ? `rs_${id.replace(/^[a-z]+_/, "")}` : undefined)
    if (needed !== undefined && !step.has(needed)) return missingViolation(id, type, needed)
  }
  return waiting === undefined ? undefined : followerViolation(waiting)
}

function isReasoningModel(model: string | undefined): boolean {
  return model !== undefined && /(^|\/)(o\d|gpt-[5-9](?!.*chat)|codex)/.test(model)
}

function followerViolation(item: WireObject): Violation {
  return {
    rule: "openai-responses-reasoning-needs-follower",
    message: `Item '${String(item["id"])}' of type 'reasoning' was provided without its required following item.`,
    param: "input",
  }
}

function missingViolation(id: string, type: string, needed: string): Violation {
  return {
    rule: type === "message" ? "openai-responses-message-needs-reasoning" : "openai-responses-call-needs-reasoning",
    message: `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${needed}'.`,
    param: "input",
  }
}
