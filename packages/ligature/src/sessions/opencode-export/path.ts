/**
 * Which messages and parts are read. The order is that of the file: an export lists messages and parts as they came,
 * and ids, by which the agent orders its own storage, may have been redacted. A revert hides a message or a part and
 * all behind it; a compaction that was finished hides, in the effective view, what stands in front of it, except the
 * tail it names.
 */
import { type Diagnostic, isWire, type Wire } from "../../model/index.ts"
import { anomaly } from "../engine/anomaly.ts"
import { stringOf, wireOf } from "../engine/fields.ts"
import { hasPart, idOf, infoOf, partsOf, redacted, sessionOf } from "./fields.ts"

export interface Reading {
  readonly branch?: string
  readonly view?: "effective" | "whole"
}

/** A message on the path, and how many of its parts are read. */
export interface Step {
  readonly wire: Wire
  readonly index: number
  readonly parts: readonly unknown[]
}

export interface Cut {
  readonly message: number
  /** Index of the first hidden part; 0 hides the whole message. */
  readonly part: number
}

export interface Route {
  readonly steps: readonly Step[]
  readonly findings: readonly Diagnostic[]
  /** False when the asked branch is not there. */
  readonly found: boolean
}

const placeOf = (index: number) => ({ path: `messages[${index}]` })

/** Where the session was reverted to; undefined for an id that is not there, or names nothing. */
export const revertOf = (value: unknown): { readonly cut: Cut | undefined; readonly id: string } | undefined => {
  const { info, messages } = sessionOf(value)
  const revert = wireOf(info["revert"])
  const id = stringOf(revert["messageID"])
  if (id === "") return undefined
  const message = id === redacted ? -1 : messages.findIndex((wire) => isWire(wire) && infoOf(wire)["id"] === id)
  const wire = messages[message]
  if (!isWire(wire)) return { cut: undefined, id }
  const partId = stringOf(revert["partID"])
  const part =
    partId === "" || partId === redacted ? -1 : partsOf(wire).findIndex((one) => isWire(one) && one["id"] === partId)
  return { cut: { message, part: Math.max(0, part) }, id }
}

/** The id of the last message in front of the cut, or of all. */
export const pathIds = (
  value: unknown,
  cut: Cut | undefined,
): { readonly active: string; readonly reverted: string } => {
  const { messages } = sessionOf(value)
  const idAt = (index: number): string => idOf(infoOf(wireOf(messages[index])))
  const last = cut ? cut.message - (cut.part > 0 ? 0 : 1) : messages.length - 1
  const reverted = idAt(messages.length - 1)
  const active = idAt(last)
  return { active, reverted: reverted === "" || reverted === active ? "reverted" : reverted }
}

const isFinishedSummary = (info: Wire): boolean =>
  info["role"] === "assistant" && info["summary"] === true && Boolean(info["finish"]) && !info["error"]

/** From which message on the agent would send: the last compaction whose summary was finished, or the tail it keeps. */
const effectiveStart = (messages: readonly unknown[]): number => {
  const finished = new Set<string>()
  let nextFinished = false
  for (let index = messages.length - 1; index >= 0; index--) {
    const wire = messages[index]
    if (!isWire(wire)) continue
    const info = infoOf(wire)
    if (info["role"] === "user" && (nextFinished || finished.has(idOf(info))) && hasPart(wire, "compaction")) {
      return tailStart(messages, wire, index)
    }
    nextFinished = isFinishedSummary(info)
    const parent = stringOf(info["parentID"])
    if (nextFinished && parent !== "" && parent !== redacted) finished.add(parent)
  }
  return 0
}

const tailStart = (messages: readonly unknown[], wire: Wire, index: number): number => {
  const part = partsOf(wire).find((one) => isWire(one) && one["type"] === "compaction")
  const id = isWire(part) ? stringOf(part["tail_start_id"]) : ""
  if (id === "" || id === redacted) return index
  const tail = messages.findIndex((one) => isWire(one) && infoOf(one)["id"] === id)
  return tail >= 0 && tail < index ? tail : index
}

export const routeOf = (value: unknown, { branch, view }: Reading): Route => {
  const { messages } = sessionOf(value)
  const findings: Diagnostic[] = []
  const revert = revertOf(value)
  if (revert && !revert.cut) {
    const what = `The session was reverted to ${revert.id}, which is not in the file`
    findings.push(anomaly("unknown-rewind", { path: "info.revert" }, what, [revert.id]))
  }
  const ids = pathIds(value, revert?.cut)
  const known = branch === undefined || branch === ids.active || (revert?.cut !== undefined && branch === ids.reverted)
  const cut = known && branch === ids.reverted && branch !== ids.active ? undefined : revert?.cut
  const end = cut ? cut.message + (cut.part > 0 ? 1 : 0) : messages.length
  const shown = end === messages.length ? messages : messages.slice(0, end)
  const steps: Step[] = []
  for (let index = view === "effective" ? effectiveStart(shown) : 0; index < end; index++) {
    const wire = messages[index]
    if (!isWire(wire) || !Array.isArray(wire["parts"]) || !isWire(wire["info"])) {
      findings.push(anomaly("malformed-record", placeOf(index), `Message ${index + 1} is not one of info and parts`))
      continue
    }
    const parts = partsOf(wire)
    steps.push({ wire, index, parts: cut?.message === index ? parts.slice(0, cut.part) : parts })
  }
  return { steps, findings, found: known }
}
