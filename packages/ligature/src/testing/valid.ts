/**
 * One helper that checks every law and every promise on one history: settled, it is healthy; settling again changes
 * nothing; the input is untouched; for every profile the encoded request passes the strict fake provider, is the same
 * when encoded again, and reads back as lawful; no result text is lost and none stands with another call, unless the report
 * says so. Throws an error that names the broken promise.
 */
import { isDeepStrictEqual } from "node:util"
import { decode, encode, resolveCodec } from "../convert/index.ts"
import { check, findProfile, profileNames, settle, type SettleOptions } from "../rules/index.ts"
import { callsOf, type Conversation, flatten, type Report, resultText, type Transcript } from "../model/index.ts"
import { tokenOf } from "./history.ts"
import { type ProfileName, judges } from "./providers/index.ts"

/** Thrown by `expectLawful`; the message says which promise was broken and for which profile. */
export class BrokenPromise extends Error {
  override readonly name = "BrokenPromise"
}

export interface LawfulOptions extends SettleOptions {
  /** Profiles to encode for; default all. */
  readonly profiles?: readonly string[]
  /** Results carry tokens of their calls (see `generateHistory`): check that they stand with their own. */
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

export const expectLawful = (transcript: Transcript, options: LawfulOptions = {}): Conversation => {
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
