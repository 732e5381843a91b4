/**
 * Streams of the AI SDK: the parts of `fullStream`, the parts a provider sends underneath it, and the chunks of UI
 * message streams. They differ in the names of a few fields and are otherwise one language: blocks with ids that start,
 * grow and end, and a `tool-call` (or `tool-input-available`) that is the final word on a call.
 *
 * One recorder takes one step. The next step begins a message of its own, and needs a recorder of its own.
 */
import { type Block, isWire, jsonText, limitDepth, type Message, parseJson, type Wire } from "../../model/index.ts"
import { cutCall, type Slot } from "../engine/recorder/draft.ts"
import type { StopReason, Usage } from "../engine/recorder/recorder.ts"
import { type Recording, shown } from "../engine/recorder/recording.ts"
import type { StreamReader } from "../engine/recorder/stream-recorder.ts"
import { counts, numberOf, stringOf, wireOf } from "../engine/wire.ts"
import { readPart, readResult as readToolResult, readServedResult } from "./read-blocks.ts"

// Reading events whose fields the three kinds of streams name differently, and which of them say nothing.

const idOf = (event: Wire): string => stringOf(event["toolCallId"]) || stringOf(event["id"])

const deltaOf = (event: Wire): string =>
  stringOf(event["text"] ?? event["delta"] ?? event["textDelta"] ?? event["inputTextDelta"] ?? event["argsTextDelta"])

const messageOf = (error: unknown): string => {
  if (error instanceof Error) return error.message
  return (isWire(error) ? stringOf(error["message"]) : stringOf(error)) || shown(error)
}

/** Events that say nothing about the message. */
const silent: ReadonlySet<string> = new Set([
  "start",
  "stream-start",
  "step-start",
  "source",
  "source-url",
  "source-document",
  "raw",
  "message-metadata",
  "ping",
  "tool-input-end",
])

// How the SDK says why a step ended and what it cost, in the shapes of its versions.

const meanings: Readonly<Record<string, StopReason>> = {
  stop: "end",
  unknown: "end",
  "tool-calls": "calls",
  length: "length",
  "content-filter": "refused",
}

/** The reason is a word, or an object with the word and what the provider said. */
const readReason = (event: Wire): { readonly said: string; readonly meant: StopReason } | undefined => {
  const given = event["finishReason"]
  const word = isWire(given) ? given["unified"] : given
  if (typeof word !== "string") return undefined
  return { said: word, meant: Object.hasOwn(meanings, word) ? (meanings[word] ?? "other") : "other" }
}

const total = (value: unknown): unknown => (isWire(value) ? value["total"] : value)

const readUsage = (event: Wire, before: Usage | undefined): Usage | undefined => {
  const usage = event["totalUsage"] ?? event["usage"]
  if (!isWire(usage)) return before
  const [input, output] = [wireOf(usage["inputTokens"]), wireOf(usage["outputTokens"])]
  return {
    ...counts({
      inputTokens: numberOf(total(usage["inputTokens"])) ?? usage["promptTokens"],
      outputTokens: numberOf(total(usage["outputTokens"])) ?? usage["completionTokens"],
      cacheReadTokens: usage["cachedInputTokens"] ?? input["cacheRead"],
      cacheWriteTokens: input["cacheWrite"],
      thinkingTokens: usage["reasoningTokens"] ?? output["reasoning"],
    }),
    native: { "ai-sdk-model": usage },
  }
}

// Events → content parts of a model message, as the SDK itself puts them into the history; the decoder reads them.

/** Streams say `providerMetadata`, messages `providerOptions`. */
const optionsOf = (event: Wire): Wire => {
  const metadata = event["providerMetadata"] ?? event["providerOptions"]
  return isWire(metadata) ? { providerOptions: metadata } : {}
}

/** Providers send the input as JSON text, the SDK as the value. */
const inputOf = (value: unknown): unknown => (typeof value === "string" ? (parseJson(value) ?? value) : value)

/** `raw`: the text of the input, for a call whose end never came. */
const buildCall = (part: Wire, raw: string, whole: boolean, waiting: boolean): Block | readonly Block[] => {
  const isCut = !whole && part["providerExecuted"] !== true
  const wire = isCut ? { ...part, input: raw } : part
  const bare = isCut ? { ...part, input: {} } : part
  const block = readPart(bare)
  if (!("type" in block) || block.type !== "call") return isCut ? readPart(wire) : block
  if (!whole) return cutCall(block, "ai-sdk-model", { bare, wire, raw })
  return waiting ? { ...block, pending: "approval" } : block
}

/** What a tool gave back, in the shape the SDK stores: a text stays a text, anything else is an object once. */
const outputOf = (value: unknown, failed: boolean): Wire => {
  const type = typeof value === "string" ? "text" : "json"
  return { type: failed ? `error-${type}` : type, value: value === undefined ? null : value }
}

interface SdkState {
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
    if (slot.pieces.isEmpty) draft.add(slot, typeof given === "string" ? given : given === undefined ? "" : jsonText(given))
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
