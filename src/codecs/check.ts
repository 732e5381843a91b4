/**
 * The judge's check, and beyond it what only the wire shows: fields a provider does not know, a null where it wants text, a
 * missing reasoning field. A message that would be written differently for the profile is a finding of its own, named by
 * the codec that knows why.
 */
import { check as checkLaws, type CheckOptions, fit, type Profile, resolveProfile, settle } from "../laws/index.ts"
import { type Conversation, debugFor, type Diagnostic, isWire, type Transcript, type Wire } from "../model/index.ts"
import { atHome, defaultProfile, goesOn } from "./convert.ts"
import { requestListKey } from "./document/formats.ts"
import { resolveCodec } from "./registry.ts"
import { sendable } from "./sendable.ts"
import { lacksTools } from "./tool-list.ts"

const listKeys: Readonly<Record<string, string>> = requestListKey

/** The list as it came: from the envelope, or from the messages of a bare list. */
const listBefore = (transcript: Transcript): readonly unknown[] => {
  const body = transcript.native?.[transcript.format]
  const list = isWire(body) ? body[listKeys[transcript.format] ?? "messages"] : undefined
  if (Array.isArray(list)) return list
  return transcript.messages.map((message) => message.native?.[transcript.format])
}

const removedFields = (before: Wire, after: Wire): readonly string[] =>
  Object.keys(before).filter((key) => !Object.hasOwn(after, key))

const describe = (before: Wire, after: Wire, profile: Profile): { readonly rule: string; readonly what: string } => {
  const named = resolveCodec(profile.format).explain?.(before, after)
  if (named) return named
  const removed = removedFields(before, after)
  if (removed.length > 0) return { rule: "unknown-field", what: `Fields that ${profile.title} does not know: ${removed.join(", ")}` }
  return { rule: "wire-shape", what: `${profile.title} wants this written differently` }
}

const checkWire = (transcript: Transcript, profile: Profile, options: CheckOptions): readonly Diagnostic[] => {
  const tip = options.tip ?? "closed"
  const policies = options.policies ?? {}
  const { conversation } = settle(transcript, { tip, policies })
  const codec = resolveCodec(profile.format)
  const extras = profile.unknownFields === "reject" ? "strip" : "keep"
  const fitting = { policies, ...(extras === "strip" && codec.takesBack && { takesBack: codec.takesBack }) }
  const fitted = fit(conversation, profile, fitting).conversation
  const { request } = sendable(codec.encode(fitted, { ...profile.wire, extras }), false)
  const after = request[listKeys[profile.format] ?? "messages"]
  const before = listBefore(transcript)
  if (!Array.isArray(after)) return []
  // Of a list with more or fewer messages, only the first that differs can be told apart from those behind it.
  const aligned = after.length === before.length
  const offset = Math.max(0, transcript.messages.length - before.length)
  const found = before.flatMap((wire, index): readonly Diagnostic[] => {
    const written: unknown = after[index]
    if (wire === written || !isWire(wire) || !isWire(written) || JSON.stringify(wire) === JSON.stringify(written)) return []
    const { rule, what } = describe(wire, written, profile)
    const line = transcript.messages[index + offset]?.line
    return [
      {
        rule,
        severity: "error",
        place: {
          message: index + offset,
          path: `${listKeys[profile.format] ?? "messages"}[${index}]`,
          ...(line !== undefined && { line }),
          ...(transcript.source !== undefined && { file: transcript.source }),
        },
        what,
        why: `The profile ${profile.name} demands it (rule ${rule}).`,
        help: "Convert with this profile: the request is written as the provider wants it.",
        ids: [],
        repair: { kind: "safe", what: "wrote the message as this provider wants it" },
      },
    ]
  })
  return aligned ? found : found.slice(0, 1)
}

/**
 * What is wrong with a history: the laws, and with a profile also what that provider demands. Empty when it is healthy.
 *
 * @example
 * const findings = check(decode("anthropic", request), { profile: "anthropic", tip: "open" })
 */
export const check = (history: Transcript | Conversation, options: CheckOptions = {}): readonly Diagnostic[] => {
  const found = findingsIn(history, options)
  const debug = debugFor("check")
  debug?.(`[check] ${found.length} findings`)
  if (debug) for (const { rule, place, ids } of found) debug(`[check] ${rule} in message ${place.message ?? "?"}: ${ids.join(", ")}`)
  return found
}

const findingsIn = (history: Transcript | Conversation, options: CheckOptions): readonly Diagnostic[] => {
  const profile = options.profile === undefined ? undefined : resolveProfile(options.profile)
  if (!profile || !("messages" in history) || history.format !== profile.format) return checkLaws(history, options)
  // Whether an unusual shape is welcome is then for the profile to say, not for the format in general.
  const diagnostics = history.diagnostics?.filter((diagnostic) => diagnostic.severity === "error") ?? []
  const found = checkLaws({ ...history, diagnostics }, options)
  const tools = checkTools(history, profile, options)
  return found.length > 0 ? [...found, ...tools] : [...checkWire(history, profile, options), ...tools]
}

/** A request with calls and without a list of tools, for a provider that refuses it. A bare list of messages has no place for one. */
const checkTools = (transcript: Transcript, profile: Profile, options: CheckOptions): readonly Diagnostic[] => {
  if (profile.toolList !== "declare") return []
  const { conversation } = settle(transcript, { tip: options.tip ?? "closed", policies: options.policies ?? {} })
  const codec = resolveCodec(profile.format)
  if (!lacksTools(transcript.native?.[profile.format], listKeys[profile.format] ?? "messages", conversation, codec)) return []
  return [
    {
      rule: "tool-list",
      severity: "error",
      place: transcript.source === undefined ? {} : { file: transcript.source },
      what: "The request has tool calls, but declares no tools",
      why: `${profile.title} refuses calls and results in a request without a list of tools.`,
      help: "Send the tools with the request. Convert declares a stub for each tool that the history calls.",
      ids: [],
      repair: { kind: "synthetic", what: "declared the tools that the history calls" },
    },
  ]
}

/**
 * The provider a wire format is named after, where it would refuse a history in which no law is broken: what `repair`
 * would change for it. Who has the last word does not count, since the next one is the user's.
 */
export const objector = (transcript: Transcript, options: Pick<CheckOptions, "tip"> = {}): Profile | undefined => {
  const profile = defaultProfile(transcript.format)
  if (!profile) return undefined
  const { conversation } = settle(transcript, options)
  if (fit(conversation, goesOn(atHome(profile))).entries.length > 0) return profile
  return checkTools(transcript, profile, options).length > 0 ? profile : undefined
}
