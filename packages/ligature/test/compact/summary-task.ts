/** A task to be summarised, and what a summariser would be asked about it. */
import { estimateMeter } from "../../src/compact/meter/meter.ts"
import { summariserRequests, type SummaryWork } from "../../src/compact/summary/request.ts"
import { settle } from "../../src/rules/index.ts"
import { assistant, call, type Conversation, type Message, result, tool, transcript, user } from "../../src/model/index.ts"

export const meter = estimateMeter

export const lines = (count: number, word: string): string => Array.from({ length: count }, (_, at) => `${word} line ${at}`).join("\n")

export const task = (steps: number, more: readonly Message[] = []): Conversation =>
  settle(
    transcript(
      user("Fix src/store/lease.ts, please"),
      ...Array.from({ length: steps }, (_, step) => [
        assistant(`step ${step}`, call(`c${step}`, "read_file", { path: `src/part-${step}.ts` })),
        tool(result(`c${step}`, lines(40, `part-${step}`))),
      ]).flat(),
      ...more,
    ),
  ).conversation

export const workOn = (conversation: Conversation, more: Partial<SummaryWork> = {}): SummaryWork => ({
  items: conversation.items.map((item, position) => ({ item, position })),
  style: "structured",
  answerTokens: 1_000,
  windowTokens: 64_000,
  meter,
  ...more,
})

export const firstRequest = (conversation: Conversation, more: Partial<SummaryWork> = {}) => {
  const [request] = summariserRequests(workOn(conversation, more))
  if (request === undefined) throw new Error("no request")
  return request
}
