/** Observations → results. They name their call in `tool_call_metadata`, older ones by the event that caused them. */
import { asWord, isWire, readResultContent, type ResultBlock, text, type Wire } from "../../model/index.ts"
import type { Saying } from "../openhands-v1/assemble.ts"
import { commandWords, readParts } from "../openhands-v1/words.ts"
import { textAt } from "../engine/fields.ts"
import { format } from "./event.ts"

/**
 * Observations that tell the agent about itself, or are told to the model in the words of a template we do not have.
 */
const silentObservations: ReadonlySet<unknown> = new Set([
  "agent_state_changed",
  "loop_detection",
  "null",
  "recall",
  "server_ready",
  "success",
  "task_tracking_update",
])

const contentOf = (event: Wire): string => {
  const { content, extras } = event
  const outputs = isWire(extras) && isWire(extras["outputs"]) ? extras["outputs"]["content"] : undefined
  if (event["observation"] === "delegate" && typeof outputs === "string") return outputs
  if (typeof content === "string") return content
  return content === undefined || content === null ? "" : JSON.stringify(content)
}

const wordsOf = (event: Wire): string => {
  const words = contentOf(event)
  const { extras, observation } = event
  if (observation === "run") return commandWords(words, isWire(extras) ? extras["metadata"] : undefined)
  if (observation === "error") return `${words}\n[Error occurred in processing last action]`
  return words
}

const isFailure = (event: Wire): boolean => {
  if (event["observation"] === "error") return true
  return event["observation"] !== "run" && isWire(event["extras"]) && event["extras"]["error"] === true
}

const readResult = (event: Wire, callId: string, name: string | undefined): ResultBlock => {
  const native = { [format]: event }
  const { extras } = event
  // What we write is found again: its words stand alone.
  const own = readResultContent([text(contentOf(event))], { errorMark: false })
  const words = own.synthetic === undefined ? wordsOf(event) : contentOf(event)
  const pictures = isWire(extras) ? readParts([{ type: "image", image_urls: extras["image_urls"] }], native) : []
  const rejected = event["observation"] === "user_rejected"
  return {
    type: "result",
    callId,
    ...(name !== undefined && { name }),
    ...readResultContent([...(words === "" ? [] : [text(words)]), ...pictures], { errorMark: false }),
    ...((rejected || isFailure(event)) && { error: true as const }),
    ...(rejected && { denied: true as const }),
    native,
  }
}

/** `causes`: events that made a call without metadata, by their id. Undefined: bookkeeping. */
export const readObservation = (event: Wire, causes: ReadonlySet<unknown>): Saying | undefined => {
  const { observation, cause, tool_call_metadata: metadata } = event
  const id = textAt(metadata, "tool_call_id")
  if (id !== undefined) return { type: "result", block: readResult(event, id, textAt(metadata, "function_name")) }
  if (cause !== undefined && causes.has(cause)) {
    return { type: "result", block: readResult(event, `event_${asWord(cause)}`, undefined) }
  }
  if (silentObservations.has(observation)) return undefined
  const words = wordsOf(event)
  if (words.trim() === "") return undefined
  const said = observation === "run" ? `\nObserved result of command executed by user:\n${words}` : words
  return { type: "message", role: "user", blocks: [text(said)] }
}
