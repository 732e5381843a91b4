/** What `repair` promises of every session, however damaged. */
import { check, decode, fileValueOf, repair, type SessionCodec } from "../../../src/convert/index.ts"
import { LigatureError, type Report } from "../../../src/model/index.ts"
import { resolveCodec } from "../../../src/registry/registry.ts"

interface Repaired {
  readonly value: unknown
  readonly text: string
  readonly report: Report
}

export const repaired = (codec: SessionCodec, value: unknown): Repaired => {
  const { value: encoded, report } = repair(value, { from: resolveCodec(codec.format) })
  const file = fileValueOf(codec, encoded)
  return { value: file, text: JSON.stringify(file), report }
}

const saidBy = ({ entries }: Report): string => entries.map(({ rule, what }) => `${rule}: ${what}`).join("; ")

/** The path to the first value that two JSON values differ in. */
const firstDifference = (left: unknown, right: unknown, path = "$"): string => {
  const [one, other] = [left, right] as readonly Readonly<Record<string, unknown>>[]
  const isBranch = (value: unknown): boolean => typeof value === "object" && value !== null
  if (!isBranch(left) || !isBranch(right) || Array.isArray(left) !== Array.isArray(right)) return path
  if (Array.isArray(left) && left.length !== (right as readonly unknown[]).length) return `${path}.length`
  for (const key of new Set([...Object.keys(left as object), ...Object.keys(right as object)])) {
    const [before, after] = [one?.[key], other?.[key]]
    if (JSON.stringify(before) !== JSON.stringify(after)) return firstDifference(before, after, `${path}.${key}`)
  }
  return path
}

/** A value in which not one message is understood is refused, and so is left as it is. */
const orRefused = (repairing: () => Repaired): Repaired | undefined => {
  try {
    return repairing()
  } catch (error) {
    if (LigatureError.is(error) && error.code === "wrong-format") return undefined
    throw error
  }
}

/** The promises that a repair of this value breaks, as sentences; none is the good answer. */
export const brokenPromises = (codec: SessionCodec, value: unknown): readonly string[] => {
  const before = JSON.stringify(value)
  const first = orRefused(() => repaired(codec, value))
  if (!first) return []
  const broken: string[] = []
  if (JSON.stringify(value) !== before) broken.push("the input is changed")
  const isChanged = first.text !== before
  const isReported = first.report.entries.length > 0
  if (isChanged && !isReported) broken.push(`changed without a report: ${firstDifference(value, first.value)}`)
  if (!isChanged && isReported) broken.push(`reported, not written: ${saidBy(first.report)}`)
  const again = JSON.parse(first.text) as unknown
  const second = orRefused(() => repaired(codec, again))
  if (!second) return [...broken, "what was written is refused"]
  if (second.text !== first.text) broken.push(`repairing again changes it: ${saidBy(second.report)}`)
  else if (second.report.entries.length > 0) broken.push(`reported again: ${saidBy(second.report)}`)
  for (const { rule, what, severity } of check(decode(resolveCodec(codec.format), again), { tip: "closed" })) {
    if (severity === "error") broken.push(`still damaged: ${rule}: ${what}`)
  }
  return broken
}
