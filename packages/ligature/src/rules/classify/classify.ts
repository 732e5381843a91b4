// From a provider's refusal to the demand that was broken: which rule, what to do, and the place and ids it names.
//
//   classify('400 {"type":"error","error":{"message":"messages.5.content.1: `tool_use` ids must be unique"}}')
//   → rule anthropic-tool-use-id-unique, action "re-id", place { path: "messages.5.content.1", message: 5, block: 1 }
//
// It is a function of the text alone. The place is that of the request that was refused; finding it in a stored
// transcript is the caller's part. Errors that are not about a conversation (rate limits, credentials, overload,
// context length, timeouts, HTML pages of proxies) break no demand of the rule book and give undefined.
import { fieldReports, rulebook } from "../rulebook/index.ts"
import type { Action, ProviderRule } from "../rulebook/index.ts"
import { errorTexts } from "./error-texts.ts"
import type { ErrorText } from "./error-texts.ts"
import { namedIds } from "./named-ids.ts"
import { placeOfPath, wirePlace } from "./wire-place.ts"
import type { WirePlace } from "./wire-place.ts"

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
