/**
 * One helper that checks every invariant and every promise on one history: settled, it is healthy; settling again changes
 * nothing; the input is untouched; for every profile the encoded request passes the strict fake provider, is the same
 * when encoded again, and reads back as valid; no result text is lost and none is with another call, unless the report
 * says so. Throws an error that names the broken promise.
 */
import { isDeepStrictEqual } from "node:util"
import { decode, encode, resolveCodec } from "../convert/index.ts"
import {
  assistant,
  type Block,
  call,
  callsOf,
  type Conversation,
  flatten,
  type JsonObject,
  type Message,
  type Report,
  result,
  resultText,
  system,
  thinking,
  tool,
  type Transcript,
  user,
} from "../model/index.ts"
import { check, findProfile, profileNames, settle, type SettleOptions } from "../rules/index.ts"
import type { Choices } from "./damage.ts"
import { judges, type ProfileName } from "./providers/index.ts"

// Healthy histories of tool-calling agents, generated from choices. Every call carries a token in its arguments and every
// result repeats the token of its call, so that after any damage and repair one can see whether a result still stands
// with its own call.

export interface GeneratedHistory {
  readonly messages: readonly Message[]
  /** Ids repeat from turn to turn, as some servers number them. */
  readonly recycles: boolean
}

const tools = ["read_file", "bash", "grep", "write_file", "mcp.server/search", "查询"] as const

const words = ["done", "看起来不错", "a < b && c > d", "line one\nline two", "emoji 🎉 here", "[x] Result: no", "<b>bold</b>"] as const

const idShapes: readonly [(token: number, ordinal: number) => string, ...((token: number, ordinal: number) => string)[]] = [
  (token) => `toolu_01${String(token).padStart(6, "0")}`,
  (token) => `call_${token}`,
  (token, ordinal) => `functions.tool:${token * 10 + ordinal}`,
  (token) => `call_${"x".repeat(60)}_${token}`,
  (_, ordinal) => `call_${ordinal}`,
]

/** The token that ties a result to its call. */
export const tokenOf = (text: string): string | undefined => /⟦(\d+)⟧/.exec(text)?.[1]

export const generateHistory = (choices: Choices): GeneratedHistory => {
  const messages: Message[] = []
  const idShape = choices.one(idShapes)
  const recycles = idShape === idShapes.at(-1)
  let token = 0
  if (choices.chance(3)) messages.push(system("You are a careful engineer."))
  const turns = 1 + choices.number(4)
  for (let turn = 0; turn < turns; turn++) {
    messages.push(user(`request ${turn}: ${choices.one(words)}`))
    const steps = choices.number(4)
    for (let step = 0; step < steps; step++) {
      const blocks: (Block | string)[] = []
      const results: Block[] = []
      if (choices.chance(4)) blocks.push(thinking(`thought ${token}`, `c2lnbmF0dXJl${token}`))
      if (choices.chance(2)) blocks.push(`step ${turn}.${step}: ${choices.one(words)}`)
      const parallel = 1 + (choices.chance(3) ? choices.number(3) : 0)
      for (let ordinal = 0; ordinal < parallel; ordinal++) {
        const id = idShape(token, ordinal)
        const args: JsonObject = { token, path: choices.one(words) }
        blocks.push(call(id, choices.one(tools), args))
        const failed = choices.chance(8)
        results.push(result(id, `⟦${token}⟧ ${choices.one(words)}`, failed ? { error: true } : {}))
        token++
      }
      messages.push(assistant(...blocks))
      if (choices.chance(3)) for (const block of results) messages.push(tool(block))
      else messages.push(tool(...results))
    }
    if (choices.number(4) > 0) messages.push(assistant(`answer ${turn}: ${choices.one(words)}`))
  }
  return { messages, recycles }
}

/** Thrown by `expectValid`; the message says which promise was broken and for which profile. */
export class BrokenPromise extends Error {
  override readonly name = "BrokenPromise"
}

export interface ValidOptions extends SettleOptions {
  /** Profiles to encode for; default all. */
  readonly profiles?: readonly string[]
  /** Results carry tokens of their calls (see `generateHistory`): check that they are with their own. */
  readonly tokens?: boolean
}

const insist = (held: boolean, promise: string, detail?: () => unknown): void => {
  if (!held) throw new BrokenPromise(detail ? `${promise}\n${JSON.stringify(detail(), null, 1).slice(0, 4000)}` : promise)
}

/** Everything a reader of the conversation sees, as one text. */
const allText = (conversation: Conversation): string => JSON.stringify(flatten(conversation).messages)

const checkNothingLost = (transcript: Transcript, conversation: Conversation, report: Report): void => {
  const seen = allText(conversation)
  const dropped = report.entries.filter((entry) => entry.kind === "drop").map((entry) => JSON.stringify(entry.original ?? ""))
  for (const message of transcript.messages) {
    for (const block of message.blocks) {
      if (block.type !== "result") continue
      const token = tokenOf(resultText(block))
      if (token === undefined) continue
      const kept = seen.includes(`⟦${token}⟧`) || dropped.some((original) => original.includes(`⟦${token}⟧`))
      insist(kept, `the result ⟦${token}⟧ is in the conversation or in the report`)
    }
  }
}

const checkAttribution = (conversation: Conversation): void => {
  for (const item of conversation.items) {
    if (item.role !== "exchange") continue
    callsOf(item).forEach((call, index) => {
      const outcome = item.outcomes[index]
      const said = outcome?.result ? tokenOf(resultText(outcome.result)) : undefined
      const own = call.fault === undefined ? call.arguments["token"] : undefined
      const right = said === undefined || own === undefined || said === String(own)
      insist(right, `the result of call ${String(own)} is its own`, () => ({ call, outcome }))
    })
  }
}

const checkProfile = (conversation: Conversation, name: string): void => {
  const profile = findProfile(name)
  if (!profile) throw new BrokenPromise(`there is a profile ${name}`)
  const { value: request } = encode(conversation, profile)
  const verdict = judges[name as ProfileName](JSON.parse(JSON.stringify(request)))
  insist(verdict.ok, `${name}: the strict provider accepts the request`, () => ({ verdict, request }))
  insist(isDeepStrictEqual(encode(conversation, profile).value, request), `${name}: encoding is deterministic`)
  const again = decode(resolveCodec(profile.format), request)
  const findings = check(again).filter((finding) => finding.severity === "error")
  insist(findings.length === 0, `${name}: what was encoded reads back as healthy`, () => ({ findings, request }))
  const resettled = encode(settle(again).conversation, profile).value
  insist(isDeepStrictEqual(resettled, request), `${name}: settling what was encoded changes nothing`, () => ({ request, resettled }))
}

export const expectValid = (transcript: Transcript, options: ValidOptions = {}): Conversation => {
  const { profiles: names = profileNames, tokens = false, ...settling } = options
  const before = JSON.stringify(transcript)
  const { conversation, report } = settle(transcript, settling)
  insist(JSON.stringify(transcript) === before, "the transcript is never touched")
  const tip = settling.tip ?? "closed"
  insist(check(conversation, { tip }).length === 0, "a settled conversation is healthy", () => check(conversation, { tip }))
  const again = settle(flatten(conversation), settling)
  insist(again.report.entries.length === 0, "settling again repairs nothing", () => again.report.entries)
  insist(isDeepStrictEqual(again.conversation.items, conversation.items), "settling again changes nothing")
  insist(isDeepStrictEqual(settle(transcript, settling), { conversation, report }), "settling is deterministic")
  checkNothingLost(transcript, conversation, report)
  if (tokens) checkAttribution(conversation)
  for (const name of names) checkProfile(conversation, name)
  return conversation
}
