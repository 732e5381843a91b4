/** The state of a session: its contents, whether it can continue, and what damaged it. */
import { check, findCodec, isSessionCodec } from "../../convert/index.ts"
import { checkSession } from "../../convert/session-check.ts"
import type { DocumentPart } from "../../document/index.ts"
import { type Cause, causeOfProblem, Causes, harmless } from "../../sessions/engine/causes.ts"
import type { Transcript } from "../../model/index.ts"
import type { Source } from "../input/source.ts"

/** `open`: a call at the tip has no result yet, and nothing else is wrong. */
export type Health = "healthy" | "open" | "damaged"

export interface Examination {
  readonly format: string
  /** Whose session it is; for requests and message lists the name of their format. */
  readonly agent: string
  readonly messages: number
  readonly calls: number
  readonly results: number
  readonly compactions: number
  readonly health: Health
  /** How often each cause was found. */
  readonly causes: ReadonlyMap<Cause, number>
}

const count = (causes: Map<Cause, number>, cause: Cause): void => {
  causes.set(cause, (causes.get(cause) ?? 0) + 1)
}

const blocksOf = ({ messages }: Transcript): { readonly calls: number; readonly results: number } => {
  let calls = 0
  let results = 0
  for (const { blocks } of messages) {
    for (const { type } of blocks) {
      if (type === "call") calls++
      else if (type === "result") results++
    }
  }
  return { calls, results }
}

const healthOf = (causes: ReadonlyMap<Cause, number>): Health => {
  for (const cause of causes.keys()) if (!harmless.has(cause)) return "damaged"
  return causes.has("in-flight") ? "open" : "healthy"
}

export const agentOf = (format: string): string => {
  const codec = findCodec(format)
  if (codec === undefined) return format
  return isSessionCodec(codec) ? codec.session.agent : codec.title
}

const compactionsOf = (part: DocumentPart): number => {
  const codec = findCodec(part.format)
  return codec !== undefined && isSessionCodec(codec) ? codec.session.outline(part.value).compactions.length : 0
}

export const examine = (source: Source, part: DocumentPart): Examination => {
  const transcript = source.transcript(part)
  const causes = new Map<Cause, number>()
  const why = new Causes(transcript)
  const media = checkSession(part.value, transcript, source.decodeOptions(part))
  for (const finding of [...check(transcript), ...media]) count(causes, why.of(finding))
  // Damage of the file itself is attributed to its only session; with several sessions the owner is unknown.
  if (source.parts.length === 1) {
    for (const { kind } of source.problems) {
      const cause = causeOfProblem(kind)
      if (cause !== undefined) count(causes, cause)
    }
  }
  return {
    format: part.format,
    agent: agentOf(part.format),
    messages: transcript.messages.length,
    ...blocksOf(transcript),
    compactions: compactionsOf(part),
    health: healthOf(causes),
    causes,
  }
}
