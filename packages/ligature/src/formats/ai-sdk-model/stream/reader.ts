/**
 * Streams of the AI SDK: the parts of `fullStream`, the parts a provider sends underneath it, and the chunks of UI
 * message streams. They differ in the names of a few fields and are otherwise one language: blocks with ids that start,
 * grow and end, and a `tool-call` (or `tool-input-available`) that is the final word on a call.
 *
 * One recorder takes one step. The next step begins a message of its own, and needs a recorder of its own.
 */
import { type Block, isWire, jsonText, limitDepth, type Message, type Wire } from "../../../model/index.ts"
import type { Slot } from "../../engine/recorder/draft.ts"
import { stringOf, wireOf } from "../../engine/recorder/fields.ts"
import { shown } from "../../engine/recorder/problems.ts"
import type { Recording } from "../../engine/recorder/recording.ts"
import type { StreamReader } from "../../engine/recorder/stream-recorder.ts"
import { deltaOf, idOf, messageOf, silent } from "./events.ts"
import { readReason, readUsage } from "./finish.ts"
import { readResult as readToolResult } from "../read-output.ts"
import { readPart, readServedResult } from "../read-part.ts"
import { buildCall, inputOf, optionsOf, outputOf } from "./parts.ts"

export interface SdkState {
  /** The content part so far; its text or input is in the pieces until the end. */
  part: Wire
  /** The final word on a call has come. */
  final?: true
}

type SdkSlot = Slot<SdkState>

export const sdkReader = (recording: Recording<SdkState>): StreamReader<SdkState> => {
  const { draft } = recording
  const calls = new Map<string, SdkSlot>()
  const spoken = new Map<string, SdkSlot>()
  const waiting = new Set<string>()
  /** The call of the latest event about one: nearly every delta is about the same one as the delta before it. */
  let latest: SdkSlot | undefined
  let latestId = ""
  let finished = false

  const speak = (kind: "text" | "thinking", event: Wire): SdkSlot => {
    const key = `${kind} ${stringOf(event["id"])}`
    const known = spoken.get(key)
    if (known && !known.finished) return known
    const type = kind === "text" ? "text" : "reasoning"
    const slot = draft.open(kind, { part: { type, text: "", ...optionsOf(event) } })
    spoken.set(key, slot)
    return slot
  }

  /** Proof of origin may come with any event of a block. */
  const note = (slot: SdkSlot, event: Wire): void => {
    const options = optionsOf(event)
    if (!options["providerOptions"]) return
    slot.state.part = { ...slot.state.part, ...options }
    draft.touch(slot)
  }

  const say = (kind: "text" | "thinking", event: Wire): void => {
    const slot = speak(kind, event)
    draft.add(slot, deltaOf(event))
    note(slot, event)
  }

  const endSpeech = (kind: "text" | "thinking", event: Wire): void => {
    const slot = speak(kind, event)
    note(slot, event)
    draft.close(slot)
  }

  const callSlot = (event: Wire): SdkSlot => {
    const id = idOf(event)
    if (latest === undefined || id !== latestId) {
      latest = calls.get(id) ?? beginCall(event, id)
      latestId = id
    }
    return latest
  }

  const beginCall = (event: Wire, id: string): SdkSlot => {
    const name = stringOf(event["toolName"])
    const executed = event["providerExecuted"] === true && { providerExecuted: true }
    const state = { part: { type: "tool-call", toolCallId: id, toolName: name, input: {}, ...executed } }
    const slot = executed ? draft.open("opaque", state) : recording.openCall(state, id, name)
    calls.set(id, slot)
    if (!executed) draft.tell(slot, id, name)
    return slot
  }

  const readCall = (event: Wire): void => {
    const slot = callSlot(event)
    const given = event["input"] ?? event["args"]
    const name = stringOf(event["toolName"]) || slot.state.part["toolName"]
    slot.state.part = { ...slot.state.part, toolName: name, input: inputOf(given), ...optionsOf(event) }
    slot.state.final = true
    if (slot.pieces.isEmpty) draft.add(slot, typeof given === "string" ? given : (given === undefined ? "" : jsonText(given)))
    draft.touch(slot)
    draft.close(slot)
  }

  const readResult = (event: Wire, failed: boolean): void => {
    const call = calls.get(idOf(event))
    const name = stringOf(event["toolName"]) || stringOf(call?.state.part["toolName"])
    const given = failed ? (event["errorText"] ?? messageOf(event["error"])) : (event["output"] ?? event["result"])
    const part = { type: "tool-result", toolCallId: idOf(event), toolName: name, output: outputOf(given, failed) }
    if (call?.state.part["providerExecuted"] === true) draft.close(draft.open("opaque", { part }))
    else if (event["preliminary"] !== true) recording.results.push(readToolResult(part))
  }

  const readApproval = (event: Wire): void => {
    const toolCallId = stringOf(wireOf(event["toolCall"])["toolCallId"]) || stringOf(event["toolCallId"])
    waiting.add(toolCallId)
    const call = calls.get(toolCallId)
    if (call) draft.touch(call)
    const part = { type: "tool-approval-request", approvalId: event["approvalId"], toolCallId }
    draft.close(draft.open("opaque", { part }))
  }

  const readFile = (event: Wire): void => {
    const file = isWire(event["file"]) ? event["file"] : event
    const data = file["base64"] ?? file["data"] ?? file["url"]
    const part = { type: "file", data, mediaType: file["mediaType"], ...optionsOf(event) }
    draft.close(draft.open("media", { part }))
  }

  const readEnd = (event: Wire): void => {
    const response = wireOf(event["response"])
    recording.identify(response["id"], response["modelId"])
    recording.usage = readUsage(event, recording.usage)
    const reason = readReason(event)
    if (reason?.said === "error") return recording.fail("finishReason error", event)
    recording.stop(reason?.said ?? "unknown", reason?.meant ?? "end")
    finished = true
    for (const slot of draft.slots) draft.close(slot)
  }

  const readers: Readonly<Record<string, (event: Wire) => void>> = {
    "text-start": (event) => note(speak("text", event), event),
    "text-end": (event) => endSpeech("text", event),
    "reasoning-start": (event) => note(speak("thinking", event), event),
    reasoning: (event) => say("thinking", event),
    "reasoning-end": (event) => endSpeech("thinking", event),
    "reasoning-signature": (event) => {
      const slot = speak("thinking", event)
      slot.state.part = { ...slot.state.part, signature: event["signature"] }
      draft.touch(slot)
    },
    "redacted-reasoning": ({ data }) => {
      draft.close(draft.open("thinking", { part: { type: "redacted-reasoning", data } }))
    },
    "tool-input-start": (event) => void callSlot(event),
    "tool-call-streaming-start": (event) => void callSlot(event),
    "tool-call-delta": (event) => draft.add(callSlot(event), deltaOf(event)),
    "tool-call": readCall,
    "tool-input-available": readCall,
    "tool-input-error": readCall,
    "tool-result": (event) => readResult(event, event["isError"] === true),
    "tool-output-available": (event) => readResult(event, false),
    "tool-error": (event) => readResult(event, true),
    "tool-output-error": (event) => readResult(event, true),
    "tool-approval-request": readApproval,
    file: readFile,
    "response-metadata": (event) => recording.identify(event["id"], event["modelId"]),
    "finish-step": readEnd,
    "step-finish": readEnd,
    finish: readEnd,
    abort: () => {
      recording.aborted = true
    },
    error: ({ error, errorText }) => recording.fail(messageOf(error ?? errorText), error ?? errorText),
  }

  const read = (event: Wire): void => {
    const type = stringOf(event["type"])
    if (finished && type !== "finish") {
      if (silent.has(type)) return
      recording.problems.add("other-answer", `An event of another step: ${shown(event)}`, recording.place())
      return
    }
    // Deltas are compared, not looked up: JSON.parse makes a new string of each long name, and a table would hash them all.
    switch (type) {
      case "tool-input-delta":
        return draft.add(callSlot(event), deltaOf(event))
      case "text-delta":
        return say("text", event)
      case "reasoning-delta":
        return say("thinking", event)
      default: {
        const reader = Object.hasOwn(readers, type) ? readers[type] : undefined
        if (reader) reader(event)
        else if (!silent.has(type) && type !== "start-step" && !type.startsWith("data-")) recording.unknown(event)
      }
    }
  }

  const build = ({ state, pieces }: SdkSlot, whole: boolean): Block | readonly Block[] => {
    const part = limitDepth(state.part)
    switch (part["type"]) {
      case "text":
      case "reasoning":
        return readPart({ ...part, text: pieces.text })
      case "tool-call":
        return buildCall(part, pieces.text, whole && state.final === true, waiting.has(idOf(part)))
      case "tool-result":
        return readServedResult(part)
      default:
        return readPart(part)
    }
  }

  /** A call is whole when its final word came, not when the stream ends without it. */
  const isWhole = ({ state, finished: ended }: SdkSlot, complete: boolean): boolean =>
    state.part["type"] === "tool-call" ? state.final === true : complete || ended

  const compose = (blocks: readonly Block[]): Message => {
    const content = blocks.map((block) => block.native?.["ai-sdk-model"] ?? block)
    return { role: "assistant", blocks, native: { "ai-sdk-model": { role: "assistant", content } } }
  }

  return {
    format: "ai-sdk-model",
    wholeCalls: true,
    isWhole,
    read,
    readMarker: (event) => typeof event === "string" && event.trim() === "[DONE]",
    build,
    compose,
  }
}
