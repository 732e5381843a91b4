/** L1: a call without a result, before the tip or at a closed one. */
import { type Message, phrase, type SyntheticKind, syntheticResult } from "../../model/index.ts"
import type { Draft } from "../draft.ts"
import { defineRule, type Description } from "../rule.ts"
import { type CallSlot, callsIn, type Survey } from "../survey/index.ts"
import { says } from "../survey/text.ts"
import { idOrNone, idsOf, nameOf } from "./wording.ts"

/** The role of the next message with content, results and blanks aside. */
const findNextSpeaker = (survey: Survey, from: number): Message["role"] | undefined => {
  const { messages } = survey.transcript
  for (let index = from + 1; index < messages.length; index++) {
    const message = messages[index] as Message
    const copies = survey.replayed.size === 0 ? [] : callsIn(survey, index).filter((slot) => survey.replayed.has(slot))
    const words = message.blocks.filter((block) => block.type !== "result" && says(block)).length
    if (words > copies.length) return message.role
  }
  return undefined
}

const nextSpeakers = new WeakMap<Survey, Map<number, Message["role"] | undefined>>()

/** Asked once for each message, however many calls of it are open: thousands of results may follow thousands of calls. */
const nextSpeaker = (survey: Survey, from: number): Message["role"] | undefined => {
  const known = nextSpeakers.get(survey) ?? new Map<number, Message["role"] | undefined>()
  if (known.size === 0) nextSpeakers.set(survey, known)
  if (!known.has(from)) known.set(from, findNextSpeaker(survey, from))
  return known.get(from)
}

/** Arguments that nobody could have executed: the call never ran. */
const neverRan = (slot: CallSlot): boolean => slot.call.fault === "unparsable" || slot.call.fault === "not-object"

/**
 * Which placeholder fits: a call that could not be parsed was not run; if the model went on after it, it had
 * the result, and the history lost it; else it was interrupted, and nobody knows how far it got.
 */
export const outcomeOfUnanswered = (slot: CallSlot, survey: Survey): SyntheticKind => {
  if (neverRan(slot) || slot.call.pending === "approval") return "not-run"
  return nextSpeaker(survey, slot.message) === "assistant" ? "lost" : "interrupted"
}

/** Shared with stale-pending: removes the call or its message, or adds a placeholder result. */
export const closeCall = (rule: string, slot: CallSlot, draft: Draft, description: Description): void => {
  const { unansweredCall, textBesideDroppedCall } = draft.policies
  if (unansweredCall === "synthesize") {
    const current = draft.current(slot)
    if (current?.type !== "call") return
    const invented = syntheticResult(current.id, current.name, outcomeOfUnanswered(slot, draft.survey))
    draft.invent(slot, invented)
    draft.record(rule, description, { replacement: invented })
    return
  }
  if (unansweredCall === "drop-message") {
    if (draft.dropped.has(slot.message)) return
    draft.dropped.add(slot.message)
    draft.record(rule, description, { original: draft.survey.transcript.messages[slot.message] as Message })
    for (const sibling of callsIn(draft.survey, slot.message)) {
      const spot = draft.resultSlot(sibling)
      if (!spot) continue
      draft.record(rule, { ...description, spot, repair: { kind: "drop", what: "removed the result of its sibling" } })
    }
    return
  }
  draft.replace(slot)
  draft.record(rule, description)
  if (textBesideDroppedCall === "keep") return
  const { blocks } = draft.survey.transcript.messages[slot.message] as Message
  for (const [block, { type }] of blocks.entries()) {
    if (type !== "text") continue
    const spot = { message: slot.message, block }
    if (draft.current(spot)) draft.record(rule, { ...description, spot, repair: { kind: "drop", what: "removed its text" } })
    draft.replace(spot)
  }
}

export const describeOpenCall = (
  slot: CallSlot,
  survey: Survey,
  unansweredCall: "synthesize" | "drop-message" | "drop-call",
): Description["repair"] => {
  if (unansweredCall === "drop-message") return { kind: "drop", what: "removed the assistant message with this call" }
  if (unansweredCall === "drop-call") return { kind: "drop", what: "removed the call" }
  return { kind: "synthetic", what: phrase`added a placeholder result (${outcomeOfUnanswered(slot, survey)})` }
}

export const unansweredCall = defineRule<CallSlot>({
  id: "unanswered-call",
  invariant: "L1",
  severity: "error",
  title: "Tool call without a result",
  why: "Providers reject a history that continues after an unanswered tool call.",
  help: "Repair adds a placeholder result; --policy unansweredCall=drop-message removes the message instead.",
  find: (survey) => survey.unanswered,
  describe: (slot, survey, policies) => ({
    spot: slot,
    what: phrase`Tool call ${nameOf(slot.call)} (${idOrNone(slot.call.id)}) has no result`,
    ids: idsOf(slot.call.id),
    repair: describeOpenCall(slot, survey, policies.unansweredCall),
  }),
  repair: (slot, draft, description) => closeCall("unanswered-call", slot, draft, description),
})
