/**
 * The only door from a transcript to a conversation. Surveys the transcript, lets each rule repair what it finds in a
 * draft, and assembles the result. Deterministic, idempotent, linear; the transcript is never touched, and every block
 * that was moved, renamed, generated, turned into text or left out is in the report.
 */
import {
  asValid,
  assertOptions,
  type OptionNames,
  type Conversation,
  debugFor,
  type DebugWriter,
  type Report,
  type Transcript,
  type Block,
  type CallBlock,
  phrase,
} from "../../model/index.ts"
import { assemble } from "./assemble.ts"
import { Draft } from "../draft.ts"
import { type PolicyOptions, resolvePolicies } from "../policies.ts"
import { rules } from "../catalog/index.ts"
import { survey, type Spot, type CallSlot } from "../survey/index.ts"
import { splitSpan } from "../catalog/split-span.ts"
import { says } from "../survey/text.ts"
import type { Description } from "../rule.ts"

// Every call of a conversation has an id of its own (L5), also where its format needs none: operations on exchanges
// speak of calls by id. An id depends only on the calls before it, so that appending to a history never renames what
// was there. Ids nobody asked for are marked `assigned`: their format does not have to say them, and they give way to an id
// that is said, also further down: an id that we once assigned and had to write would be renamed with every repair.

/** Reads as what it is: message and position among its calls. */
const idAt = (slot: CallSlot): string => `call_${slot.message}_${slot.ordinal}`

const renamed = (call: CallBlock, id: string): CallBlock =>
  call.id === "" ? { ...call, id } : { ...call, id, providerId: call.providerId ?? call.id }

const recordRename = (draft: Draft, slot: CallSlot, id: string): void => {
  const known = draft.renames.get(slot)
  const repair = { kind: "safe", what: phrase`renamed the call and its result to ${id}` } as const
  const description: Description = { spot: slot, what: "", ...known, ids: [slot.call.id, id], repair }
  draft.record("duplicate-call-id", description)
}

const assignIds = (draft: Draft): void => {
  const { calls, transcript } = draft.survey
  if (draft.renames.size === 0 && calls.every((slot) => slot.call.id !== "")) return
  const used = new Set<string>()
  const isUnsaid = transcript.ids === "optional"
  const saidIds = isUnsaid ? new Set(calls.map(({ call }) => call.id)) : used
  const numbers = new Map<string, number>()
  const free = (wanted: string, taken: ReadonlySet<string>): string => {
    let id = wanted
    for (let number = numbers.get(wanted) ?? 2; used.has(id) || taken.has(id); number++) {
      id = `${wanted}__${number}`
      numbers.set(wanted, number + 1)
    }
    return id
  }
  for (const slot of calls) {
    const call = draft.current(slot)
    if (call?.type !== "call" || draft.dropped.has(slot.message)) continue
    const said = call.id === "" ? (draft.resultOf(slot)?.callId ?? "") : call.id
    const id = said === "" ? free(idAt(slot), saidIds) : free(said, used)
    used.add(id)
    if (id === call.id) continue
    draft.amendCall(slot, (block) => renamed(block, id))
    if (call.id !== "") recordRename(draft, slot, id)
    else if (said === "" && isUnsaid) draft.amendCall(slot, (block) => ({ ...block, assigned: true }))
  }
}

// Reasoning that lost its follower to another repair: a copy of a call that was left out, or a call that nobody answered.
// It leads to nothing now, and its provider rejects it (L9). Looked at when all rules are done, in edited messages only.

const isFollowed = (draft: Draft, spot: Spot): boolean => {
  const blocks = draft.survey.transcript.messages[spot.message]?.blocks ?? []
  const edits = draft.edits.get(spot.message)
  for (let index = spot.block + 1; index < blocks.length; index++) {
    const left = edits?.get(index) ?? [blocks[index] as Block]
    if (left.some((block) => block.type !== "thinking" && block.type !== "result" && says(block))) return true
  }
  return false
}

const dropUnfollowed = (draft: Draft): void => {
  const { survey, edits, dropped, policies } = draft
  for (const spot of survey.tied) {
    if (!edits.has(spot.message) || dropped.has(spot.message) || !draft.current(spot) || isFollowed(draft, spot)) continue
    splitSpan.repair(spot, draft, splitSpan.describe(spot, survey, policies))
  }
}

export interface SettleOptions extends PolicyOptions {
  /** `open`: the last exchange may be pending. `closed` (default): every call gets an outcome. */
  readonly tip?: "open" | "closed"
}

export const settleNames: OptionNames<SettleOptions> = { policies: true, tip: ["open", "closed"] }

export interface Settled {
  readonly conversation: Conversation
  readonly report: Report
}

const tell = (debug: DebugWriter, { format, messages }: Transcript, entries: Report["entries"]): void => {
  debug(`[settle] ${format}: ${messages.length} messages, ${entries.length} repairs`)
  for (const { rule, kind, place, ids } of entries) {
    debug(`[settle] ${rule} (${kind}) in message ${place.message ?? "?"}: ${ids.join(", ")}`)
  }
}

/**
 * Makes a transcript valid.
 *
 * @example
 * const { conversation, report } = settle(decode("anthropic", request))
 */
export const settle = (transcript: Transcript, options: SettleOptions = {}): Settled => {
  const { tip = "closed" } = options
  const policies = resolvePolicies(options)
  assertOptions(options, settleNames)
  const found = survey(transcript, { tip, reattach: policies.orphanResult === "reattach" }, "take")
  const draft = new Draft(found, policies)
  for (const rule of rules) {
    for (const finding of rule.find(found)) rule.repair(finding, draft, rule.describe(finding, found, policies))
  }
  if (found.tied.length > 0) dropUnfollowed(draft)
  assignIds(draft)
  const { native, origin, ids, unusual } = transcript
  const { items, edited } = assemble(draft)
  const conversation = asValid({
    items,
    ...(edited !== undefined && { edited }),
    ...(native && { native }),
    ...(origin && { origin }),
    ...(ids && { ids }),
    ...(unusual && { unusual }),
  })
  const debug = debugFor("settle")
  if (debug) tell(debug, transcript, draft.entries)
  return { conversation, report: { entries: draft.entries, losses: [] } }
}
