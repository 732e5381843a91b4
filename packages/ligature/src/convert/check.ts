/**
 * The judge's check, and beyond it what only the wire shows: fields a provider does not know, a null where it wants text, a
 * missing reasoning field. A message that would be written differently for the profile is a finding of its own, named by
 * the codec that knows why.
 */
import {
  check as checkInvariants,
  checkNames,
  type CheckOptions,
  demandOf,
  fit,
  type Profile,
  resolvePolicies,
  resolveProfile,
  rules,
  settle,
} from "../rules/index.ts"
import { assertOptions, type Conversation, debugFor, type Diagnostic, isWire, phrase, type Transcript, type Wire } from "../model/index.ts"
import { atHome, formatProfile, goesOn } from "./home-profile.ts"
import { requestListKey } from "../document/formats.ts"
import type { Codec, WireReason } from "../formats/engine/codec.ts"
import { knownCodec } from "../formats/engine/known-codecs.ts"
import { sendable } from "./sendable.ts"
import { undeclaredTools } from "../formats/engine/tools.ts"
import { differencesOf, inShort, type WireDifference } from "../formats/engine/wire-difference.ts"

const listKeys: Readonly<Record<string, string>> = requestListKey

/** The list as it came: from the envelope, or from the messages of a bare list. */
const listBefore = (transcript: Transcript): readonly unknown[] => {
  const body = transcript.native?.[transcript.format]
  const list = isWire(body) ? body[listKeys[transcript.format] ?? "messages"] : undefined
  if (Array.isArray(list)) return list
  return transcript.messages.map((message) => message.native?.[transcript.format])
}

const fieldsOf = (fields: readonly string[], wire: Wire): string =>
  fields
    .slice(0, 8)
    .map((field) => `\`${field}\` (${inShort(wire[field])})`)
    .join(", ") + (fields.length > 8 ? ", …" : "")

/** What is known without the codec: fields that are left out or missing, and for all else the difference itself. */
const plainReason = (difference: WireDifference): WireReason => {
  switch (difference.type) {
    case "removed": {
      const { fields, before, path } = difference
      const one = fields.length === 1
      const what = phrase`takes no ${fieldsOf(fields, before)} in ${path}; ${one ? "it" : "they"} would be left out`
      return { rule: "unknown-field", what, repair: phrase`left out ${fields.slice(0, 8).join(", ")}` }
    }
    case "added": {
      const { field, after, path } = difference
      return {
        rule: "wire-shape",
        what: phrase`requires \`${field}\` in ${path}; ${inShort(after)} would be added`,
        repair: phrase`added ${field}`,
      }
    }
    case "changed": {
      const { before, after, path } = difference
      const what = phrase`would reject ${path}: ${inShort(before)} would be sent as ${inShort(after)}`
      return { rule: "wire-shape", what, repair: phrase`wrote ${path} as ${inShort(after)}` }
    }
  }
}

const rolesOf = (list: readonly unknown[]): string => {
  const roles = list.slice(0, 6).map((each) => (isWire(each) ? String(each["role"] ?? each["type"] ?? "message") : typeof each))
  return roles.join(", ") + (list.length > 6 ? ", …" : "")
}

const sameJson = (left: unknown, right: unknown): boolean => left === right || JSON.stringify(left) === JSON.stringify(right)

/** How a list with more or fewer messages differs from the given index on, as far as both differ. */
const listReason = (before: readonly unknown[], request: Wire, key: string, index: number, envelope: Wire): WireReason => {
  const after = request[key] as readonly unknown[]
  let end = 0
  while (end < Math.min(before.length, after.length) - index && sameJson(before.at(-1 - end), after.at(-1 - end))) end++
  const gone = before.slice(index, before.length - end)
  const come = after.slice(index, after.length - end)
  const [first] = gone
  const place = `${key}[${index}]`
  const moved = Object.keys(request).find((field) => field !== key && !sameJson(request[field], envelope[field]))
  if (come.length === 0 && moved !== undefined) {
    const what = phrase`would reject ${inShort(first)} in ${place}; it would be sent as \`${moved}\``
    return { rule: "wire-shape", what, repair: phrase`moved ${place} to ${moved}` }
  }
  const what = phrase`would reject ${place}: ${rolesOf(gone)} (${inShort(first)}) would be sent as ${come.length === 0 ? "nothing" : `${rolesOf(come)} (${inShort(come[0])})`}`
  return { rule: "wire-shape", what, repair: phrase`wrote ${come.length} in place of ${gone.length} from ${place} on` }
}

interface Placed {
  readonly index: number
  readonly offset: number
  readonly path: string
}

const wireFinding = (
  { rule, what, repair }: WireReason,
  { index, offset, path }: Placed,
  transcript: Transcript,
  profile: Profile,
): Diagnostic => {
  const line = transcript.messages[index + offset]?.line
  return {
    rule,
    severity: "error",
    place: {
      message: index + offset,
      path,
      ...(line !== undefined && { line }),
      ...(transcript.source !== undefined && { file: transcript.source }),
    },
    what: `${profile.title} ${what}`,
    why: demandOf(profile, rule),
    help: "Run convert with this profile to fix it.",
    ids: [],
    repair: { kind: "safe", what: repair },
  }
}

/**
 * Unknown fields of a history that is damaged too. What would be sent differs in many ways then; but the same history
 * written with and without such fields differs in them alone. Messages that a repair changes are not looked at.
 */
const checkFields = (transcript: Transcript, codec: Codec, profile: Profile, options: CheckOptions): readonly Diagnostic[] => {
  if (profile.unknownFields !== "reject") return []
  const { tip = "closed", policies = {} } = options
  const { conversation } = settle(transcript, { tip, policies })
  const key = listKeys[profile.format] ?? "messages"
  const write = (extras: "keep" | "strip"): unknown => codec.encode(conversation, { extras })[key]
  const [kept, stripped] = [write("keep"), write("strip")]
  if (!Array.isArray(kept) || !Array.isArray(stripped) || kept.length !== stripped.length) return []
  const before = listBefore(transcript)
  const indices = new Map(before.map((wire, index) => [wire, index]))
  const offset = Math.max(0, transcript.messages.length - before.length)
  return kept.flatMap((wire: unknown, at): readonly Diagnostic[] => {
    const index = indices.get(wire)
    if (index === undefined) return []
    const path = `${key}[${index}]`
    const removed = differencesOf(wire, stripped[at], path).filter(({ type }) => type === "removed")
    return removed.map((difference) => wireFinding(plainReason(difference), { index, offset, path }, transcript, profile))
  })
}

/** Rules about where a message is. Other findings of a profile may be about the very thing that differs. */
const aboutPlace: ReadonlySet<string> = new Set([
  "first-role",
  "last-role",
  "role-alternation",
  "result-beside-text",
  "call-id-format",
  "tool-name-format",
])

/** `found`: what the profile demands beyond the way of writing; it is no difference of its own. */
const checkWire = (
  transcript: Transcript,
  codec: Codec,
  profile: Profile,
  options: CheckOptions,
  found: readonly Diagnostic[],
): readonly Diagnostic[] => {
  const { tip = "closed", policies = {} } = options
  const { conversation } = settle(transcript, { tip, policies })
  const extras = profile.unknownFields === "reject" ? "strip" : "keep"
  const fitting = { policies, ...(extras === "strip" && codec.takesBack && { takesBack: codec.takesBack }) }
  // What fit changes is found already; where it finds nothing, it may still leave out what nobody would miss.
  const written = found.length > 0 ? conversation : fit(conversation, profile, fitting).conversation
  const { request } = sendable(codec.encode(written, { ...profile.wire, extras }), conversation, false)
  const key = listKeys[profile.format] ?? "messages"
  const after = request[key]
  const before = listBefore(transcript)
  if (!Array.isArray(after)) return []
  const told = new Set(found.filter(({ rule }) => !aboutPlace.has(rule)).map(({ place }) => place.message))
  const offset = Math.max(0, transcript.messages.length - before.length)
  const differs = (index: number): boolean => {
    const [wire, sent] = [before[index], after[index] as unknown]
    return isWire(wire) && isWire(sent) && !told.has(index + offset) && !sameJson(wire, sent)
  }
  const findingAt = (index: number, reason: WireReason): Diagnostic =>
    wireFinding(reason, { index, offset, path: `${key}[${index}]` }, transcript, profile)
  // Of a list with more or fewer messages, only the first that differs can be told apart from those after it.
  if (after.length !== before.length) {
    const index = before.findIndex((_, at) => differs(at))
    const body = transcript.native?.[transcript.format]
    return index < 0 ? [] : [findingAt(index, listReason(before, request, key, index, isWire(body) ? body : {}))]
  }
  return before.flatMap((wire, index): readonly Diagnostic[] => {
    if (!differs(index)) return []
    const path = `${key}[${index}]`
    const differences = differencesOf(wire, after[index], path)
    const given: readonly WireDifference[] =
      differences.length > 0 ? differences : [{ type: "changed", path, before: wire, after: after[index] }]
    return given.map((difference) => findingAt(index, codec.explain?.(difference, path) ?? plainReason(difference)))
  })
}

const invariantRules: ReadonlySet<string> = new Set(rules.map(({ id }) => id))

/** A repair of the history itself changes messages in ways that say nothing about the profile. */
const isDamage = ({ rule }: Diagnostic): boolean => invariantRules.has(rule) || rule.startsWith("malformed")

/**
 * What is wrong with a history: the invariants, and with a profile also what that provider demands. Empty when it is healthy.
 *
 * @example
 * const findings = check(decode("anthropic", request), { profile: "anthropic", tip: "open" })
 */
export const check = (history: Transcript | Conversation, options: CheckOptions = {}): readonly Diagnostic[] => {
  resolvePolicies(options)
  assertOptions(options, checkNames)
  const found = findingsIn(history, options)
  const debug = debugFor("check")
  debug?.(`[check] ${found.length} findings`)
  if (debug) for (const { rule, place, ids } of found) debug(`[check] ${rule} in message ${place.message ?? "?"}: ${ids.join(", ")}`)
  return found
}

const findingsIn = (history: Transcript | Conversation, options: CheckOptions): readonly Diagnostic[] => {
  const profile = options.profile === undefined ? undefined : resolveProfile(options.profile)
  const codec = profile && knownCodec(profile.format)
  if (!profile || !codec || !("messages" in history) || history.format !== profile.format) return checkInvariants(history, options)
  // Whether an unusual shape is welcome is then for the profile to say, not for the format in general.
  const diagnostics = history.diagnostics?.filter((diagnostic) => diagnostic.severity === "error") ?? []
  const { takesBack } = codec
  const found = checkInvariants(
    { ...history, diagnostics },
    profile.unknownFields === "reject" && takesBack ? { ...options, takesBack } : options,
  )
  const placed = withPaths(found, history, listKeys[profile.format] ?? "messages")
  const tools = checkTools(history, codec, profile, options)
  const wire = found.some(isDamage) ? checkFields(history, codec, profile, options) : checkWire(history, codec, profile, options, found)
  return [...placed, ...wire, ...tools]
}

/** Findings about blocks, with the place of their message or item in the request: the provider's own errors name it so. */
const withPaths = (found: readonly Diagnostic[], { messages, format, native }: Transcript, key: string): readonly Diagnostic[] => {
  const body = native?.[format]
  const list: unknown = isWire(body) ? body[key] : undefined
  if (!Array.isArray(list) || found.length === 0) return found
  const indices = new Map<unknown, number>(list.map((wire: unknown, index) => [wire, index]))
  return found.map((finding) => {
    const { path, message = -1, block = -1 } = finding.place
    if (path !== undefined) return finding
    const holder = messages[message]
    const index = indices.get(holder?.blocks[block]?.native?.[format]) ?? indices.get(holder?.native?.[format])
    return index === undefined ? finding : { ...finding, place: { ...finding.place, path: `${key}[${index}]` } }
  })
}

/** A request with calls and without a list of tools, for a provider that refuses it. A bare list of messages has no place for one. */
const checkTools = (transcript: Transcript, codec: Codec, profile: Profile, options: CheckOptions): readonly Diagnostic[] => {
  if (profile.toolList !== "declare") return []
  const { conversation } = settle(transcript, { tip: options.tip ?? "closed", policies: options.policies ?? {} })
  const names = undeclaredTools(transcript.native?.[profile.format], listKeys[profile.format] ?? "messages", conversation, codec)
  if (names.length === 0) return []
  const shown =
    names
      .slice(0, 8)
      .map((name) => `\`${name}\``)
      .join(", ") + (names.length > 8 ? ", …" : "")
  return [
    {
      rule: "tool-list",
      severity: "error",
      place: transcript.source === undefined ? {} : { file: transcript.source },
      what: phrase`${profile.title} takes tool calls only in a request that declares its tools; ${shown} would be declared as stubs`,
      why: demandOf(profile, "tool-list"),
      help: "Send the tools with the request. Convert declares a stub for each tool that the history calls.",
      ids: [],
      repair: { kind: "synthetic", what: "declared the tools that the history calls" },
    },
  ]
}

/**
 * The provider a wire format is named after, where it would refuse a history in which no invariant is broken: what `repair`
 * would change for it. Who has the last word does not count, since the next one is the user's.
 */
export const objector = (transcript: Transcript, { tip = "closed" }: Pick<CheckOptions, "tip"> = {}): Profile | undefined => {
  const profile = formatProfile(transcript.format)
  const codec = profile && knownCodec(profile.format)
  if (!codec) return undefined
  const { conversation } = settle(transcript, { tip })
  if (fit(conversation, goesOn(atHome(profile))).entries.length > 0) return profile
  return checkTools(transcript, codec, profile, { tip }).length > 0 ? profile : undefined
}
