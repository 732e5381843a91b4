/** The items of a session in a view: which are read, and what each says. */
import { type Diagnostic, isWire, type Wire } from "../../model/index.ts"
import { anomaly } from "../engine/anomaly.ts"
import type { CallIds } from "../engine/call-id.ts"
import { stringOf } from "../engine/fields.ts"
import { historyOf, messageOf, summaryOf } from "./fields.ts"
import { callsIn, isSilent, type ItemSaid, readItem } from "./read-item.ts"

export interface ItemRead {
  readonly item: Wire
  readonly index: number
  readonly said: ItemSaid
}

export interface HistoryRead {
  readonly items: readonly ItemRead[]
  readonly findings: readonly Diagnostic[]
  /** What stands for the items that the view leaves out. */
  readonly summary: { readonly item: Wire; readonly text: string } | undefined
}

/** Behind each item: the ids that tool items answer before the model or the user speaks again. */
const answeredBehind = (history: readonly unknown[]): readonly ReadonlySet<string>[] => {
  const sets: ReadonlySet<string>[] = []
  let answered = new Set<string>()
  for (let index = history.length - 1; index >= 0; index--) {
    sets[index] = answered
    const item = history[index]
    const message = isWire(item) ? messageOf(item) : {}
    if (message["role"] === "tool") answered.add(stringOf(message["toolCallId"]))
    else if (message["role"] !== "assistant" && message["role"] !== "user") continue
    else if (isWire(item) && !isSilent(item)) answered = new Set()
  }
  return sets
}

const countIds = (history: readonly unknown[]): ReadonlyMap<string, number> => {
  const uses = new Map<string, number>()
  for (const item of history) {
    if (!isWire(item) || messageOf(item)["role"] !== "assistant") continue
    for (const call of callsIn(item)) {
      const id = stringOf(call["id"])
      if (id !== "") uses.set(id, (uses.get(id) ?? 0) + 1)
    }
  }
  return uses
}

const isTool = (item: unknown): boolean => isWire(item) && messageOf(item)["role"] === "tool"

/** The item that bears the last summary, and the first behind it and its results. */
const lastSummary = (history: readonly unknown[]): { readonly item: Wire; readonly start: number } | undefined => {
  for (let index = history.length - 1; index >= 0; index--) {
    const item = history[index]
    if (!isWire(item) || summaryOf(item) === "") continue
    let start = index + 1
    while (isTool(history[start])) start++
    return { item, start }
  }
  return undefined
}

export const readHistory = (value: unknown, view: "effective" | "whole"): HistoryRead => {
  const history = historyOf(value)
  const last = view === "effective" ? lastSummary(history) : undefined
  const start = last?.start ?? 0
  const behind = answeredBehind(history)
  const findings: Diagnostic[] = []
  const items: ItemRead[] = []
  const reading: CallIds = { uses: countIds(history), calls: 0 }
  for (let index = start; index < history.length; index++) {
    const item = history[index]
    const said = isWire(item) ? readItem(item, behind[index] ?? new Set(), reading) : undefined
    if (isWire(item) && said) items.push({ item, index, said })
    else {
      const what = `Item ${index + 1} is no message of a role that is known`
      findings.push(anomaly("malformed-record", { path: `history[${index}]` }, what))
    }
  }
  for (const [id, uses] of reading.uses) {
    if (uses > 1) findings.push(anomaly("collapsed-id", {}, `${uses} calls bear the id ${id}`, [id]))
  }
  return { items, findings, summary: last && { item: last.item, text: summaryOf(last.item) } }
}
