/**
 * The state of a session: its contents, whether it can continue, and what damaged it. Information is not damage: how an agent writes
 * its files, what only looks unusual, and what a repair would leave as it is, count as notes and never change the state.
 */
import { check, findCodec, isSessionCodec } from "../../convert/index.ts"
import { checkSession } from "../../convert/session-check.ts"
import type { DocumentPart, Problem } from "../../document/index.ts"
import type { SessionOutline, SessionPlace } from "../../formats/engine/session.ts"
import { type Cause, causeOfProblem, Causes } from "../../sessions/engine/causes.ts"
import { type Diagnostic, remembering, type Transcript } from "../../model/index.ts"
import { excessOf, excessOfStretches, type StretchSize, stretchSizeOf } from "./next-request.ts"
import type { SessionIdentity } from "../frame/named-session.ts"
import type { Source } from "../input/source.ts"

/** From best to worst. `open`: a call at the tip has no result yet, and nothing else is wrong. `warnings`: the agent goes on, something was lost. */
export const states = ["healthy", "open", "warnings", "errors"] as const
export type State = (typeof states)[number]

/** How often a cause was found, by what it means for the session. */
export interface Found {
  errors: number
  warnings: number
  notes: number
}

export type FoundCauses = Partial<Record<Cause, Found>>

export interface Examination extends SessionIdentity {
  readonly messages: number
  readonly calls: number
  readonly results: number
  readonly compactions: number
  readonly state: State
  readonly causes: FoundCauses
  /** Of what is sent next, where it may be too much. */
  readonly tokens?: number
  /** Of one stretch of a long file: what it adds to what is sent. */
  readonly stretch?: StretchSize
}

export const addFound = (causes: FoundCauses, cause: Cause, { errors, warnings, notes }: Found): void => {
  const sum = (causes[cause] ??= { errors: 0, warnings: 0, notes: 0 })
  sum.errors += errors
  sum.warnings += warnings
  sum.notes += notes
}

const one = {
  errors: { errors: 1, warnings: 0, notes: 0 },
  warnings: { errors: 0, warnings: 1, notes: 0 },
  notes: { errors: 0, warnings: 0, notes: 1 },
}

/** Nothing is lost with it. */
const isBlank = (rule: string): boolean => rule === "empty-text" || rule === "empty-message"

/** What repair would not change is no damage. What the agent settles itself is not what kills the session. What is before a
 * missing parent never reaches the model, unless the agent looks for another way. */
const weightOf = ({ rule, severity, repair, ids }: Diagnostic, cause: Cause, heals: readonly string[]): Found => {
  if (cause === "in-flight" || repair === undefined || severity === "info") return one.notes
  // Agents write the results of parallel calls as they come; an id tells which is which.
  if (rule === "result-order" && ids.length > 0) return one.notes
  if (isBlank(rule) && heals.includes(rule)) return one.notes
  const kills = severity === "error" || rule === "dangling-parent"
  return kills && !heals.includes(rule) ? one.errors : one.warnings
}

/** A torn last line is what a crash leaves: agents skip it. Glued records are read apart. Of other damaged lines the content is lost. */
const weightOfProblem = (kind: string, cause: Cause, heals: readonly string[]): Found => {
  if (cause === "glued-record") return one.notes
  // For an agent a line with NUL bytes is a line that it cannot read.
  const seen = kind === "nul" ? "torn-line" : kind
  return cause === "torn-end" || heals.includes(seen) ? one.warnings : one.errors
}

/** Damage that the agent settles by itself when it resumes. */
const healsOf = ({ format }: DocumentPart): readonly string[] => {
  const codec = findCodec(format)
  return (codec !== undefined && isSessionCodec(codec) ? codec.session.heals : undefined) ?? []
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

export const stateOf = (causes: FoundCauses): State => {
  const found = Object.values(causes)
  if (found.some(({ errors }) => errors > 0)) return "errors"
  if (found.some(({ warnings }) => warnings > 0)) return "warnings"
  return causes["in-flight"] === undefined ? "healthy" : "open"
}

export const agentOf = (format: string): string => {
  const codec = findCodec(format)
  if (codec === undefined) return format
  return isSessionCodec(codec) ? codec.session.agent : codec.title
}

export const outlineOf = (part: DocumentPart): SessionOutline | undefined => {
  const codec = findCodec(part.format)
  return codec !== undefined && isSessionCodec(codec) ? codec.session.outline(part.value) : undefined
}

/** Where a session belongs, and how it is opened there. */
export const placeOf = ({ format }: DocumentPart, value: unknown): SessionPlace | undefined => {
  const codec = findCodec(format)
  return codec !== undefined && isSessionCodec(codec) ? codec.session.place?.(value) : undefined
}

/** How a session is opened that its agent has in a database of its own already. */
export const placeInDatabase = (part: DocumentPart): SessionPlace | undefined => {
  const place = placeOf(part, part.value)
  if (place?.reopen === undefined) return place
  const { note: _, reopen, ...rest } = place
  return { ...rest, resume: reopen }
}

/** The session as one more in the database that it came from; undefined where the agent takes none in. */
export const copyOf = ({ format }: DocumentPart, value: unknown): unknown => {
  const codec = findCodec(format)
  return codec !== undefined && isSessionCodec(codec) ? codec.session.copy?.(value) : undefined
}

export const identityOfSession = (part: DocumentPart, outline: SessionOutline | undefined): SessionIdentity => {
  const { id = part.name, title = outline?.paths[0]?.title, folder, subagent } = outline ?? {}
  const resume = subagent === undefined ? placeOf(part, part.value)?.resume : undefined
  return {
    format: part.format,
    agent: agentOf(part.format),
    ...(id !== undefined && { id }),
    ...(title !== undefined && { title }),
    ...(folder !== undefined && { folder }),
    ...(resume !== undefined && { resume }),
    ...(subagent !== undefined && { isSubagent: true, ...(subagent.session !== undefined && { startedBy: subagent.session }) }),
  }
}

/** Its messages, its outline and its place come from one reading of its path. */
export const examine = (source: Source, part: DocumentPart): Examination => remembering(() => examined(source, part))

const examined = (source: Source, part: DocumentPart): Examination => {
  const transcript = source.transcript(part)
  const causes: FoundCauses = {}
  const why = new Causes(transcript)
  const heals = healsOf(part)
  for (const finding of [...check(transcript), ...checkSession(part.value, transcript, source.decodeOptions(part))]) {
    const cause = why.of(finding)
    addFound(causes, cause, weightOf(finding, cause, heals))
  }
  // Damage of the file itself is attributed to its only session; with several sessions the owner is unknown.
  if (source.parts.length === 1) addProblems(causes, source.problems, heals)
  const outline = outlineOf(part)
  const tokens = source.isStretch ? undefined : excessOf(source, part, transcript)
  if (tokens !== undefined) addFound(causes, "too-large", one.warnings)
  return {
    ...identityOfSession(part, outline),
    messages: transcript.messages.length,
    ...blocksOf(transcript),
    compactions: outline?.compactions.length ?? 0,
    state: stateOf(causes),
    causes,
    ...(tokens !== undefined && { tokens }),
    ...(source.isStretch && { stretch: stretchSizeOf(part, transcript) }),
  }
}

const addProblems = (causes: FoundCauses, problems: readonly Problem[], heals: readonly string[]): void => {
  for (const { kind } of problems) {
    const cause = causeOfProblem(kind)
    if (cause !== undefined) addFound(causes, cause, weightOfProblem(kind, cause, heals))
  }
}

/** The stretches of one long session as one. A call that is open at the end of any but the last was separated by our reading. */
export const joined = (stretches: readonly Examination[]): Examination => {
  const causes: FoundCauses = {}
  const sum = { messages: 0, calls: 0, results: 0, compactions: 0 }
  let sent: StretchSize[] = []
  stretches.forEach((stretch, index) => {
    // What is before a compaction is not sent any more.
    sent = [...(stretch.compactions > 0 ? [] : sent), ...(stretch.stretch ? [stretch.stretch] : [])]
    for (const key of ["messages", "calls", "results", "compactions"] as const) sum[key] += stretch[key]
    for (const [cause, found] of Object.entries(stretch.causes)) {
      if (cause !== "in-flight" || index === stretches.length - 1) addFound(causes, cause as Cause, found)
    }
  })
  const tokens = excessOfStretches(sent)
  if (tokens !== undefined) addFound(causes, "too-large", one.warnings)
  const { stretch: _, ...first }: Partial<Examination> = stretches[0] ?? {}
  const { format = "", agent = "" } = first
  return { ...first, format, agent, ...sum, state: stateOf(causes), causes, ...(tokens !== undefined && { tokens }) }
}
