/**
 * The order of Gemini contents: user and model by turns, a call turn right behind a user turn, and right behind it one
 * content with exactly as many responses as it has calls.
 *
 * A user content may follow a response content although both have the role user: what the user says after the results
 * has no other place.
 */
import { type WireObject, isArray, isObject } from "../wire.ts"
import type { Violation } from "../verdict.ts"
import { callOf, responseOf } from "./fields.ts"

interface Turn {
  readonly role: string
  readonly calls: readonly WireObject[]
  readonly responses: number
}

const nothing: readonly WireObject[] = []

export function turnsViolation(contents: readonly WireObject[], openTip: boolean): Violation | undefined {
  let previous: Turn | undefined
  for (let index = 0; index < contents.length; index++) {
    const content = contents[index]
    if (content === undefined) continue
    const parts = isArray(content["parts"]) ? content["parts"] as readonly WireObject[] : nothing
    const turn: Turn = { role: roleOf(content), calls: select(parts, callOf), responses: count(parts) }
    const found = neighbourViolation(previous, turn) ?? responsesViolation(previous, turn, parts, index)
    if (found !== undefined) return found
    previous = turn
  }
  if (previous?.role !== "model" || (openTip && previous.calls.length > 0)) return undefined
  return {
    rule: "gemini-ends-with-user",
    message: contents.length === 1
      ? "Please ensure that single turn requests end with a user role or the role field is empty."
      : "Please ensure that multiturn requests ends with a user role or a function response.",
  }
}

/** An absent role means user. */
export function roleOf(content: WireObject): string {
  const role = content["role"]
  return role === undefined || role === null || role === "" ? "user" : String(role)
}

function select(parts: readonly WireObject[], read: (part: WireObject) => unknown): readonly WireObject[] {
  let found: WireObject[] | undefined
  for (const part of parts) {
    const value = read(part)
    if (isObject(value)) (found ??= []).push(value)
  }
  return found ?? nothing
}

function count(parts: readonly WireObject[]): number {
  let responses = 0
  for (const part of parts) if (isObject(responseOf(part))) responses += 1
  return responses
}

function neighbourViolation(previous: Turn | undefined, turn: Turn): Violation | undefined {
  if (turn.calls.length > 0 && previous?.role !== "user") {
    return {
      rule: "gemini-call-after-user",
      message: "Please ensure that function call turn comes immediately after a user turn or after a function response "
        + "turn.",
    }
  }
  if (previous === undefined) {
    return turn.role === "user" ? undefined : {
      rule: "gemini-starts-with-user",
      message: "Please ensure that multiturn requests start with a user turn.",
    }
  }
  const followsResults = turn.role === "user" && previous.responses > 0 && turn.responses === 0
  if (previous.role !== turn.role || followsResults || turn.responses > 0) return undefined
  return {
    rule: "gemini-alternation",
    message: "Please ensure that multiturn requests alternate between user and model.",
  }
}

function responsesViolation(
  previous: Turn | undefined,
  turn: Turn,
  parts: readonly WireObject[],
  index: number,
): Violation | undefined {
  const calls = previous?.calls ?? nothing
  if (calls.length === 0) {
    return turn.responses === 0 ? undefined : {
      rule: "gemini-response-after-call",
      message: "Please ensure that function response turn comes immediately after a function call turn.",
    }
  }
  if (turn.responses !== calls.length) {
    return {
      rule: "gemini-call-response-count",
      message: "Please ensure that the number of function response parts is equal to the number of function call parts "
        + "of the function call turn.",
    }
  }
  return matchViolation(calls, parts, index)
}

/** Responses are matched by id where the calls have ids, and by name otherwise; each call is answered once. */
function matchViolation(
  calls: readonly WireObject[],
  parts: readonly WireObject[],
  content: number,
): Violation | undefined {
  const open = new Map<string, string[]>()
  for (const call of calls) {
    const key = keyOf(call)
    const names = open.get(key)
    if (names === undefined) open.set(key, [String(call["name"])])
    else names.push(String(call["name"]))
  }
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]
    const response = part === undefined ? undefined : responseOf(part)
    if (!isObject(response)) continue
    const names = open.get(keyOf(response))
    const name = names?.pop()
    if (name === undefined && typeof response["id"] === "string") {
      return {
        rule: "gemini-id-match",
        message: `contents[${content}].parts[${index}].function_response.id: functionResponse.id `
          + `'${response["id"]}' does not match functionCall.id`,
      }
    }
    if (name !== response["name"]) return mismatch(response, open, content, index)
  }
  return undefined
}

function keyOf({ id, name }: WireObject): string {
  return typeof id === "string" && id !== "" ? `id ${id}` : `name ${String(name)}`
}

function mismatch(
  response: WireObject,
  open: ReadonlyMap<string, readonly string[]>,
  content: number,
  index: number,
): Violation {
  const place = `contents[${content}].parts[${index}].function_response`
  const hasIds = [...open].some(([key, names]) => key.startsWith("id ") && names.includes(String(response["name"])))
  if (hasIds && typeof response["id"] !== "string") {
    return { rule: "gemini-id-match", message: `${place}.id: functionResponse.id '' does not match functionCall.id` }
  }
  return {
    rule: "gemini-response-name",
    message: `* GenerateContentRequest.${place}.name: [REQUIRED] '${String(response["name"])}' is not the name of an `
      + "unanswered function call of the previous turn.",
  }
}
