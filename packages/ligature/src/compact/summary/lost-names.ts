/**
 * Which names a summary lost that the agent is likely to use again. Summaries keep decisions well and names
 * badly (measured on recorded ones: one path in ten, one number in fifty), and names can be checked without a model.
 * Only names that the agent or the user wrote count; those that were merely in a result do not.
 */
import { callsOf, type Item, type JsonValue } from "../../model/index.ts"
import { type Handle, handleOf } from "../text/handles.ts"
import { passagesOf } from "../text/item-text.ts"
import { eachTerm, type TermKind } from "../text/terms.ts"

export interface NamedItem {
  readonly text: string
  readonly kind: TermKind
  /** Where it was last used. */
  readonly handle: Handle
}

interface GuardOptions {
  /** How many of the most valuable names are looked for. Default 40. */
  readonly names?: number
}

const kinds: ReadonlySet<TermKind> = new Set(["path", "file", "address", "flag", "id", "identifier"])

const fading = 0.97

/** Keys and tokens must not be spread by us. Long mixtures of letters and digits without structure look like them. */
const looksSecret = (text: string): boolean =>
  /^(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abprs]|AKIA|ASIA|AIza|eyJ|npm_|hf_)[-_A-Za-z0-9]{12,}/.test(text) ||
  (/^[A-Za-z0-9+/=_-]{28,}$/.test(text) && /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text))

interface Seen {
  readonly kind: TermKind
  inArguments: number
  inText: number
  inUserText: number
  last: number
  handle: Handle
}

const note = (
  seen: Map<string,
  Seen>,
  text: string,
  field: "inArguments" | "inText" | "inUserText",
  at: number,
  handle: Handle,
): void => {
  for (const line of text.split("\n")) {
    eachTerm(line, (term, kind) => {
      if (!kinds.has(kind) || term.length < 4 || looksSecret(term)) return
      const known = seen.get(term) ?? { kind, inArguments: 0, inText: 0, inUserText: 0, last: at, handle }
      known[field]++
      known.last = at
      known.handle = handle
      seen.set(term, known)
    })
  }
}

/** The values of arguments, without their keys: those come from the schema and not from the agent. */
const valuesOf = (value: JsonValue): string => {
  if (typeof value !== "object" || value === null) return String(value)
  return Object.values(value).map((each: JsonValue) => valuesOf(each)).join("\n")
}

const valueOf = ({ inArguments, inText, inUserText, last }: Seen, end: number): number =>
  (2 * Math.log1p(inArguments) + Math.log1p(inText) + (inUserText > 0 ? 1 : 0)) * fading ** (end - last)

/** Names the agent or the user wrote in these items, the most valuable first. */
export const importantNames = (
  items: readonly { readonly item: Item; readonly position: number }[],
  options: GuardOptions = {},
): readonly NamedItem[] => {
  const { names = 40 } = options
  const seen = new Map<string, Seen>()
  for (const [at, { item, position }] of items.entries()) {
    for (const { call, text } of passagesOf(item)) {
      if (call !== undefined) continue
      note(seen, text, item.role === "exchange" ? "inText" : "inUserText", at, handleOf(position))
    }
    if (item.role !== "exchange") continue
    callsOf(item).forEach((call, index) => note(
      seen,
      valuesOf(call.arguments),
      "inArguments",
      at,
      handleOf(position, index),
    ))
  }
  return [...seen]
    .map(([text, each]) => ({ text, kind: each.kind, handle: each.handle, value: valueOf(each, items.length) }))
    .sort((a, b) => b.value - a.value || (a.text < b.text ? -1 : 1))
    .slice(0, names)
    .map(({ text, kind, handle }) => ({ text, kind, handle }))
}

/** Those of the names that a text does not hold. */
export const lostNames = (names: readonly NamedItem[], text: string): readonly NamedItem[] =>
  names.filter((name) => !text.includes(name.text))
