/**
 * Export of opencode (or the same value from its storage) → Transcript. The default view is `whole`: all that was said,
 * outputs that were cleared for the model included; `effective` begins with the last finished compaction, shows cleared
 * results as the model sees them, and leaves out messages that ended with an error, as the agent does.
 */
import {
  type Diagnostic,
  isWire,
  type Message,
  type Origin,
  pushAll,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { anomaly } from "../engine/anomaly.ts"
import { stringOf, wireOf } from "../engine/fields.ts"
import { UnknownRecords } from "../engine/unknown-records.ts"
import { format, idOf, infoOf, readingKey, redacted, sessionOf } from "./fields.ts"
import { type Reading, type Route, routeOf, type Step } from "./path.ts"
import { countIds, isLeftOut, type MessageSaid, readMessage } from "./read-message.ts"
import { isKnownPart, type PartReading } from "./read-part.ts"
import { renewIds } from "./renew-ids.ts"

export interface StepReading {
  readonly step: Step
  readonly said: MessageSaid
}

/** Everything said on a route. */
export const readRoute = function* (route: Route, view: "effective" | "whole"): Generator<StepReading> {
  const reading: PartReading = { view, uses: countIds(route.steps), calls: 0 }
  for (const step of route.steps) {
    if (view === "effective" && isLeftOut(step.wire, step.parts)) continue
    yield { step, said: readMessage(step, reading) }
  }
}

/** Ids that several calls have: told once for each id. */
const collapsedIds = (uses: ReadonlyMap<string, number>): readonly Diagnostic[] =>
  [...uses].flatMap(([id, count]) =>
    count === 1 ? [] : [anomaly("collapsed-id", {}, `${count} calls have the id ${id}`, [id])],
  )

interface Renewed {
  readonly value: unknown
  readonly diagnostics: readonly Diagnostic[]
}

/** The value with ids of messages and parts under which the agent can store each of them. */
const withOwnIds = (value: unknown): Renewed => {
  const { info, messages } = sessionOf(value)
  const renewed = renewIds(info, messages)
  if (renewed === messages) return { value, diagnostics: [] }
  const changed = messages.filter((message, index) => message !== renewed[index])
  const what = `${changed.length} messages have an id, or parts with an id, that is missing, redacted or not their own`
  const ids = new Set(changed.map((message) => stringOf(infoOf(wireOf(message))["id"])))
  return {
    value: isWire(value) ? { ...value, messages: renewed } : renewed,
    diagnostics: [anomaly("duplicate-record-id", {}, what, [...ids].filter((id) => id !== ""))],
  }
}

/** The provider's name as the formats of this library say it. */
const providers: ReadonlyMap<string, string> = new Map([
  ["google", "gemini"],
  ["google-vertex", "gemini"],
])

const originOf = (info: Wire): Origin | undefined => {
  const provider = stringOf(info["providerID"])
  const model = stringOf(info["modelID"])
  if (provider === "" && model === "") return undefined
  return { ...(provider !== "" && { provider: providers.get(provider) ?? provider }), ...(model !== "" && { model }) }
}

const findingsOf = (
  { step, said }: StepReading,
  message: number,
  unknown: UnknownRecords,
): readonly Diagnostic[] => {
  const findings: Diagnostic[] = []
  const place = { message, path: `messages[${step.index}]` }
  const { error } = infoOf(step.wire)
  if (isWire(error) && said.steps.length > 0) {
    const what =
      `Message ${idOf(infoOf(step.wire)) || step.index + 1} ended with ${stringOf(error["name"]) || "an error"}`
    findings.push(anomaly("stream-cut", place, what))
  } else if (said.cuts.length > 0) {
    findings.push(anomaly("stream-cut", place, `The arguments of ${said.cuts.join(", ")} broke off`, said.cuts))
  }
  for (const part of step.parts) {
    if (!isWire(part) || !isKnownPart(part, said.role)) unknown.add(isWire(part) ? part["type"] : typeof part, place)
  }
  return findings
}

const push = (messages: Message[], { step, said }: StepReading): void => {
  const info = infoOf(step.wire)
  const id = stringOf(info["id"])
  const origin = said.role === "assistant" ? originOf(info) : undefined
  const shared = { ...(id !== "" && id !== redacted && { id }), native: { [format]: step.wire } }
  const summary = info["summary"] === true && said.role === "assistant" && { summary: true as const }
  for (const { blocks, results } of said.steps) {
    messages.push({ role: said.role, blocks, ...shared, ...(origin && { origin }), ...summary })
    if (results.length > 0) messages.push({ role: "tool", blocks: results, ...shared })
  }
}

export const decode = (given: unknown, options: DecodeOptions = {}): Transcript => {
  const { branch, view } = options
  const { value, diagnostics: renewed } = withOwnIds(given)
  const route = routeOf(value, { ...(branch !== undefined && { branch }), ...(view && { view }) })
  const diagnostics: Diagnostic[] = [...route.findings, ...renewed, ...collapsedIds(countIds(route.steps))]
  if (!route.found) {
    const what = `No path ends with ${String(branch)}: the active one is read`
    diagnostics.push(anomaly("unknown-record", {}, what, [String(branch)]))
  }
  const messages: Message[] = []
  const unknown = new UnknownRecords("parts")
  let origin: Origin | undefined
  let system = ""
  for (const reading of readRoute(route, view ?? "whole")) {
    for (const finding of findingsOf(reading, messages.length, unknown)) diagnostics.push(finding)
    if (reading.said.system !== "" && reading.said.system !== system) {
      system = reading.said.system
      messages.push({ role: "system", blocks: [{ type: "text", text: system }], native: { [format]: { system } } })
    }
    if (reading.said.role === "assistant") origin = originOf(infoOf(reading.step.wire)) ?? origin
    push(messages, reading)
  }
  pushAll(diagnostics, unknown.diagnostics)
  const choice: Reading = { ...(route.found && branch !== undefined && { branch }), ...(view && { view }) }
  return {
    format,
    messages,
    native: { [format]: value, ...((choice.branch !== undefined || choice.view) && { [readingKey]: choice }) },
    ...(origin && { origin }),
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}

