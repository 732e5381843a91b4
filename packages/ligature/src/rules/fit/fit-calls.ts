/**
 * Ids and names of calls alone, for a history that stays in a format of its own and is sent to a provider from there: one
 * name that the provider refuses locks the session for good.
 */
import {
  asValid,
  type Block,
  type CallBlock,
  callsOf,
  type Conversation,
  type Exchange,
  phrase,
  type ReportEntry,
} from "../../model/index.ts"
import type { Profile } from "../profiles/profile.ts"
import { WireIds } from "./wire-ids.ts"
import { wireName } from "./wire-names.ts"

export interface CallFault {
  readonly rule: "call-id-format" | "tool-name-format"
  /** What was found, and what becomes of it. */
  readonly what: string
  readonly repair: string
}

const none: readonly CallFault[] = []

const shown = (value: string): string => (value.length > 60 ? `${value.slice(0, 60)}… (${value.length} characters)` : value)

/** What a provider would refuse about a call. A missing id or name is no matter of a provider, nor is a call in text. */
export const faultsOf = ({ id, name, style }: CallBlock, { ids, names, title }: Profile): readonly CallFault[] => {
  const takesId = id === "" || (id.length <= ids.maxLength && ids.pattern.test(id))
  const takesName = name === "" || (name.length <= names.maxLength && names.pattern.test(name))
  if (style === "xml" || (takesId && takesName)) return none
  const faults: CallFault[] = []
  if (!takesId) {
    const what = phrase`${title} does not accept the call id ${shown(id)}`
    faults.push({ rule: "call-id-format", what, repair: "gave the call and its result another id" })
  }
  if (!takesName) {
    const what = phrase`${title} does not accept the tool name ${shown(name)}`
    faults.push({ rule: "tool-name-format", what, repair: "gave the tool a name it accepts" })
  }
  return faults
}

/** Results name their call, and in some formats its tool. */
const withCalls = (exchange: Exchange, calls: readonly CallBlock[]): Exchange => {
  const before = callsOf(exchange)
  let next = 0
  const blocks = exchange.message.blocks.map((block): typeof block => (block.type === "call" ? (calls[next++] ?? block) : block))
  const outcomes = exchange.outcomes.map((outcome, index) => {
    const { result } = outcome
    const call = calls[index]
    if (!result || !call || call === before[index]) return outcome
    return { ...outcome, result: { ...result, callId: call.id, ...(result.name === before[index]?.name && { name: call.name }) } }
  })
  return { ...exchange, message: { ...exchange.message, blocks }, outcomes }
}

/** The very conversation where its provider takes every id and name. */
export const fitCalls = (
  conversation: Conversation,
  profile: Profile,
): { readonly conversation: Conversation; readonly entries: readonly ReportEntry[] } => {
  const isFine = conversation.items.every(
    (item) => item.role !== "exchange" || callsOf(item).every((call) => faultsOf(call, profile).length === 0),
  )
  if (isFine) return { conversation, entries: [] }
  const ids = new WireIds(conversation, profile.ids)
  const entries: ReportEntry[] = []
  const items = conversation.items.map((item, index) => {
    if (item.role !== "exchange") return item
    let changed = false
    const calls = callsOf(item).map((call) => {
      const id = ids.next(call.id)
      const fitted = { ...call, id, name: wireName(call.name, profile.names) }
      if (call.style === "xml" || (fitted.id === call.id && fitted.name === call.name)) return call
      changed = true
      for (const { rule, what, repair } of faultsOf(call, profile)) {
        const original: Block = call
        entries.push({ rule, kind: "safe", place: { item: index }, what: `${what}: ${repair}`, ids: [call.id], original })
      }
      return fitted
    })
    return changed ? withCalls(item, calls) : item
  })
  return entries.length === 0 ? { conversation, entries } : { conversation: asValid({ ...conversation, items }), entries }
}
