/**
 * A list without some of its messages and results. The given list and its messages are untouched; a message that loses
 * a result but says something else is copied without it, all others are the same objects.
 */
import type { ResultSlot } from "../rules/survey/index.ts"
import { isWire, type Wire } from "../model/index.ts"
import { elementsKey, isResultElement, type ListSurvey, messageIn, withMessage } from "./read-list.ts"

const isBlankText = (element: unknown): boolean =>
  typeof element === "string"
    ? element.trim() === ""
    : isWire(element) && typeof element["text"] === "string" && element["text"].trim() === ""

/** The entry without some of its elements; nothing when what is left says nothing. Words of a tool are the user's. */
const withoutElements = (entry: unknown, gone: ReadonlySet<number>): Wire | undefined => {
  const wire = messageIn(entry)
  const key = isWire(wire) ? elementsKey(wire) : undefined
  if (!isWire(wire) || !key) return undefined
  const left = (wire[key] as readonly unknown[]).filter((_, index) => !gone.has(index))
  if (left.every(isBlankText)) return undefined
  const role = wire["role"] === "tool" && !left.some(isResultElement) ? { role: "user" } : {}
  return withMessage(entry, { ...wire, ...role, [key]: left })
}

export interface LeftOut {
  /** Messages of the survey's transcript. */
  readonly messages?: ReadonlySet<number>
  readonly results: readonly ResultSlot[]
}

export const leaveOut = <Entry>(list: readonly Entry[], survey: ListSurvey, { messages, results }: LeftOut): readonly Entry[] => {
  if (results.length === 0 && (messages?.size ?? 0) === 0) return list
  const whole = new Set<number>()
  const elements = new Map<number, Set<number>>()
  for (const message of messages ?? []) {
    const end = survey.starts[message + 1] as number
    for (let index = survey.starts[message] as number; index < end; index++) whole.add(index)
  }
  for (const { result } of results) {
    const { message, element } = survey.placeOf(result)
    const known = elements.get(message)
    if (element < 0) whole.add(message)
    else if (known) known.add(element)
    else elements.set(message, new Set([element]))
  }
  return list.flatMap((entry, index): readonly Entry[] => {
    if (whole.has(index)) return []
    const gone = elements.get(index)
    if (!gone) return [entry]
    const left = withoutElements(entry, gone)
    return left ? [left as Entry] : []
  })
}
