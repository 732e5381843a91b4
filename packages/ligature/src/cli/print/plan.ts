/** A compaction for people: what became of each item and why, and how the budget is used. */
import type { Amount, Category, Decision, Meter, Plan, Size } from "../../compact/index.ts"
import { categories, handleOf, noSize } from "../../compact/internal.ts"
import { callsOf, type Conversation, type Item } from "../../model/index.ts"
import type { Printer } from "../frame/command.ts"
import { callLine, messageLine } from "./block.ts"
import type { Palette } from "../frame/palette.ts"
import { count, cut, pad, padStart, size } from "../frame/text.ts"

/** What there may be of a view, and what it is counted in. */
export interface Limit {
  readonly measure: "tokens" | "bytes"
  readonly amount: number
}

const number = (value: number): string => value.toLocaleString("en-US")

export const figure = (value: number, measure: Limit["measure"]): string => (measure === "tokens" ? number(value) : size(value))

/** `1,200 tokens`, `1.2 MB`. */
export const amountText = (value: number, measure: Limit["measure"]): string =>
  measure === "tokens" ? `${number(value)} tokens` : size(value)

/** What an item is, on one line. */
const itemLine = (item: Item): string => {
  if (item.role !== "exchange") return `${item.summary === true ? "summary" : item.role}: ${messageLine(item)}`
  const calls = callsOf(item)
  return calls.length === 0 ? `assistant: ${messageLine(item.message)}` : `assistant: ${calls.map(callLine).join(", ")}`
}

/** A letter and a colour each: nothing is shown by colour alone. */
const segments: Readonly<Record<Category, { readonly letter: string; readonly color: keyof Palette }>> = {
  system: { letter: "s", color: "quiet" },
  user: { letter: "u", color: "strong" },
  assistant: { letter: "a", color: "accent" },
  thinking: { letter: "t", color: "quiet" },
  arguments: { letter: "c", color: "accent" },
  results: { letter: "r", color: "good" },
  media: { letter: "m", color: "error" },
  summary: { letter: "d", color: "warning" },
}

const names: Readonly<Record<Category, string>> = {
  system: "system",
  user: "user",
  assistant: "assistant",
  thinking: "thinking",
  arguments: "calls",
  results: "results",
  media: "media",
  summary: "digest or summary",
}

/** The budget as a bar: each category has its share of the width, what is free is dots. */
export const budgetBar = (
  amounts: Readonly<Record<Category,
  number>>,
  budget: number,
  width: number,
  palette: Palette,
): string => {
  const used = categories.reduce((sum, category) => sum + amounts[category], 0)
  const whole = Math.max(budget, used, 1)
  let drawn = 0
  let sum = 0
  const parts = categories.map((category) => {
    sum += amounts[category]
    // Rounded at the ends, so that the lengths add up to that of the bar.
    const end = Math.round((sum / whole) * width)
    const { letter, color } = segments[category]
    const part = palette[color](letter.repeat(end - drawn))
    drawn = end
    return part
  })
  return `[${parts.join("")}${palette.quiet("·".repeat(width - drawn))}]`
}

const legendOf = (amounts: Readonly<Record<Category, number>>, measure: Limit["measure"]): string =>
  categories.flatMap((category) => (amounts[category] > 0 ? [
    `${segments[category].letter} ${names[category]} ${figure(amounts[category], measure)}`,
  ] : [])).join("  ")

const amountsOf = (amount: Amount, measure: Limit["measure"]): Amount["categories"] =>
  measure === "tokens" ? amount.categories : amount.categoryBytes

/** What became of an item; of a plan that is not carried out, nothing. */
export const decisionAt = (plan: Plan, index: number): Decision =>
  (plan.outcome === "compacted" ? plan.decisions[index] : undefined) ?? { kind: "keep" }

interface Mark {
  readonly mark: string
  readonly word: string
  readonly color: keyof Palette
}

const marks: Readonly<Record<Decision["kind"], Mark>> = {
  keep: { mark: "=", word: "kept", color: "good" },
  edit: { mark: "~", word: "shortened", color: "accent" },
  cover: { mark: "-", word: "elided", color: "warning" },
  hide: { mark: "x", word: "hidden", color: "error" },
}

export const whyOf = ({ outcome }: Plan, decision: Decision, isProtected: boolean): string => {
  if (outcome === "refused") return "refused"
  if (decision.kind !== "keep") return decision.why
  return isProtected ? "protected" : "fits"
}

export interface ExplainedPlan {
  readonly conversation: Conversation
  readonly plan: Plan
  readonly meter: Meter
  readonly limit: Limit
  readonly isProtected: (item: Item, index: number) => boolean
  /** Size of the tool definitions, and whether they count against the budget. */
  readonly tools: Size
  readonly areToolsCounted: boolean
}

/** The size an item has in the view. */
export const sizeAfter = (decision: Decision, item: Item, meter: Meter): Size => {
  if (decision.kind === "keep") return meter.sizeOfItem(item)
  return decision.kind === "edit" ? meter.sizeOfItem(decision.item) : noSize
}

const handleWidth = 7
const amountWidth = 18

/** What became of each item, and before the first item that a summary covers, the summary. */
const printItems = ({ conversation, plan, meter, limit, isProtected }: ExplainedPlan, out: Printer): void => {
  const { palette, width } = out
  const { measure } = limit
  const say = (value: number): string => figure(value, measure)
  const whyWidth = 26
  const room = Math.max(20, width - handleWidth - 12 - amountWidth - whyWidth)
  out.line(
    palette.quiet(
      `${pad("item", handleWidth)}${pad("", 12)}${pad("what it is", room)}${padStart(measure, amountWidth - 2)}  why`,
    ),
  )
  const announced = new Set<number>()
  for (const [index, item] of conversation.items.entries()) {
    const decision = decisionAt(plan, index)
    const { mark, word, color } = marks[decision.kind]
    const whole = meter.sizeOfItem(item)[measure]
    const left = sizeAfter(decision, item, meter)[measure]
    const amount = left === whole ? say(whole) : `${say(whole)} → ${say(left)}`
    const text = pad(cut(itemLine(item), room - 1), room)
    const fate = palette[color](pad(`${mark} ${word}`, 12))
    const line = `${pad(handleOf(index), handleWidth)}${fate}${text}${padStart(amount, amountWidth - 2)}`
    out.line(`${line}  ${palette.quiet(cut(whyOf(plan, decision, isProtected(item, index)), whyWidth - 2))}`)
    if (decision.kind !== "cover" || announced.has(decision.summary)) continue
    announced.add(decision.summary)
    const message = plan.summaries[decision.summary]?.message
    if (message === undefined) continue
    const own = meter.sizeOfItem(message)[measure]
    const words = pad(cut(messageLine(message), room - 1), room)
    const standsIn = `${pad("", handleWidth)}${palette.warning(pad("+ stands in", 12))}`
    out.line(`${standsIn}${words}${padStart(say(own), amountWidth - 2)}`)
  }
  out.line()
}

const printTools = ({ tools, areToolsCounted, limit: { measure } }: ExplainedPlan, out: Printer): void => {
  if (tools.bytes === 0) return
  const counted = areToolsCounted ? "taken off the budget already" : "not counted against a share"
  out.line(`tools  ${amountText(tools[measure], measure)} of definitions beside it, ${counted}`)
}

/** How many items had which fate, and what a prompt cache still holds. */
const countsOf = ({ strategy, statistics }: Plan): string => {
  const { items: { kept, edited, covered, hidden }, prefixKept, thinkingLost } = statistics
  const parts = [
    `${count(kept, "item")} kept`,
    `${number(edited)} shortened`,
    `${number(covered)} elided`,
    ...(hidden > 0 ? [`${number(hidden)} hidden`] : []),
  ]
  const thinking = thinkingLost > 0 ? ` · ${count(thinkingLost, "thinking block")} lost` : ""
  return `${strategy}: ${parts.join(", ")} · ${number(prefixKept)} tokens in front unchanged${thinking}`
}

/** Of a plan that was refused there is no view: only why, and what there is. */
export const printExplanation = (explained: ExplainedPlan, out: Printer): void => {
  const { plan, limit: { measure, amount: most } } = explained
  const { palette, width } = out
  const { before, after } = plan.statistics
  const isRefused = plan.outcome === "refused"
  if (isRefused) {
    out.line(`${palette.error("refused")}: ${plan.reason ?? "nothing fits"}`)
    out.line()
  } else printItems(explained, out)
  const barWidth = Math.max(20, Math.min(60, width - 44))
  const all = budgetBar(amountsOf(before, measure), before[measure], barWidth, palette)
  out.line(`before ${all} ${amountText(before[measure], measure)}`)
  if (!isRefused) {
    const filled = budgetBar(amountsOf(after, measure), most, barWidth, palette)
    out.line(`after  ${filled} ${figure(after[measure], measure)} of ${amountText(most, measure)}`)
  }
  out.line(palette.quiet(`       ${legendOf(amountsOf(isRefused ? before : after, measure), measure)}`))
  printTools(explained, out)
  if (!isRefused) out.line(palette.quiet(`       ${countsOf(plan)}`))
}
