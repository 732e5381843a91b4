/**
 * What a session's own provider would refuse about it, although nothing about the history itself is wrong: media beyond
 * its limits, and ids and names of calls that it does not accept.
 */
import { type CallFault, faultsOf, fitCalls, type Profile, resolveProfile } from "../rules/index.ts"
import type { Block, Conversation, Diagnostic, Transcript } from "../model/index.ts"
import { isSessionCodec, resolveCodec } from "../registry/registry.ts"
import { checkSessionMedia, type LimitedSession, limitSessionMedia, type SessionMediaOptions } from "./session-media.ts"

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
