/**
 * Conversation → ShareGPT. Words and calls of one message are two entries. Thinking has no home here; media and what
 * else is no text leave a note. Entries nobody changed go back as they came.
 */
import {
  type AssistantMessage,
  type Block,
  type Conversation,
  type Exchange,
  type Message,
  type Native,
  pushAll,
  type ResultBlock,
  type SystemMessage,
  type Wire,
} from "../../model/index.ts"
import type { EncodeOptions } from "../engine/codec.ts"
import { shownText } from "../engine/media.ts"
import { asWire } from "../engine/wire.ts"
import { errorMarkOf } from "../engine/write-back.ts"
import { format, readResultList, saysCalls, writeCalls } from "./decode.ts"

const nativeOf = (value: { readonly native?: Native }): Wire | undefined => asWire(value.native?.[format])

const joined = (blocks: readonly Block[], separator: string): string => {
  const [first] = blocks
  if (blocks.length === 1 && first?.type === "text") return first.text
  return blocks
    .map(shownText)
    .filter((text) => text !== "")
    .join(separator)
}

/** Names of one speaker that need not be changed into ours. */
const sameSpeaker: Readonly<Record<string, readonly unknown[]>> = {
  human: ["human", "user"],
  gpt: ["gpt", "assistant", "chatgpt"],
  observation: ["observation", "tool"],
}

const entry = (from: string, value: string, native: Wire | undefined): Wire => {
  if (!native || "system" in native) return { from, value }
  const spoken = native["from"]
  const speaker = spoken === from || sameSpeaker[from]?.includes(spoken) === true
  if (speaker && native["value"] === value) return native
  return speaker ? { ...native, value } : { from, value }
}

const resultWords = (result: ResultBlock): string => errorMarkOf(result) + joined(result.content, "\n")

const assistantEntries = (message: AssistantMessage): readonly Wire[] => {
  const native = nativeOf(message)
  const calls = message.blocks.filter((block) => block.type === "call")
  const words = joined(message.blocks, "\n\n")
  const entries: Wire[] = []
  if (words !== "") entries.push(entry("gpt", words, native))
  if (calls.length > 0) {
    const own = native?.["from"] === "function_call" ? native : undefined
    entries.push(own && saysCalls(own["value"], calls) ? own : entry("function_call", writeCalls(calls), own))
  }
  return entries
}

/** Several results that came in entries of their own stay so, unless the first would be read as the list of all. */
const cameApart = (results: readonly (ResultBlock | undefined)[]): boolean => {
  const natives = new Set(results.map((result) => (result ? nativeOf(result) : undefined)))
  if (natives.size !== results.length || natives.has(undefined)) return false
  const [first] = results
  return first === undefined || readResultList(resultWords(first), results.length) === undefined
}

type Texts = readonly (string | undefined)[]

const sameTexts = (left: Texts | undefined, right: Texts): boolean =>
  left !== undefined && left.every((text, index) => text === right[index])

const observations = (exchange: Exchange): readonly Wire[] => {
  const results = exchange.outcomes.map((outcome) => outcome.result)
  const said = results.filter((result) => result !== undefined)
  if (said.length === 0) return []
  if (results.length === 1 || cameApart(results)) {
    return said.map((result) => entry("observation", resultWords(result), nativeOf(result)))
  }
  const texts = results.map((result) => (result ? resultWords(result) : undefined))
  const [first] = said
  const native = first && nativeOf(first)
  const value = native?.["value"]
  if (native && typeof value === "string" && sameTexts(readResultList(value, results.length), texts)) return [native]
  return [entry("observation", JSON.stringify(texts.map((text) => text ?? null)), native)]
}

const known = new Set(["conversations", "system", "tools", "images", "videos", "audios"])

const strip = (entries: readonly Wire[]): readonly Wire[] =>
  entries.map((wire) => (Object.keys(wire).length === 2 ? wire : { from: wire["from"], value: wire["value"] }))

const envelope = (conversation: Conversation, stripping: boolean): Wire => {
  const native = nativeOf(conversation) ?? {}
  return stripping ? Object.fromEntries(Object.entries(native).filter(([key]) => known.has(key))) : native
}

/** The system text of the envelope: leading system messages, except those that came as entries of their own. */
const isEnvelopeSystem = (message: SystemMessage): boolean => {
  const native = nativeOf(message)
  return native === undefined || "system" in native
}

const speakerOf = (message: Message): string => (message.role === "system" ? "system" : "human")

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const stripping = options.extras === "strip"
  const entries: Wire[] = []
  const system: string[] = []
  for (const item of conversation.items) {
    if (item.role === "system" && entries.length === 0 && isEnvelopeSystem(item)) {
      system.push(joined(item.blocks, "\n\n"))
    } else if (item.role !== "exchange") {
      const words = joined(item.blocks, "\n\n")
      if (words !== "") entries.push(entry(speakerOf(item), words, nativeOf(item)))
    } else {
      pushAll(entries, assistantEntries(item.message))
      pushAll(entries, observations(item))
      if (item.reply) pushAll(entries, assistantEntries(item.reply))
    }
  }
  const whole = envelope(conversation, stripping)
  const { system: before, ...around } = whole
  // A blank one was left out of the conversation, and does not come back with the envelope.
  const isLeftOut = system.length === 0 && typeof before === "string" && before !== ""
  return {
    ...(isLeftOut ? around : whole),
    conversations: stripping ? strip(entries) : entries,
    ...(system.length > 0 && { system: system.join("\n\n") }),
  }
}
