// From a provider's refusal to the demand that was broken: which rule, what to do, and the place and ids it names.
//
//   classify('400 {"type":"error","error":{"message":"messages.5.content.1: `tool_use` ids must be unique"}}')
//   → rule anthropic-tool-use-id-unique, action "re-id", place { path: "messages.5.content.1", message: 5, block: 1 }
//
// It is a function of the text alone. The place is that of the request that was refused; finding it in a stored
// transcript is the caller's part. Errors that are not about a conversation (rate limits, credentials, overload,
// context length, timeouts, HTML pages of proxies) break no demand of the rule book and give undefined.
import { fieldReports, rulebook, type Action, type ProviderRule } from "../rulebook/index.ts"
import { errorTexts, type ErrorText } from "./error-texts.ts"
import { placeOfPath, wirePlace, type WirePlace } from "./wire-place.ts"

// The ids a refusal names: of calls, results, items, responses. They are found by the words before them, because
// an id itself may look like anything (`call_x`, `functions.Bash:0`, nine random characters).

// Words that nothing but ids can follow.
const certain =
  "immediately after:|response messages:|(?:following|duplicate) Ids:|_result`? blocks:|with id:|tool id\\(|" +
  "(?:Duplicate|Unexpected) tool call id|Tool call id was"
// Words that an id may follow, quoted, or bare if it looks like one.
const likely = "with id|for id|call_id['\"`]?(?: of|:)?|\\bitems?:?(?= ?['\"`])|\\.id':"
// Words that a quoted tool name may follow just as well, so that only a bare id counts.
const possible = "(?:function|custom tool|apply patch|tool) call"
const cues = new RegExp(`(${certain})|(${likely})|${possible}`, "gi")
const quoted = / ?(['"`])([^'"`]{1,2000})\1/y
const bare = / ?([A-Za-z0-9_][\w.:|-]{0,2000})(?!\[)/y
const separator = /,(?: and)?| and(?= )/y
const fieldNames = /^(?:tool_calls?|tool_use|tool_result|tool_call_id|call_id|tool_outputs?)$/

// An id may be before the words that were recognised ("Item 'fc_1' of type …"), a list of them after.
const charactersBefore = 700
const charactersAfter = 40_000

/** The ids named by the refusal that is at `start` to `end` of the text, each once, in order. */
function namedIds(text: string, start: number, end: number): readonly string[] {
  const window = text.slice(Math.max(0, start - charactersBefore), end + charactersAfter)
  const ids = new Set<string>()
  for (const cue of window.matchAll(cues)) {
    const isCertain = cue[1] !== undefined
    const mayBeQuoted = isCertain || cue[2] !== undefined
    let position = cue.index + cue[0].length
    for (;;) {
      const found = (mayBeQuoted ? readQuoted(window, position) : undefined) ?? readBare(window, position)
      if (found === undefined || !(isCertain || looksLikeId(found.id)) || fieldNames.test(found.id)) break
      ids.add(found.id)
      separator.lastIndex = found.end
      if (!separator.test(window)) break
      position = separator.lastIndex
    }
  }
  return [...ids]
}

type FoundId = { readonly id: string; readonly end: number }

function readQuoted(window: string, position: number): FoundId | undefined {
  quoted.lastIndex = position
  const id = quoted.exec(window)?.[2]
  return id === undefined ? undefined : { id, end: quoted.lastIndex }
}

function readBare(window: string, position: number): FoundId | undefined {
  bare.lastIndex = position
  const word = bare.exec(window)?.[1]
  if (word === undefined) return undefined
  // The full stop of a sentence is not part of the id it ends with.
  const id = word.replace(/[.:|-]{1,8}$/, "")
  return { id, end: bare.lastIndex - (word.length - id.length) }
}

function looksLikeId(word: string): boolean {
  return /[\d_-]/.test(word)
}

export type Classification = {
  /** The most specific demand the refusal names. */
  readonly rule: ProviderRule
  /** Every demand whose refusal was recognised, most specific first; some refusals are shared by two demands. */
  readonly all: readonly ProviderRule[]
  readonly action: Action
  readonly place?: WirePlace
  readonly ids: readonly string[]
  /** The provider's words, without wrappers where those could be removed, shortened around the recognised part. */
  readonly text: string
}

type Recognition = {
  readonly rule: ProviderRule
  readonly source: ErrorText
  readonly start: number
  readonly end: number
}

const recognisable: readonly (ProviderRule & { readonly match: RegExp })[] = [...rulebook, ...fieldReports].filter(
  (rule): rule is ProviderRule & { readonly match: RegExp } => rule.match !== undefined,
)

/**
 * The demand after a provider's error.
 *
 * @param error raw text, a log line or stack trace, a JSON body of any provider or gateway, an Error, or
 *   `{ status, body }`.
 */
export function classify(error: unknown): Classification | undefined {
  const { messages, wrapped } = errorTexts(error)
  const clean = recognise(messages)
  const recognitions = clean.length > 0 ? clean : recognise(wrapped)
  const [first] = recognitions
  if (first === undefined) return undefined
  const { rule, source, start, end } = first
  const place = wirePlace(source.text, start, end) ?? placeOfPath(source.param ?? "")
  return {
    rule,
    all: recognitions.map((recognition) => recognition.rule),
    action: rule.action,
    ...(place === undefined ? {} : { place }),
    ids: namedIds(source.text, start, end),
    text: excerpt(source.text, start, end),
  }
}

/**
 * The place that an error names, also where nobody knows what it is about: `messages[1]`, `contents[3].parts[0]`.
 */
export function refusedPlace(error: unknown): WirePlace | undefined {
  const { messages, wrapped } = errorTexts(error)
  for (const { text, param } of [...messages, ...wrapped]) {
    const place = placeOfPath(param ?? "") ?? wirePlace(text, 0, text.length)
    if (place?.message !== undefined) return place
  }
  return undefined
}

/**
 * Most specific means: accounts for the longest stretch of the text. Of equally long ones the rule book's order
 * decides, which the stable sort keeps.
 */
function recognise(texts: readonly ErrorText[]): readonly Recognition[] {
  const recognitions: Recognition[] = []
  for (const rule of recognisable) {
    let longest: Recognition | undefined
    for (const source of texts) {
      const found = rule.match.exec(source.text)
      if (found === null) continue
      const end = found.index + found[0].length
      if (longest === undefined || found[0].length > longest.end - longest.start) {
        longest = { rule, source, start: found.index, end }
      }
    }
    if (longest !== undefined) recognitions.push(longest)
  }
  return recognitions.toSorted((a, b) => b.end - b.start - (a.end - a.start))
}

const shortText = 1_200

function excerpt(text: string, start: number, end: number): string {
  if (text.length <= shortText) return text
  const from = Math.max(0, start - 300)
  const to = Math.min(text.length, end + 700)
  return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`
}
