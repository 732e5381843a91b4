/**
 * Judges a request body for the OpenAI Responses API.
 */
import { dataUrlText, openaiMedia, refuseChat } from "../chat/judge-chat.ts"
import {
  isArray,
  isObject,
  type Judge,
  type JudgeOptions,
  modelOf,
  openaiError,
  verdictOf,
  type Violation,
  type WireObject,
} from "../verdict.ts"
import { type MediaDemands, type MediaPart, mediaViolation, partOfUrl } from "../media/judge-media.ts"
import { callKinds, isClientItem, itemViolation, outputKinds, typeOfItem } from "./items.ts"

/** Images and files in Responses requests: in messages and in the outputs of calls. */
function partOf(part: unknown, place: () => string): MediaPart | undefined {
  if (!isObject(part)) return undefined
  const { type, image_url: url, file_data: data } = part
  if (type === "input_image") {
    if (typeof url === "string") return partOfUrl("image", url, `${place()}.image_url`)
    return { kind: "image", place: place() }
  }
  return type === "input_file" && typeof data === "string" ? partOfUrl("document", data, `${place()}.file_data`) : undefined
}

function partsOf(items: readonly WireObject[]): readonly MediaPart[] {
  const parts: MediaPart[] = []
  items.forEach((item, index) => {
    for (const key of ["content", "output"]) {
      const list = item[key]
      if (!isArray(list)) continue
      list.forEach((each, at) => {
        const part = partOf(each, () => `input[${index}].${key}[${at}]`)
        if (part !== undefined) parts.push(part)
      })
    }
  })
  return parts
}

const { documentTypes: _, ...shared } = openaiMedia

const demands: MediaDemands = {
  ...shared,
  refuse: (fault, part) => {
    const refused = refuseChat(fault, part)
    if (refused.rule === "openai-image-format" && part.kind === "image") {
      return {
        ...refused,
        message:
          "The image data you provided does not represent a valid image. Please check your input and try again " +
          "with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
      }
    }
    return fault.what === "empty" ? { ...refused, message: `Invalid '${part.place}'. ${dataUrlText} empty base64-encoded bytes.` } : refused
  },
}

function responsesMediaViolation(items: readonly WireObject[], body: unknown): Violation | undefined {
  return mediaViolation(partsOf(items), body, demands)
}

// Pairing in a Responses input: by `call_id`, anywhere later, with an output of the matching type. A call marked
// `async` may be answered in a later request; an output may answer a call of a response that the request chains to.

interface Open {
  readonly type: string
  readonly isAsync: boolean
}

function responsesPairingViolation(items: readonly WireObject[], isChained: boolean, openTip: boolean): Violation | undefined {
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
      rule:
        type === "custom_tool_call" || type === "apply_patch_call"
          ? "openai-responses-custom-call-needs-output"
          : "openai-responses-call-needs-output",
      message: `No tool output found for ${callKinds.get(type)?.name ?? "tool call"} ${callId}.`,
      param: "input",
    }
  }
  return undefined
}

// Reasoning items and what they led to. A reasoning item must be followed by model output; an item that is sent with
// its id must still have the reasoning it was generated with.
//
// Which reasoning an item had is not written in the item. A server that issued it knows, and passes the pairs in.
// Without that, a reasoning model's name is taken as proof: then every model item with an id needs reasoning earlier
// in its step.

const tiedTypes: ReadonlySet<string> = new Set(["function_call", "custom_tool_call", "message"])

function reasoningViolation(
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
  const isElsewhere = isChained || isStored || items.some((item) => item["type"] === "item_reference")
  return (
    responsesMediaViolation(items, body) ??
    placeViolation(items, body["store"] === false) ??
    breakpointsViolation(items) ??
    responsesPairingViolation(items, isElsewhere, options?.tip === "open") ??
    reasoningViolation(items, modelOf(body, options), options?.requiredReasoning)
  )
}

/** Cache breakpoints are on items and on their content parts. */
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

/** What depends on where an item is, or on whether the server keeps items at all. */
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
      message:
        `Item with id '${item["id"]}' not found. Items are not persisted when \`store\` is set to false. Try ` +
        "again with `store` set to true, or remove this item from your input.",
      param: "input",
      status: 404,
    }
  }
  return undefined
}
