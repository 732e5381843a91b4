/** The contents of a conversation, in numbers. */
import { callsOf, type Conversation, type OutcomeKind } from "../../model/index.ts"
import { blockSize, messageSize } from "../print/block.ts"

export interface ConversationTally {
  readonly messages: number
  readonly turns: number
  readonly exchanges: number
  readonly calls: number
  /** Bytes of content: text, arguments, results, media. */
  readonly bytes: number
  readonly outcomes: Readonly<Record<OutcomeKind, number>>
  readonly tools: ReadonlyMap<string, { readonly calls: number; readonly failed: number; readonly bytes: number }>
}

export const noOutcomes: Readonly<Record<OutcomeKind, number>> = {
  done: 0,
  failed: 0,
  pending: 0,
  interrupted: 0,
  "not-run": 0,
  lost: 0,
}

export const tallyOf = (conversation: Conversation, messages: number): ConversationTally => {
  const outcomes = { ...noOutcomes }
  const tools = new Map<string, { calls: number; failed: number; bytes: number }>()
  let turns = 0
  let exchanges = 0
  let calls = 0
  let bytes = 0
  let spoke: string | undefined
  for (const item of conversation.items) {
    if (item.role === "user" && spoke !== "user") turns++
    spoke = item.role
    if (item.role !== "exchange") {
      bytes += messageSize(item)
      continue
    }
    exchanges++
    bytes += messageSize(item.message) + (item.reply ? messageSize(item.reply) : 0)
    callsOf(item).forEach((call, index) => {
      calls++
      const outcome = item.outcomes[index]
      const answered = outcome?.result ? blockSize(outcome.result) : 0
      bytes += answered
      if (outcome) outcomes[outcome.kind]++
      const tool = tools.get(call.name) ?? { calls: 0, failed: 0, bytes: 0 }
      tool.calls++
      tool.bytes += answered
      if (outcome?.kind === "failed") tool.failed++
      tools.set(call.name, tool)
    })
  }
  return { messages, turns, exchanges, calls, bytes, outcomes, tools }
}

export const addTallies = (tallies: readonly ConversationTally[]): ConversationTally => {
  const outcomes = { ...noOutcomes }
  const tools = new Map<string, { calls: number; failed: number; bytes: number }>()
  const sum = { messages: 0, turns: 0, exchanges: 0, calls: 0, bytes: 0 }
  for (const tally of tallies) {
    for (const key of ["messages", "turns", "exchanges", "calls", "bytes"] as const) sum[key] += tally[key]
    for (const kind of Object.keys(outcomes) as OutcomeKind[]) outcomes[kind] += tally.outcomes[kind]
    for (const [name, { calls, failed, bytes }] of tally.tools) {
      const tool = tools.get(name) ?? { calls: 0, failed: 0, bytes: 0 }
      tool.calls += calls
      tool.failed += failed
      tool.bytes += bytes
      tools.set(name, tool)
    }
  }
  return { ...sum, outcomes, tools }
}

/** The tools by number of calls, then by name. */
export const toolsByUse = (
  tally: ConversationTally,
): readonly (readonly [name: string, { readonly calls: number; readonly failed: number; readonly bytes: number }])[] =>
  [...tally.tools].sort((left, right) => right[1].calls - left[1].calls || (left[0] < right[0] ? -1 : 1))
