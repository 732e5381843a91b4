/**
 * Judges a request body for the OpenAI Responses API.
 */
import { openaiError } from "../error-bodies.ts"
import { type Judge, type JudgeOptions, type Violation, modelOf, verdictOf } from "../verdict.ts"
import { type WireObject, isArray, isObject } from "../wire.ts"
import { itemViolation } from "./items.ts"
import { responsesMediaViolation } from "./media.ts"
import { responsesPairingViolation } from "./pairing.ts"
import { reasoningViolation } from "./reasoning.ts"

export const judgeOpenaiResponses: Judge = (body, options) => verdictOf(responsesViolation(body, options), openaiError)

function responsesViolation(body: unknown, options: JudgeOptions | undefined): Violation | undefined {
  const input = isObject(body) ? body["input"] : undefined
  if (!isObject(body) || input === undefined || (typeof input !== "string" && !isArray(input))) {
    return {
      rule: "openai-responses-shape",
      message: "Missing required parameter: 'input'.",
      param: "input",
      code: "missing_required_parameter",
    }
  }
  const isChained = typeof body["previous_response_id"] === "string"
  const isStored = body["conversation"] !== undefined && body["conversation"] !== null
  if (isChained && isStored) {
    return {
      rule: "openai-responses-chain-exclusive",
      message: "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Provide only one.",
      param: "previous_response_id",
    }
  }
  if (typeof input === "string") return undefined
  for (let index = 0; index < input.length; index++) {
    const found = itemViolation(input[index], index)
    if (found !== undefined) return found
  }
  const items = input as readonly WireObject[]
  // A reference may stand for the very call that an output answers.
  const isElsewhere = isChained || isStored || items.some(item => item["type"] === "item_reference")
  return responsesMediaViolation(items, body)
    ?? placeViolation(items, body["store"] === false)
    ?? breakpointsViolation(items)
    ?? responsesPairingViolation(items, isElsewhere, options?.tip === "open")
    ?? reasoningViolation(items, modelOf(body, options), options?.requiredReasoning)
}

/** Cache breakpoints stand on items and on their content parts. */
function breakpointsViolation(items: readonly WireObject[]): Violation | undefined {
  let count = 0
  for (const item of items) {
    if (item["prompt_cache_breakpoint"] !== undefined) count += 1
    if (!isArray(item["content"])) continue
    for (const part of item["content"]) if (isObject(part) && part["prompt_cache_breakpoint"] !== undefined) count += 1
  }
  if (count <= 4) return undefined
  return {
    rule: "openai-responses-cache-breakpoints",
    message: `A maximum of 4 prompt_cache_breakpoint markers may be provided. Found ${count}.`,
    param: "input",
  }
}

/** What depends on where an item stands, or on whether the server keeps items at all. */
function placeViolation(items: readonly WireObject[], unstored: boolean): Violation | undefined {
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    const type = item?.["type"]
    if (type === "compaction_trigger" && index < items.length - 1) {
      return {
        rule: "openai-responses-compaction-trigger-last",
        message: `Invalid 'input[${index}]': 'compaction_trigger' must be the final input item.`,
        param: `input[${index}]`,
      }
    }
    if (!unstored || typeof item?.["id"] !== "string") continue
    const unreadable = type === "reasoning" && typeof item["encrypted_content"] !== "string"
    if (type !== "item_reference" && !unreadable) continue
    return {
      rule: "openai-responses-item-not-found",
      message: `Item with id '${item["id"]}' not found. Items are not persisted when \`store\` is set to false. Try `
        + "again with `store` set to true, or remove this item from your input.",
      param: "input",
      status: 404,
    }
  }
  return undefined
}
