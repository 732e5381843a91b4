/**
 * What a session's own provider would refuse about it, although nothing about the history itself is wrong: media beyond
 * its limits, and ids and names of calls that it does not accept.
 */
import {
  type CallFault,
  faultsOf,
  fitCalls,
  type Profile,
  resolveProfile,
  fitMedia,
  findProfile,
  type ProfileName,
  replaceMedia,
  settle,
} from "../rules/index.ts"
import type { Block, Conversation, Diagnostic, Transcript, MediaBlock, ReportEntry, TextBlock } from "../model/index.ts"
import { isSessionCodec, resolveCodec } from "../registry/registry.ts"
import type { DecodeOptions } from "../formats/engine/codec.ts"

// Media in a session that stays where it is. Its agent sends the session to one provider, and one image that the provider
// refuses locks it for good, so `check` names it and `repair` replaces it, like damage. What is judged is what the agent
// would send next: images that a compaction took out of sight do no harm and stay.
// The two readings of a session, all of it and what is sent next, share the wire values of their blocks: by them, what
// is refused in one is found in the other.

/** Where the agent sends the session: as its format says, or the provider that answered last. */
const profileOf = (transcript: Transcript): Profile | undefined => {
  const codec = resolveCodec(transcript.format)
  if (isSessionCodec(codec) && codec.session.profile !== undefined) return resolveProfile(codec.session.profile)
  const last = transcript.messages.findLast(({ origin }) => origin?.provider !== undefined)
  const provider = last?.origin?.provider ?? ""
  return findProfile(provider)
}

const isMedia = (block: { readonly type: string }): boolean => block.type === "media"

const hasMedia = ({ messages }: Transcript): boolean =>
  messages.some(({ blocks }) => blocks.some((block) => isMedia(block) || (block.type === "result" && block.content.some(isMedia))))

/** What tells a block of one reading in another. */
const keyOf = ({ native, source }: MediaBlock): unknown =>
  Object.values(native ?? {}).find((value) => typeof value === "object" && value !== null) ??
  (source.type === "base64" ? source.data : source.type === "url" ? source.url : source.id)

interface SessionMediaOptions extends DecodeOptions {
  /** Where the session is sent to. Default: as its format or its last answer says. */
  readonly mediaFor?: Profile | ProfileName
}

interface Refused {
  readonly profile: Profile
  readonly entries: ReadonlyMap<unknown, ReportEntry>
}

/**
 * The media that the session's provider would refuse, by key; undefined where there is none or nobody knows it. What is sent next
 * is a part of the whole session: only where something in the whole is too much, the session is read a second time.
 */
const refusedIn = (
  value: unknown,
  transcript: Transcript,
  whole: () => Conversation,
  { mediaFor, ...options }: SessionMediaOptions,
): Refused | undefined => {
  if (!isSessionCodec(resolveCodec(transcript.format)) || !hasMedia(transcript)) return undefined
  const profile = mediaFor === undefined ? profileOf(transcript) : resolveProfile(mediaFor)
  if (!profile || fitMedia(whole(), profile).entries.length === 0) return undefined
  const next = resolveCodec(transcript.format).decode(value, { ...options, view: "effective" })
  const { entries } = fitMedia(settle(next, { tip: "open" }).conversation, profile)
  if (entries.length === 0) return undefined
  return { profile, entries: new Map(entries.map((entry) => [keyOf(entry.original as MediaBlock), entry])) }
}

/** What the provider of a session would refuse of its media, in the words of `check`. */
export const checkSessionMedia = (value: unknown, transcript: Transcript, options: SessionMediaOptions = {}): readonly Diagnostic[] => {
  const refused = refusedIn(value, transcript, () => settle(transcript, { tip: "open" }).conversation, options)
  if (!refused) return []
  const { entries, profile } = refused
  return transcript.messages.flatMap(({ blocks, line }, message) =>
    blocks.flatMap((block, at) => {
      const held = block.type === "result" ? block.content : [block]
      return held.flatMap((each): readonly Diagnostic[] => {
        const entry = each.type === "media" ? entries.get(keyOf(each)) : undefined
        if (!entry) return []
        return [
          {
            rule: entry.rule,
            severity: "error",
            place: {
              message,
              block: at,
              ...(line !== undefined && { line }),
              ...(transcript.source !== undefined && { file: transcript.source }),
            },
            what: entry.found ?? entry.what,
            why: `The session is sent to ${profile.title}, which rejects every request with it.`,
            help: "Run repair to replace it with a note. The original file keeps it.",
            ids: [],
            repair: { kind: entry.kind, what: entry.what },
          },
        ]
      })
    }),
  )
}

interface LimitedSession {
  readonly conversation: Conversation
  readonly entries: readonly ReportEntry[]
}

/** The session with notes in place of what its provider would refuse. */
const limitSessionMedia = (
  value: unknown,
  transcript: Transcript,
  conversation: Conversation,
  options: SessionMediaOptions,
): LimitedSession => {
  const refused = refusedIn(value, transcript, () => conversation, options)
  if (!refused) return { conversation, entries: [] }
  const entries: ReportEntry[] = []
  const limited = replaceMedia(conversation, (block, item) => {
    const entry = refused.entries.get(keyOf(block))
    if (!entry) return block
    entries.push({ ...entry, place: { item } })
    return entry.replacement as MediaBlock | TextBlock
  })
  return { conversation: limited, entries }
}

/** The provider behind an agent that has only one; others write ids and names as each of theirs wants them. */
const onlyProfile = (format: string): Profile | undefined => {
  const codec = resolveCodec(format)
  const name = isSessionCodec(codec) ? codec.session.profile : undefined
  return name === undefined ? undefined : resolveProfile(name)
}

const findingOf = (
  { rule, what, repair }: CallFault,
  id: string,
  place: { readonly message: number; readonly block: number },
  { messages, source }: Transcript,
  { title }: Profile,
): Diagnostic => {
  const line = messages[place.message]?.line
  return {
    rule,
    severity: "error",
    place: { ...place, ...(line !== undefined && { line }), ...(source !== undefined && { file: source }) },
    what,
    why: `The session is sent to ${title}, which rejects every request with it.`,
    help: "Run repair: it is changed in the call and in its result.",
    ids: [id],
    repair: { kind: "safe", what: repair },
  }
}

const checkCalls = (transcript: Transcript): readonly Diagnostic[] => {
  const profile = onlyProfile(transcript.format)
  if (!profile) return []
  const found: Diagnostic[] = []
  transcript.messages.forEach(({ blocks }, message) => {
    for (let block = 0; block < blocks.length; block++) {
      const call = blocks[block] as Block
      if (call.type !== "call") continue
      for (const fault of faultsOf(call, profile)) found.push(findingOf(fault, call.id, { message, block }, transcript, profile))
    }
  })
  return found
}

/** What its provider would refuse. */
export const checkSession = (value: unknown, transcript: Transcript, options: SessionMediaOptions): readonly Diagnostic[] => [
  ...checkSessionMedia(value, transcript, options),
  ...checkCalls(transcript),
]

/** The session as its provider takes it. */
export const fitSession = (
  value: unknown,
  transcript: Transcript,
  conversation: Conversation,
  options: SessionMediaOptions,
): LimitedSession => {
  const limited = limitSessionMedia(value, transcript, conversation, options)
  const profile = onlyProfile(transcript.format)
  if (!profile) return limited
  const named = fitCalls(limited.conversation, profile)
  if (named.entries.length === 0) return limited
  return { conversation: named.conversation, entries: [...limited.entries, ...named.entries] }
}
