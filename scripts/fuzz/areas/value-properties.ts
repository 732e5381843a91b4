/** What must hold for every wire or session value, however damaged. */
import {
  type Codec,
  check,
  convert,
  decode,
  encode,
  fileValueOf,
  findCodec,
  isSessionCodec,
  repair,
  resolveCodec,
} from "../../../packages/ligature/src/convert/index.ts"
import { isWireFormat, requestListKey } from "../../../packages/ligature/src/document/formats.ts"
import { check as checkInvariants, findProfile, settle } from "../../../packages/ligature/src/rules/index.ts"
import {
  canonicalJson,
  type CallBlock,
  callsOf,
  type Conversation,
  flatten,
  type Report,
  type Transcript,
  type Wire,
} from "../../../packages/ligature/src/model/index.ts"
import { judges, type ProfileName } from "../../../packages/ligature/src/testing/index.ts"
import { missingWords } from "../accounting.ts"
import { frozen, jsonOf as json } from "../json-tree.ts"
import { type Failure, Trial } from "../trial.ts"

const callsIn = (transcript: Transcript): readonly CallBlock[] =>
  transcript.messages.flatMap(({ blocks }) => blocks.filter((block) => block.type === "call"))

const callsOfConversation = ({ items }: Conversation): readonly CallBlock[] =>
  items.flatMap((item) => (item.role === "exchange" ? callsOf(item) : []))

/** JSON text in which a repair wrote U+FFFD for each half of a surrogate pair. */
const repaired = (text: string): string => text.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\ufffd")

/** Calls that were none before: neither their name nor their arguments are known, or more of them than there were. */
const newCalls = (before: readonly CallBlock[], after: readonly CallBlock[]): readonly CallBlock[] => {
  const names = new Set(before.flatMap(({ name }) => [name, name.toWellFormed()]))
  const inputs = new Set(before.flatMap(({ arguments: input, raw }) => [canonicalJson(input), repaired(canonicalJson(input)), raw ?? ""]))
  const unheard = after.filter(
    (call) =>
      call.fault === undefined && call.name !== "unknown_tool" && !names.has(call.name) && !inputs.has(canonicalJson(call.arguments)),
  )
  return unheard.length > 0 ? unheard : after.slice(before.length)
}

const rulesOf = (findings: readonly { readonly rule: string }[]): string => [...new Set(findings.map(({ rule }) => rule))].sort().join(", ")

const checkSettled = (trial: Trial, transcript: Transcript): Conversation | undefined => {
  const settled = trial.step("settle", () => settle(transcript))
  if (!settled) return undefined
  const { conversation, report } = settled
  const left = trial.step("check of the settled", () => checkInvariants(conversation)) ?? []
  if (left.length > 0) trial.fail("settled-is-valid", rulesOf(left), json(left).slice(0, 400))
  const again = trial.step("settle again", () => settle(flatten(conversation)))
  if (again && again.report.entries.length > 0)
    trial.fail("settle-idempotent", rulesOf(again.report.entries), json(again.report.entries).slice(0, 400))
  else if (again && json(again.conversation.items) !== json(conversation.items)) trial.fail("settle-idempotent", "items differ")
  const strange = newCalls(callsIn(transcript), callsOfConversation(conversation))
  if (strange.length > 0) trial.fail("no-new-call", "settle", json(strange).slice(0, 400))
  const said = transcript.messages.map(({ blocks }) => blocks.map((block) => ({ ...block, native: undefined })))
  const [missing] = missingWords(said, conversation.items, report.entries)
  if (missing) trial.fail("nothing-lost", `settle: ${missing.place}`, missing.word)
  return conversation
}

/** JSON writes half of a surrogate pair, and only that, as this escape. */
const loneHalf = /(?<!\\)(?:\\\\)*\\ud[89a-f]/

/** Tools are declared by the caller, who is asked for them and their arguments by name: nobody else may name them. */
const isOfCaller = (message: string): boolean => /^tools\.\d+\.\w+\.(?:name|input_schema\.properties): /.test(message)

const checkProfile = (trial: Trial, conversation: Conversation, name: string): void => {
  const profile = findProfile(name)
  if (!profile) return
  const encoded = trial.step(`encode for ${name}`, () => encode(conversation, profile))
  if (!encoded) return
  const text = json(encoded.value)
  const request: unknown = JSON.parse(text)
  const verdict = trial.step(`judge ${name}`, () => judges[name as ProfileName](request))
  if (verdict && !verdict.ok && !isOfCaller(verdict.message)) trial.fail("provider-accepts", `${name}: ${verdict.rule}`, verdict.message)
  if (loneHalf.test(text)) trial.fail("provider-accepts", `${name}: half of a surrogate pair`)
  const again = trial.step(`decode what was encoded for ${name}`, () => decode(resolveCodec(profile.format), request))
  if (!again) return
  const findings = trial.step(`check for ${name}`, () => check(again, { profile })) ?? []
  const errors = findings.filter(({ severity }) => severity === "error")
  if (errors.length > 0) trial.fail("own-check-passes", `${name}: ${rulesOf(errors)}`, json(errors).slice(0, 400))
  const strange = newCalls(callsOfConversation(conversation), callsIn(again)).filter(({ name: called }) => called !== "")
  if (strange.length > 0 && callsIn(again).length > callsOfConversation(conversation).length) {
    trial.fail("no-new-call", `encode for ${name}`, json(strange).slice(0, 400))
  }
  const twice = trial.step(`encode again for ${name}`, () => json(encode(settle(again).conversation, profile).value))
  if (twice !== undefined && twice !== text) trial.fail("encode-stable", name, `${text.slice(0, 600)}\n${twice.slice(0, 600)}`)
}

/** What a file of this format would hold. */
const textOf = (codec: Codec, value: unknown): string => json(isSessionCodec(codec) ? fileValueOf(codec, value) : value)

const entriesOf = ({ entries }: Report): string => rulesOf(entries)

const checkRepair = (trial: Trial, codec: Codec, value: unknown): void => {
  if (isSessionCodec(codec) && codec.session.writes === "none") return
  const from = codec.format
  const first = trial.reading("repair", () => repair(value, { from: resolveCodec(from) }))
  if (!first) return
  const text = trial.step("writing the repaired", () => textOf(codec, first.value))
  if (text === undefined) return
  const once: unknown = JSON.parse(text)
  const [missing] = missingWords(value, once, first.report)
  if (missing) trial.fail("nothing-lost", `repair: ${missing.place}`, missing.word)
  const read = trial.step("decode the repaired", () => decode(resolveCodec(from), once))
  if (!read) return
  const errors = (trial.step("check the repaired", () => checkInvariants(read)) ?? []).filter(({ severity }) => severity === "error")
  if (errors.length > 0) trial.fail("repaired-is-valid", rulesOf(errors), json(errors).slice(0, 400))
  const strange = newCalls(callsOfConversation(first.conversation), callsIn(read))
  if (strange.length > 0 && callsIn(read).length > callsOfConversation(first.conversation).length) {
    trial.fail("no-new-call", "repair", json(strange).slice(0, 400))
  }
  // A list of messages stays one: only a request declares tools.
  const list = Array.isArray(value) && isWireFormat(from) ? (once as Wire)[requestListKey[from]] : undefined
  const second = trial.reading("repair again", () => repair(list ?? once, { from: resolveCodec(from) }), "repair-idempotent")
  if (!second) return
  if (second.report.entries.length > 0)
    trial.fail("repair-idempotent", `reports ${entriesOf(second.report)}`, json(second.report.entries).slice(0, 600))
  const twice = trial.step("writing the repaired again", () => textOf(codec, second.value))
  if (twice !== undefined && twice !== text)
    trial.fail("repair-idempotent", `bytes differ (${entriesOf(second.report)})`, `${text.slice(0, 600)}\n${twice.slice(0, 600)}`)
}

const checkConvert = (trial: Trial, codec: Codec, value: unknown, conversation: Conversation, to: string): void => {
  const converted = trial.reading(`convert to ${to}`, () => convert(value, { from: resolveCodec(codec.format), to: resolveCodec(to) }))
  const target = findCodec(to)
  if (!converted || !target) return
  const read = trial.step(`decode what was converted to ${to}`, () => decode(resolveCodec(to), JSON.parse(textOf(target, converted.value))))
  if (!read) return
  const errors = (trial.step(`check what was converted to ${to}`, () => checkInvariants(read)) ?? []).filter(
    ({ severity }) => severity === "error",
  )
  if (errors.length > 0) trial.fail("converted-is-valid", `${to}: ${rulesOf(errors)}`, json(errors).slice(0, 400))
  if (to === "xml-text" || to === "sharegpt" || codec.format === "xml-text") return
  // A session that stays in its file may go on from another branch, where its last message was left out: that one has calls of its own.
  const said = to === codec.format ? converted.conversation : conversation
  if (callsIn(read).length > callsOfConversation(said).length)
    trial.fail("no-new-call", `convert to ${to}`, json(callsIn(read)).slice(0, 400))
}

const checkSession = (trial: Trial, codec: Codec, value: unknown): void => {
  if (!isSessionCodec(codec)) return
  const { session } = codec
  const records = Array.isArray(value) ? value : [value]
  trial.step("recognise", () =>
    session.recognise({ syntax: session.layout === "lines" ? "lines" : "value", records: records.slice(0, 64) }),
  )
  trial.step("sessionsIn", () => session.sessionsIn?.(value))
  trial.step("place", () => session.place?.(value))
  trial.step("pulse", () => records.map((record) => session.pulse?.(record)))
  const outline = trial.step("outline", () => session.outline(value))
  for (const view of ["whole", "effective"] as const) trial.step(`decode ${view}`, () => settle(codec.decode(value, { view })))
  for (const { id } of outline?.paths.slice(0, 4) ?? []) trial.step("decode a branch", () => settle(codec.decode(value, { branch: id })))
}

export interface Trials {
  readonly profiles: readonly string[]
  /** Formats to convert to. */
  readonly targets: readonly string[]
}

/** All properties of one wire or session value. */
export const tryValue = (format: string, value: unknown, trials: Trials): readonly Failure[] => {
  const trial = new Trial(format)
  const codec = resolveCodec(format)
  const before = json(value)
  frozen(value)
  const transcript = trial.step("decode", () => codec.decode(value))
  if (transcript) {
    trial.step("check", () => check(transcript))
    frozen(transcript)
    const conversation = checkSettled(trial, transcript)
    if (conversation) {
      frozen(conversation)
      for (const name of trials.profiles) checkProfile(trial, conversation, name)
      for (const to of trials.targets) checkConvert(trial, codec, value, conversation, to)
    }
    checkSession(trial, codec, value)
    checkRepair(trial, codec, value)
  }
  if (json(value) !== before) trial.fail("input-untouched", "value")
  // What is inherited is the point.
  for (const key in {}) {
    trial.fail("prototype-untouched", key)
    Reflect.deleteProperty(Object.prototype, key)
  }
  return trial.failures
}
