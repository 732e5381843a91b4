/**
 * Reads the parameters between a call's opening and closing tag.
 *
 * A value ends at the closing tag that balances its opening tag, provided that only white space separates it from
 * the next parameter or the end of the call. Where that fails (a value mentions its own tag without balancing it),
 * the value ends at the last closing tag of that name that can end it; for `<parameter name>` it is the first one,
 * because there all parameters share one tag name. Repeated names end a call's parameters, which also bounds the
 * work per call.
 */
import type { JsonObject, JsonValue, Wire } from "../../../model/index.ts"
import { attributeOf, type Tag, type TagIndex } from "./tags.ts"
import { readValue } from "./values.ts"

/** Counts look-ups, so that tests can bound the work without a clock. */
export interface WorkCounter {
  steps: number
}

interface ParameterQuestion {
  readonly text: string
  readonly index: TagIndex
  /** Position of the call's opening tag among the tags. */
  readonly open: number
  /** Position of the call's closing tag; the number of tags when the call is not closed. */
  readonly close: number
  /** Where the text of an unclosed call ends; its last value may be cut off there. */
  readonly cutAt?: number
  readonly style: "tag" | "invoke"
  readonly allowed: ReadonlySet<string> | undefined
  /** The schema of the tool's arguments, where it is known. */
  readonly schema?: Wire | undefined
  readonly work: WorkCounter
}

export interface ReadParameters {
  readonly arguments: JsonObject
  readonly count: number
  /**
   * `clean`: tags and white space only. `loose`: text was between parameters. `broken`: this is no list of
   * parameters.
   */
  readonly shape: "clean" | "loose" | "broken"
}

const fallbackReach = 16

const keyOf = (question: ParameterQuestion, position: number): string | undefined => {
  const tag = question.index.tags[position]
  if (tag === undefined || tag.kind === "close") return undefined
  const named = tag.local === "parameter" ? attributeOf(tag, "name") : undefined
  const outer = question.index.tags[question.open]
  const bare = question.style === "tag" && tag.name !== outer?.name ? tag.name : undefined
  const key = named ?? bare
  if (key === undefined || question.allowed === undefined) return key
  return question.allowed.has(key) ? key : undefined
}

const firstAtOrAfter = (sorted: readonly number[], position: number, work: WorkCounter): number => {
  let low = 0
  let high = sorted.length
  while (low < high) {
    work.steps++
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? Infinity) < position) low = middle + 1
    else high = middle
  }
  return low
}

const findValueEnd = (
  question: ParameterQuestion,
  position: number,
  tag: Tag,
  seen: ReadonlyMap<string, JsonValue>,
  key: string,
): number => {
  const { index, close, work } = question
  const canEnd = (candidate: number): boolean => {
    work.steps++
    if (candidate + 1 === close) return close === index.tags.length || index.joined[candidate] === true
    if (index.joined[candidate] !== true) return false
    const next = keyOf(question, candidate + 1)
    return next !== undefined && next !== key && !seen.has(next)
  }
  const balanced = index.balanced[position] ?? -1
  if (balanced > position && balanced < close && canEnd(balanced)) return balanced
  const closes = index.closes.get(tag.name) ?? []
  const first = firstAtOrAfter(closes, position, work)
  const last = firstAtOrAfter(closes, close, work) - 1
  for (let reach = 0; reach < fallbackReach && first + reach <= last; reach++) {
    const candidate = closes[question.style === "invoke" ? first + reach : last - reach] ?? -1
    if (candidate >= 0 && canEnd(candidate)) return candidate
  }
  // Text is between this parameter and what follows: believe the balance, and let the caller lower its certainty.
  return balanced > position && balanced < close ? balanced : -1
}

export const readParameters = (question: ParameterQuestion): ReadParameters => {
  const { text, index, open, close, style, schema, work } = question
  const read = new Map<string, JsonValue>()
  let shape: ReadParameters["shape"] = "clean"
  let cursor = open
  for (;;) {
    work.steps++
    const position = cursor + 1
    if (position >= close) break
    if (index.joined[cursor] !== true) shape = "loose"
    const tag = index.tags[position]
    const key = keyOf(question, position)
    if (tag === undefined || key === undefined || read.has(key)) {
      shape = "broken"
      break
    }
    if (tag.kind === "empty") {
      read.set(key, "")
      cursor = position
      continue
    }
    const end = findValueEnd(question, position, tag, read, key)
    const closing = index.tags[end]
    if (closing === undefined) {
      shape = "broken"
      if (question.cutAt !== undefined)
        read.set(key, readValue(tag, text.slice(tag.end, question.cutAt), style === "invoke", { key, schema }))
      break
    }
    read.set(key, readValue(tag, text.slice(tag.end, closing.start), style === "invoke", { key, schema }))
    cursor = end
  }
  // `Object.fromEntries` defines own properties, so a parameter called `__proto__` stays a plain parameter.
  return { arguments: Object.fromEntries(read), count: read.size, shape }
}
