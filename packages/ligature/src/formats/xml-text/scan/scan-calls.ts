/**
 * Finds tool calls that were written as text, and says how sure it is of each.
 *
 * Three styles are read: `tag` (`<tool><parameter>value</parameter></tool>`), `invoke` (`<invoke name="tool">` with
 * `<parameter name="…">`, alone or inside `<function_calls>`, with or without a namespace prefix) and `hermes`
 * (`<tool_call>{"name": …, "arguments": …}</tool_call>`).
 *
 * The text is never rewritten: the segments cover it exactly, so whatever a segment is turned into, the original
 * words can be put back. A candidate that scores below the threshold stays text, because prose about tools looks
 * much like a call to one.
 */
import type { JsonObject, Wire } from "../../../model/index.ts"
import { defaultThreshold, frameFinder, judge, learnedSign, placeOf, type Sign, signs, trailOf } from "./call-frames.ts"
import type { WorkCounter } from "./parameters.ts"
import { attributeOf, indexTags, type Tag, walkFences } from "./tags.ts"
import { isJsonObject, parseJson } from "./values.ts"

// Finds where a JSON object that starts at a known place ends, without knowing what follows it. A closing tag cannot be searched for, because a JSON
// string may contain it. The walk checks order of tokens strictly and stops at the first character JSON does not allow there; that early stop is what
// keeps many false starts linear in total.

type Expectation = "value" | "key-or-end" | "key" | "colon" | "comma-or-end" | "value-or-end"

const scalar = /(?:-?[0-9][0-9.eE+-]*|true|false|null)/y

const stringEnd = (text: string, start: number): number => {
  for (let position = start + 1; position < text.length; position++) {
    const character = text.charAt(position)
    if (character === '"') return position + 1
    if (character === "\n" || character === "\r") return -1
    if (character === "\\") position++
  }
  return -1
}

/** The position after the object, or -1 when what is there is no complete JSON object. */
const jsonObjectEnd = (text: string, start: number): number => {
  if (text.charAt(start) !== "{") return -1
  const closers: string[] = []
  let expectation: Expectation = "value"
  let position = start
  while (position < text.length) {
    const character = text.charAt(position)
    if (character === " " || character === "\n" || character === "\r" || character === "\t") {
      position++
      continue
    }
    const wantsValue: boolean = expectation === "value" || expectation === "value-or-end"
    const mayEnd: boolean = expectation === "key-or-end" || expectation === "value-or-end" || expectation === "comma-or-end"
    if ((character === "{" || character === "[") && wantsValue) {
      closers.push(character === "{" ? "}" : "]")
      expectation = character === "{" ? "key-or-end" : "value-or-end"
      position++
    } else if ((character === "}" || character === "]") && mayEnd) {
      if (closers.pop() !== character) return -1
      position++
      if (closers.length === 0) return position
      expectation = "comma-or-end"
    } else if (character === '"' && (wantsValue || expectation === "key" || expectation === "key-or-end")) {
      position = stringEnd(text, position)
      if (position < 0) return -1
      expectation = wantsValue ? "comma-or-end" : "colon"
    } else if (character === ":" && expectation === "colon") {
      expectation = "value"
      position++
    } else if (character === "," && expectation === "comma-or-end") {
      expectation = closers.at(-1) === "}" ? "key" : "value"
      position++
    } else if (wantsValue) {
      scalar.lastIndex = position
      if (!scalar.test(text)) return -1
      position = scalar.lastIndex
      expectation = "comma-or-end"
    } else {
      return -1
    }
  }
  return -1
}

// Reads the JSON of a `<tool_call>` block as Hermes and Qwen models write it. The end is where the JSON object ends, never the next closing tag: an
// argument may well contain `</tool_call>`.

interface HermesCall {
  readonly name: string
  readonly arguments: JsonObject
  readonly end: number
  readonly closed: boolean
}

const closingTag = "</tool_call>"

const skipWhiteSpace = (text: string, from: number): number => {
  let position = from
  while (/\s/.test(text.charAt(position))) position++
  return position
}

/** `from`: the position after the opening tag. */
const readHermesCall = (text: string, from: number): HermesCall | undefined => {
  const start = skipWhiteSpace(text, from)
  const objectEnd = jsonObjectEnd(text, start)
  if (objectEnd < 0) return undefined
  const call = parseJson(text.slice(start, objectEnd))
  if (!isJsonObject(call) || typeof call["name"] !== "string" || call["name"] === "") return undefined
  const given = call["arguments"] ?? call["parameters"] ?? {}
  // Some templates encode the arguments twice.
  const parsed = typeof given === "string" ? parseJson(given) : given
  if (!isJsonObject(parsed)) return undefined
  const closeStart = skipWhiteSpace(text, objectEnd)
  const closed = text.startsWith(closingTag, closeStart)
  const end = closed ? closeStart + closingTag.length : objectEnd
  return { name: call["name"], arguments: parsed, end, closed }
}

export type CallStyle = "tag" | "invoke" | "hermes"

export interface TextSegment {
  readonly kind: "text"
  readonly start: number
  readonly end: number
}

export interface CallSegment {
  readonly kind: "call"
  readonly start: number
  readonly end: number
  readonly name: string
  readonly arguments: JsonObject
  /** The words themselves, with the wrapper around them where there is one. */
  readonly raw: string
  readonly style: CallStyle
  readonly certainty: number
  readonly evidence: readonly string[]
  readonly closed: boolean
}

export type Segment = TextSegment | CallSegment

export interface ScanCallsOptions {
  /** Names of the tools that exist. Without it (and without `learned`) only calls that name themselves are found. */
  readonly tools?: ReadonlySet<string> | readonly string[] | undefined
  /** Tools learned from the file, see `learnTools`. */
  readonly learned?: ReadonlyMap<string, { readonly certainty: number }> | undefined
  /** Parameter names per tool, where they are known: a tag with another name is then never taken for a parameter. */
  readonly parameters?: ReadonlyMap<string, ReadonlySet<string>> | undefined
  /** The schema of each tool's arguments, where it is known: numbers, booleans and lists become what it says. */
  readonly schemas?: ReadonlyMap<string, Wire> | undefined
  /** Candidates below stay text; see `defaultThreshold`. */
  readonly threshold?: number | undefined
  /**
   * Names of the results that follow this text, one per result. A call without closing tag at the end of the text
   * counts when a result is left over for it: the agent ran it, so it was a call.
   */
  readonly answered?: readonly string[] | undefined
  readonly work?: WorkCounter | undefined
}

interface FoundCall {
  readonly name: string
  readonly arguments: JsonObject
  readonly end: number
  readonly closed: boolean
  readonly signs: readonly Sign[]
}

const stepsPerTag = 96

export const scanCalls = (text: string, options: ScanCallsOptions = {}): readonly Segment[] => {
  const whole: readonly Segment[] = text === "" ? [] : [{ kind: "text", start: 0, end: text.length }]
  if (!text.includes("<")) return whole
  const tools = options.tools === undefined || "has" in options.tools ? options.tools : new Set(options.tools)
  const threshold = options.threshold ?? defaultThreshold
  const work = options.work ?? { steps: 0 }
  const toolsKnown = tools !== undefined || (options.learned?.size ?? 0) > 0

  const knownSign = (name: string): Sign | undefined => {
    if (tools?.has(name) === true) return signs.listed
    const learned = options.learned?.get(name)
    return learned === undefined ? undefined : learnedSign(learned.certainty)
  }
  const index = indexTags(text)
  const isTagCall = (tag: Tag): boolean => tag.attributes === "" && knownSign(tag.name) !== undefined
  const isInvoke = (tag: Tag): boolean => tag.kind === "open" && tag.local === "invoke" && tag.attributes !== ""
  const startsCall = (position: number): boolean => {
    const tag = index.tags[position]
    if (tag?.kind !== "open" || index.joined[position] !== true) return false
    return isTagCall(tag) || isInvoke(tag)
  }
  if (!index.tags.some((tag) => isTagCall(tag) || tag.local === "invoke" || tag.name === "tool_call")) return whole
  const frames = frameFinder(text, index, startsCall, work)
  const fences = walkFences(text)

  const readFrame = (position: number, name: string, style: "tag" | "invoke", named: Sign): FoundCall & { close: number } => {
    const frame = frames.find({ position, style, allowed: options.parameters?.get(name), schema: options.schemas?.get(name) })
    const { closed, close, end, parameters } = frame
    return { name, arguments: parameters.arguments, end, close, closed, signs: [named, ...frame.signs] }
  }

  const readInvokes = (position: number, wrapped: boolean): readonly FoundCall[] => {
    const calls: FoundCall[] = []
    let cursor = wrapped ? position + 1 : position
    let joined = wrapped ? index.joined[position] === true : true
    while (joined) {
      const tag = index.tags[cursor]
      if (tag === undefined || !isInvoke(tag) || index.joined[cursor] !== true) break
      const name = attributeOf(tag, "name")
      if (name === undefined || name === "") break
      const unlisted = wrapped ? signs.unlistedInWrapper : signs.unlisted
      const selfNamed = wrapped ? signs.selfNamedInWrapper : signs.selfNamed
      const call = readFrame(cursor, name, "invoke", knownSign(name) ?? (toolsKnown ? unlisted : selfNamed))
      calls.push(call)
      if (!wrapped || !call.closed) break
      cursor = call.close + 1
      joined = index.joined[call.close] === true
    }
    const wrapper = index.tags[cursor]
    const last = calls.at(-1)
    if (wrapped && joined && last?.closed === true && wrapper?.kind === "close" && wrapper.local === "function_calls") {
      calls[calls.length - 1] = { ...last, end: wrapper.end }
    }
    return calls
  }

  const readAt = (position: number, tag: Tag): { style: CallStyle; calls: readonly FoundCall[] } | undefined => {
    if (tag.name === "tool_call" && tag.attributes === "") {
      const call = readHermesCall(text, tag.end)
      if (call === undefined) return undefined
      const named = knownSign(call.name) ?? (toolsKnown ? signs.unlistedInWrapper : signs.selfNamedInWrapper)
      const closing = call.closed ? [signs.closed, signs.clean] : [signs.unclosed]
      return { style: "hermes", calls: [{ ...call, signs: [named, ...closing] }] }
    }
    if (tag.local === "function_calls") return { style: "invoke", calls: readInvokes(position, true) }
    if (isInvoke(tag)) return { style: "invoke", calls: readInvokes(position, false) }
    const known = index.joined[position] === true && tag.attributes === "" ? knownSign(tag.name) : undefined
    return known === undefined ? undefined : { style: "tag", calls: [readFrame(position, tag.name, "tag", known)] }
  }

  const unusedAnswers = new Map<string, number>()
  for (const name of options.answered ?? []) unusedAnswers.set(name, (unusedAnswers.get(name) ?? 0) + 1)
  const answerSigns = (call: FoundCall): readonly Sign[] =>
    !call.closed && (unusedAnswers.get(call.name) ?? 0) > 0 ? [signs.answered] : []

  const segments: Segment[] = []
  let cursor = 0
  let previousCallEnd = 0
  const limit = work.steps + stepsPerTag * (index.tags.length + 16)
  index.tags.forEach((tag, position) => {
    // Only text built to defeat the look-ups comes near this limit; what is left of it stays text.
    if (tag.kind !== "open" || tag.start < cursor || work.steps > limit) return
    const startsOutside = isTagCall(tag) || tag.local === "function_calls" || isInvoke(tag) || tag.name === "tool_call"
    if (!startsOutside) return
    const place = [placeOf(text, tag, index.tags[position - 1], previousCallEnd)]
    if (fences.insideFence(tag.start)) place.push(signs.fenced)
    if (judge([signs.listed, ...place, signs.closed, signs.clean]).certainty < threshold) return
    const found = readAt(position, tag)
    const last = found?.calls.at(-1)
    if (found === undefined || last === undefined) return
    const trail = trailOf(text, last.end)
    const judged = found.calls.map((call) => ({ call, ...judge([...call.signs, ...place, ...trail, ...answerSigns(call)]) }))
    if (judged.some((each) => each.certainty < threshold)) return
    if (tag.start > cursor) segments.push({ kind: "text", start: cursor, end: tag.start })
    let start = tag.start
    for (const { call, certainty, evidence } of judged) {
      const { name, end, closed } = call
      const raw = text.slice(start, end)
      const { style } = found
      segments.push({ kind: "call", start, end, name, arguments: call.arguments, raw, style, certainty, evidence, closed })
      unusedAnswers.set(name, (unusedAnswers.get(name) ?? 0) - 1)
      start = end
    }
    cursor = start
    previousCallEnd = start
    fences.restartAt(start)
  })
  if (cursor < text.length) segments.push({ kind: "text", start: cursor, end: text.length })
  return segments
}
