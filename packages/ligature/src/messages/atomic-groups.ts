/**
 * Which messages of a list must be kept or dropped together. A group is one exchange as it lies in the list:
 *
 *     assistant with calls · every message that carries one of their results · the text-only reply directly after
 *
 * Whatever is between a call and its result belongs to the group too: a cut anywhere in between would part them.
 * Every other message is a group of its own. Groups lie side by side and cover the list.
 */
import type { Block, Message } from "../model/index.ts"
import type { ResultSlot } from "../rules/survey/index.ts"
import { type ListSurvey, surveyList } from "./read-list.ts"

const has = (message: Message | undefined, type: Block["type"]): boolean => message?.blocks.some((block) => block.type === type) ?? false

/** For each message, the last one that must stay with it, as far as its own calls, results and spans say. */
const reachOf = ({ transcript: { messages }, results }: ListSurvey): number[] => {
  const reach = messages.map((_, index) => index)
  const tie = (one: number, other: number): void => {
    const first = Math.min(one, other)
    reach[first] = Math.max(reach[first] ?? first, one, other)
  }
  for (const { message, call } of results) if (call) tie(message, call.message)
  const spans = new Map<string, number>()
  messages.forEach(({ blocks }, index) => {
    for (const block of blocks) {
      if (block.type !== "opaque" || block.half === undefined) continue
      const open = spans.get(block.span ?? "")
      if (block.half === "call") spans.set(block.span ?? "", index)
      else if (open !== undefined) tie(open, index)
    }
  })
  return reach
}

/** Per message, the results that answer no call any more because it had its result already. */
const repeatsOf = (survey: ListSurvey): ReadonlyMap<number, readonly ResultSlot[]> => {
  const repeats = new Map<number, ResultSlot[]>()
  for (const slot of survey.duplicates) {
    const known = repeats.get(slot.message)
    if (known) known.push(slot)
    else repeats.set(slot.message, [slot])
  }
  return repeats
}

/** Where groups begin, as indices of the list; the end of the list is after them. */
export const groupStarts = (list: readonly unknown[]): readonly number[] => {
  const survey = surveyList(list, { tip: "open", reattach: true })
  const { messages } = survey.transcript
  const reach = reachOf(survey)
  const repeats = repeatsOf(survey)
  const starts: number[] = []
  for (let first = 0; first < messages.length;) {
    starts.push(survey.starts[first] as number)
    let last = first
    let calls = false
    const extend = (from: number): void => {
      for (let index = from; index <= last; index++) {
        last = Math.max(last, reach[index] as number)
        calls ||= has(messages[index], "call")
      }
    }
    extend(first)
    if (calls) {
      while (repeats.get(last + 1)?.some(({ seen }) => seen !== undefined && seen.message >= first)) extend(++last)
      const next = messages[last + 1]
      if (next?.role === "assistant" && !has(next, "call") && !has(next, "result")) extend(++last)
    }
    first = last + 1
  }
  starts.push(list.length)
  return starts
}

/**
 * The indices of a message list, in groups that must be kept or dropped together. Works on Anthropic, OpenAI Chat,
 * OpenAI Responses, Gemini, Bedrock and AI SDK messages, with recycled ids, parallel calls, and results spread over
 * several messages or mixed with text. A call at the tip that still runs is a group without results. Linear.
 *
 * @example
 * atomicGroups([user, assistantWithCalls, toolA, toolB, assistantText, user]) // [[0], [1, 2, 3, 4], [5]]
 */
export const atomicGroups = (messages: readonly unknown[]): readonly (readonly number[])[] => {
  const starts = groupStarts(messages)
  const groups: number[][] = []
  for (let group = 0; group + 1 < starts.length; group++) {
    const indices: number[] = []
    for (let index = starts[group] as number; index < (starts[group + 1] as number); index++) indices.push(index)
    groups.push(indices)
  }
  return groups
}
