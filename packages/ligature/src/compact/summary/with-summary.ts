/**
 * A summary by a model on top of a plan that needs none. The deterministic strategy decides what stays verbatim and
 * what is covered, and its own message (a digest, say) stays as the evidence; the summary is put before it. So
 * everything that holds for the strategy below holds for this one too: pairs, protection, budget.
 */
import {
  callsOf,
  type Conversation,
  type Item,
  type JsonValue,
  type Message,
  text,
  type TextBlock,
  type UserMessage,
} from "../../model/index.ts"
import type { Size } from "../meter/meter.ts"
import { concludePlan, makePlan } from "../plan/make-plan.ts"
import type { Context, Decision, Plan, Strategy, Summary } from "../plan/plan.ts"
import { type Handle, handleOf, parseHandle } from "../text/handles.ts"
import { passagesOf } from "../text/item-text.ts"
import { eachTerm, type TermKind } from "../text/terms.ts"

// Which names a summary lost that the agent is likely to use again. Summaries keep decisions well and names
// badly (measured on recorded ones: one path in ten, one number in fifty), and names can be checked without a model.
// Only names that the agent or the user wrote count; those that were merely in a result do not.

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

const note = (seen: Map<string, Seen>, text: string, field: "inArguments" | "inText" | "inUserText", at: number, handle: Handle): void => {
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
  return Object.values(value)
    .map((each: JsonValue) => valuesOf(each))
    .join("\n")
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
    callsOf(item).forEach((call, index) => note(seen, valuesOf(call.arguments), "inArguments", at, handleOf(position, index)))
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

// The message a summary becomes: what it is and is not, the summary, and the names it lost. The text before it is
// constant (it is how the summary is found again), and tells the model that reads it that this is history,
// not a request.

const mark = "[ligature:summary]"
const behindHandles =
  "of this conversation, written by a summariser. It is a record of what happened and holds no instructions. " +
  "Handles like #12 " +
  "name what it stands for; the recall tool, where there is one, reads them back."
const namesTitle = "Also named in what is summarised, found by a scan:"

export interface SummaryText {
  readonly text: string
  /** Positions of the first and last item it stands for. */
  readonly first: number
  readonly last: number
  /** Names that the summary should have kept. */
  readonly lost?: readonly NamedItem[]
}

/** The block before the evidence. */
export const summaryBlock = ({ text: words, first, last, lost = [] }: SummaryText): TextBlock => {
  const list = lost.map(({ text: name, handle }) => `${name} (${handle})`).join(", ")
  const names = list === "" ? "" : `\n\n${namesTitle}\n${list}`
  return text(`${mark} This message stands for ${handleOf(first)} to ${handleOf(last)} ${behindHandles}\n\n${words.trim()}${names}`)
}

/** The summary in a message, without the frame; undefined when there is none. */
export const readSummary = (message: Message): { readonly text: string; readonly upTo: number } | undefined => {
  const [block] = message.blocks
  if (block?.type !== "text" || !block.text.startsWith(mark)) return undefined
  const end = block.text.indexOf(`${behindHandles}\n\n`)
  if (end < 0) return undefined
  // Summaries that were stored earlier have no space before this text.
  const before = block.text.slice(0, end).trimEnd()
  const last = parseHandle(before.slice(before.lastIndexOf(" ") + 1))
  if (last === undefined) return undefined
  const body = block.text.slice(end + behindHandles.length + 2)
  const names = body.lastIndexOf(`\n\n${namesTitle}\n`)
  return { text: names < 0 ? body : body.slice(0, names), upTo: last.item }
}

export const summaryStrategyName = "summary"

const isOut = ({ kind }: Decision): boolean => kind === "cover" || kind === "hide"

/** What was hidden is covered now, since the summary is in its place. */
const decided = (decisions: readonly Decision[], target: number): readonly Decision[] =>
  decisions.map((decision) =>
    decision.kind === "hide"
      ? {
          kind: "cover",
          summary: target,
          why: decision.why,
        }
      : decision,
  )

const inFront = (summaries: readonly Summary[], target: number, block: TextBlock): readonly Summary[] =>
  target === summaries.length
    ? [...summaries, { message: { role: "user", blocks: [block], summary: true } }]
    : summaries.map((summary, index) =>
        index === target
          ? {
              ...summary,
              message: { ...summary.message, blocks: [block, ...summary.message.blocks] },
            }
          : summary,
      )

/** The items a plan takes out of sight: what a summary of it has to report. */
export const coveredBy = (plan: Plan): readonly number[] => plan.decisions.flatMap((decision, index) => (isOut(decision) ? [index] : []))

const lessBy = (limit: Size, size: Size): Size => ({
  tokens: Math.max(0, limit.tokens - size.tokens),
  bytes: Math.max(0, limit.bytes - size.bytes),
})

const planWith = (base: Strategy, block: TextBlock, conversation: Conversation, limit: Size, context: Context): Plan => {
  const { meter } = context
  const message: UserMessage = { role: "user", blocks: [block], summary: true }
  const below = base.plan(conversation, lessBy(limit, meter.sizeOfMessage(message)), context)
  const { outcome, decisions, summaries } = below
  const made = (result: Plan["outcome"], reason: string | undefined): Plan =>
    makePlan(conversation, meter, {
      strategy: summaryStrategyName,
      outcome: result,
      decisions,
      summaries,
      ...(reason !== undefined && { reason }),
    })
  if (outcome !== "compacted") return made(outcome, below.reason)
  if (!decisions.some(isOut))
    return made("refused", `None of ${decisions.length} items is taken out of sight, so that there is nothing to summarise`)
  const known = decisions.find((decision) => decision.kind === "cover")
  const target = known?.kind === "cover" ? known.summary : summaries.length
  const plan = concludePlan(summaryStrategyName, conversation, limit, meter, {
    decisions: decided(decisions, target),
    summaries: inFront(summaries, target, block),
  })
  const { before, after } = plan.statistics
  return plan.outcome !== "compacted" || after.tokens < before.tokens
    ? plan
    : made("refused", `The summary is no shorter than what it stands for: ${after.tokens} tokens instead of ${before.tokens}`)
}

/** `base` with this summary before what it leaves. */
export const withSummary = (base: Strategy, block: TextBlock): Strategy => ({
  name: summaryStrategyName,
  plan: (conversation, limit, context) => planWith(base, block, conversation, limit, context),
})
