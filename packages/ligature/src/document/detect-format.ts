/**
 * Which wire format is this? Decided from content alone, by marks: each mark a message, block or request has votes
 * for one format. Formats share most of their shape (a role and a text is a message in five of them), so a mark is
 * something that only one of them has; what all share decides nothing and leaves a guess.
 *
 * The look is bounded: a few hundred messages spread over the list, a few blocks of each, the ends of long texts.
 */

import type { WireFormat } from "../registry/registry.ts"
import { isList, isObject, member, type JsonObject } from "../json/json-value.ts"
import { blockMarks, messageMarks, requestMarks, type Mark } from "./format-marks.ts"
import { sampleOf } from "./message-list.ts"
import { roles } from "./shapes.ts"
import { TextStyle } from "./text-style.ts"

export interface DetectedFormat {
  readonly format: WireFormat
  readonly certainty: "certain" | "likely" | "guess"
  readonly why: string
}

const messagesLookedAt = 240
const blocksLookedAt = 24

/** The format whose reader infers the role of a message from its blocks. For others a message without a role is text, and proves nothing. */
const inferringRoles: WireFormat = "anthropic"

/** Formats whose lists the reader of calls in text does not take. */
const shapesOfTheirOwn: readonly WireFormat[] = [
  "openai-responses",
  "gemini",
  "bedrock-converse",
  "ai-sdk-model",
  "ai-sdk-ui",
  "sharegpt",
  "otel-messages",
]

/**
 * `value` is a request object or a bare list, as a codec's decode takes it; `list` is needed only where the messages of
 * `value` must not be under a request's own key. `undefined`: no conversation at all.
 */
export function detectFormat(value: unknown, list = listOf(value)): DetectedFormat | undefined {
  const style = new TextStyle()
  const votes = votesOf(value, list, style)
  if (list === undefined) return votes.winner()
  const inText = style.callsInText()
  if (inText !== undefined && !votes.has(shapesOfTheirOwn)) return { format: "xml-text", ...inText }
  return votes.winner() ?? (list.length > 0 || isObject(value) ? plainGuess(style) : undefined)
}

/**
 * The format of the messages around calls that are text: what the request and the messages show beside them. Messages
 * that show nothing are read as those agents write them that keep calls in text.
 */
export function shapeAround(value: unknown): WireFormat {
  return votesOf(value, listOf(value), new TextStyle()).winner()?.format ?? "anthropic"
}

function votesOf(value: unknown, list: readonly unknown[] | undefined, style: TextStyle): Votes {
  const votes = new Votes()
  if (isObject(value)) {
    for (const mark of requestMarks) votes.count(mark, value)
  }
  for (const message of list === undefined ? [] : sampleOf(list, messagesLookedAt)) {
    // A bare text among messages is read as the user's.
    if (typeof message === "string") style.look({ role: "user", content: message })
    if (!isObject(message)) continue
    for (const mark of messageMarks) votes.count(mark, message)
    style.look(message)
    const { role } = message
    const isWithoutRole = message["content"] !== undefined && !(typeof role === "string" && roles.has(role))
    for (const block of blocksOf(message)) {
      if (!isObject(block)) continue
      for (const mark of blockMarks) if (!isWithoutRole || mark.format === inferringRoles) votes.count(mark, block)
    }
  }
  return votes
}

/** A history that begins with the assistant is no request for Anthropic, which would have to be given a first user message. */
function plainGuess(style: TextStyle): DetectedFormat {
  const mayBeAnthropic = !style.hasSystemMessage && !style.beginsWithAssistant
  if (mayBeAnthropic && style.hasTypedAssistantText) {
    const why = "assistant messages are lists of text blocks and no message has the role system"
    return { format: "anthropic", certainty: "likely", why }
  }
  if (mayBeAnthropic && style.hasTypedText && !style.hasPlainText) {
    return { format: "anthropic", certainty: "guess", why: "all messages are lists of text blocks" }
  }
  return { format: "openai-chat", certainty: "guess", why: "messages of a role and a text, which most formats share" }
}

function listOf(value: unknown): readonly unknown[] | undefined {
  if (isList(value)) return value
  for (const key of ["messages", "input", "contents", "conversations", "gen_ai.input.messages", "gen_ai.output.messages"]) {
    const list = member(value, key)
    if (isList(list)) return list
  }
  return undefined
}

function blocksOf(message: JsonObject): readonly unknown[] {
  const blocks = message["content"] ?? message["parts"]
  return isList(blocks) ? sampleOf(blocks, blocksLookedAt) : []
}

interface Tally {
  /** The sum of all marks that were seen, and the strongest of them. */
  sum: number
  mark: number
  why: string
}

class Votes {
  readonly #tallies = new Map<WireFormat, Tally>()

  count({ format, weight, why, test }: Mark, value: JsonObject): void {
    if (!test(value)) return
    const tally = this.#tallies.get(format)
    if (tally === undefined) {
      this.#tallies.set(format, { sum: weight, mark: weight, why })
      return
    }
    tally.sum += weight
    if (tally.mark >= weight) return
    tally.mark = weight
    tally.why = why
  }

  /** Whether one of these formats has shown a mark of its own. */
  has(formats: readonly WireFormat[]): boolean {
    return formats.some((format) => (this.#tallies.get(format)?.mark ?? 0) >= strong)
  }

  /** The strongest single mark wins, then the sum: a hundred hints do not outweigh one proof. */
  winner(): DetectedFormat | undefined {
    let best: (Tally & { format: WireFormat }) | undefined
    let rivals = 0
    for (const [format, tally] of this.#tallies) {
      if (tally.mark >= strong) rivals += 1
      if (best === undefined || tally.mark > best.mark || (tally.mark === best.mark && tally.sum > best.sum)) {
        best = { format, ...tally }
      }
    }
    if (best === undefined) return undefined
    const { format, mark, why } = best
    if (mark >= strong) return { format, certainty: rivals === 1 ? "certain" : "likely", why }
    return { format, certainty: mark >= medium ? "likely" : "guess", why }
  }
}

const strong = 100
const medium = 10
