/** A compaction explained: the decision about each item and its reason, and how the budget is used. */
import type { Amount, Category, Decision, Meter, Plan, Size } from "../../compact/index.ts"
import { categories, handleOf, noSize } from "../../compact/internal.ts"
import { callsOf, type Conversation, type Item, phrase, translated } from "../../model/index.ts"
import type { Printer } from "../frame/command.ts"
import { callLine, messageLine } from "./block.ts"
import type { Palette } from "../frame/palette.ts"
import { count, cut, pad, padStart, size, widthOf } from "../frame/text.ts"

/** The most a view may have, and the unit. */
export interface Limit {
  readonly measure: "tokens" | "bytes"
  readonly amount: number
}

const number = (value: number): string => value.toLocaleString("en-US")

export const figure = (value: number, measure: Limit["measure"]): string => (measure === "tokens" ? number(value) : size(value))

/** `1,200 tokens`, `1.2 MB`. */
export const amountText = (value: number, measure: Limit["measure"]): string =>
  measure === "tokens" ? phrase`${number(value)} tokens` : size(value)

/** An item on one line. */
const itemLine = (item: Item): string => {
  if (item.role !== "exchange") return `${item.summary === true ? phrase`summary` : item.role}: ${messageLine(item)}`
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

/** Called when printed: the language is chosen by then. */
const names: Readonly<Record<Category, () => string>> = {
  system: () => "system",
  user: () => "user",
  assistant: () => "assistant",
  thinking: () => phrase`thinking`,
  arguments: () => phrase`calls`,
  results: () => phrase`results`,
  media: () => phrase`media`,
  summary: () => phrase`digest or summary`,
}

/** The budget as a bar: each category has its share of the width, dots are free. */
export const budgetBar = (amounts: Readonly<Record<Category, number>>, budget: number, width: number, palette: Palette): string => {
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
  categories
    .flatMap((category) =>
      amounts[category] > 0 ? [`${segments[category].letter} ${names[category]()} ${figure(amounts[category], measure)}`] : [],
    )
    .join("  ")

const amountsOf = (amount: Amount, measure: Limit["measure"]): Amount["categories"] =>
  measure === "tokens" ? amount.categories : amount.categoryBytes

/** The decision about an item; everything is kept by a plan that is not carried out. */
export const decisionAt = (plan: Plan, index: number): Decision =>
  (plan.outcome === "compacted" ? plan.decisions[index] : undefined) ?? { kind: "keep" }

interface Mark {
  readonly mark: string
  readonly label: () => string
  readonly color: keyof Palette
}

const marks: Readonly<Record<Decision["kind"], Mark>> = {
  keep: { mark: "=", label: () => phrase`kept`, color: "good" },
  edit: { mark: "~", label: () => phrase`shortened`, color: "accent" },
  cover: { mark: "-", label: () => phrase`elided`, color: "warning" },
  hide: { mark: "x", label: () => phrase`hidden`, color: "error" },
}

export const whyOf = ({ outcome }: Plan, decision: Decision, isProtected: boolean): string => {
  if (outcome === "refused") return "refused"
  if (decision.kind !== "keep") return decision.why
  return isProtected ? "protected" : "fits"
}

/** The reasons of strategies for people; the JSON has them as they are. */
const reasons: Readonly<Record<string, () => string>> = {
  refused: () => phrase`refused`,
  protected: () => phrase`protected`,
  fits: () => phrase`fits`,
  "shortened to fit": () => phrase`shortened to fit`,
  "in the digest": () => phrase`in the digest`,
  "in the truncated part": () => phrase`in the truncated part`,
  "older than the window": () => phrase`older than the window`,
}

const reasonText = (why: string): string => (Object.hasOwn(reasons, why) ? (reasons[why]?.() ?? why) : why)

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

/** The decision about each item; a summary is listed after the first item that it covers. */
const printItems = ({ conversation, plan, meter, limit, isProtected }: ExplainedPlan, out: Printer): void => {
  const { palette, width } = out
  const { measure } = limit
  const shown = (value: number): string => figure(value, measure)
  const whyWidth = 26
  const room = Math.max(20, width - handleWidth - 12 - amountWidth - whyWidth)
  out.line(
    palette.quiet(
      `${pad(phrase`item`, handleWidth)}${pad("", 12)}${pad(phrase`content`, room)}${padStart(measure === "tokens" ? phrase`tokens` : phrase`bytes`, amountWidth - 2)}  ${phrase`why`}`,
    ),
  )
  const announced = new Set<number>()
  for (const [index, item] of conversation.items.entries()) {
    const decision = decisionAt(plan, index)
    const { mark, label, color } = marks[decision.kind]
    const whole = meter.sizeOfItem(item)[measure]
    const left = sizeAfter(decision, item, meter)[measure]
    const amount = left === whole ? shown(whole) : `${shown(whole)} → ${shown(left)}`
    const text = pad(cut(itemLine(item), room - 1), room)
    const fate = palette[color](pad(`${mark} ${label()}`, 12))
    const line = `${pad(handleOf(index), handleWidth)}${fate}${text}${padStart(amount, amountWidth - 2)}`
    out.line(`${line}  ${palette.quiet(cut(reasonText(whyOf(plan, decision, isProtected(item, index))), whyWidth - 2))}`)
    if (decision.kind !== "cover" || announced.has(decision.summary)) continue
    announced.add(decision.summary)
    const message = plan.summaries[decision.summary]?.message
    if (message === undefined) continue
    const own = meter.sizeOfItem(message)[measure]
    const content = pad(cut(messageLine(message), room - 1), room)
    const added = `${pad("", handleWidth)}${palette.warning(pad(`+ ${phrase`added`}`, 12))}`
    out.line(`${added}${content}${padStart(shown(own), amountWidth - 2)}`)
  }
  out.line()
}

const printTools = ({ tools, areToolsCounted, limit: { measure } }: ExplainedPlan, out: Printer): void => {
  if (tools.bytes === 0) return
  const amount = amountText(tools[measure], measure)
  out.line(
    areToolsCounted
      ? phrase`Tool definitions: ${amount}, already subtracted from the budget`
      : phrase`Tool definitions: ${amount}, not part of the percentage`,
  )
}

/** The number of items per decision, and how much of a prompt cache stays valid. */
const countsOf = ({ strategy, statistics }: Plan): string => {
  const {
    items: { kept, edited, covered, hidden },
    prefixKept,
    thinkingLost,
  } = statistics
  const parts = [
    phrase`${count(kept, "item")} kept`,
    phrase`${number(edited)} shortened`,
    phrase`${number(covered)} elided`,
    ...(hidden > 0 ? [phrase`${number(hidden)} hidden`] : []),
  ]
  const thinking = thinkingLost > 0 ? ` · ${phrase`${count(thinkingLost, "thinking block")} lost`}` : ""
  return `${strategy}: ${parts.join(", ")} · ${phrase`first ${number(prefixKept)} tokens unchanged`}${thinking}`
}

/** A refused plan has no view: only the reason and the current size are printed. */
export const printExplanation = (explained: ExplainedPlan, out: Printer): void => {
  const {
    plan,
    limit: { measure, amount: most },
  } = explained
  const { palette, width } = out
  const { before, after } = plan.statistics
  const isRefused = plan.outcome === "refused"
  if (isRefused) {
    out.line(`${palette.error(phrase`refused`)}: ${translated(plan.reason ?? "nothing fits")}`)
    out.line()
  } else printItems(explained, out)
  const barWidth = Math.max(20, Math.min(60, width - 44))
  const all = budgetBar(amountsOf(before, measure), before[measure], barWidth, palette)
  const [first, second] = [phrase`before`, phrase`after`]
  const labelWidth = Math.max(widthOf(first), widthOf(second)) + 1
  const margin = " ".repeat(labelWidth)
  out.line(`${pad(first, labelWidth)}${all} ${amountText(before[measure], measure)}`)
  if (!isRefused) {
    const filled = budgetBar(amountsOf(after, measure), most, barWidth, palette)
    out.line(`${pad(second, labelWidth)}${filled} ${phrase`${figure(after[measure], measure)} of ${amountText(most, measure)}`}`)
  }
  out.line(palette.quiet(`${margin}${legendOf(amountsOf(isRefused ? before : after, measure), measure)}`))
  printTools(explained, out)
  if (!isRefused) out.line(palette.quiet(`${margin}${countsOf(plan)}`))
}
