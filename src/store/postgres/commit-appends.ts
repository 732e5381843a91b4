/** Commits the appends of one conversation that wait at the same time: at most one question, one statement that writes. */
import type { NewEntry } from "../entry.ts"
import { storedText } from "../entry-rows.ts"
import { appendKnown } from "./append-known.ts"
import { type KnownState, type KnownStates, nextRevision } from "./known-states.ts"
import type { Session } from "./sessions.ts"
import { claiming, readState } from "./state.ts"
import type { Statements } from "./statements.ts"
import { judge, sendJudged, type Waiting } from "./waiting.ts"

/** The ids an entry speaks of, which have to be looked for. */
const namedBy = (entry: NewEntry): readonly string[] => {
  const own = entry.id === undefined ? [] : [entry.id]
  if (entry.kind === "tip") return entry.to === null ? own : [...own, entry.to]
  return entry.kind === "hide" || entry.kind === "summary" ? [...own, ...entry.covers.map(({ id }) => id)] : own
}

export interface CommitTerms {
  readonly statements: Statements
  readonly states: KnownStates
  readonly time: () => number | null
  readonly durable: boolean
  /** An earlier try may have gone through. */
  readonly again: boolean
}

type Answers = readonly (() => void)[]

interface Through {
  readonly answers: Answers
  /** What it left, and the revision it found; absent when nothing had to be written. */
  readonly left?: { readonly state: KnownState; readonly before: string }
}

const readAndAppend = (session: Session, id: string, waiting: readonly Waiting[], terms: CommitTerms): Promise<Through> => {
  const { statements, time, durable } = terms
  const ids = waiting.flatMap(({ request, freshIds }) => [...freshIds, ...request.entries.flatMap(namedBy)])
  const operations = waiting.map(({ request }) => request.operation)
  return claiming<Through>(session, statements, id, async () => {
    const state = await readState(session, statements, id, time(), ids, operations)
    const { log, revision, slots } = state
    const judged = waiting.map((one) => judge(state, one))
    const answers = judged.map(({ answer }) => answer)
    if (log.rows.length === 0) {
      // An operation that is repeated may not have reached the server's disk the first time.
      if (durable) await session.rows(statements.touch, [[storedText(id)]])
      return { result: { answers } }
    }
    const taken = await sendJudged(judged, async () => {
      const [row] = await session.rows(statements.append, [storedText(id), revision, ...log.values(durable)])
      return Number(row?.["claimed"]) === 1
    })
    if (!taken) return undefined
    return { result: { answers, left: { state: log.leaves(nextRevision(revision), slots), before: revision } } }
  })
}

/** Gives the answers, to be told when the commit is known to be through. */
export const commitAppends = async (
  session: Session,
  id: string,
  waiting: readonly Waiting[],
  terms: CommitTerms,
): Promise<Answers> => {
  const { statements, states, time, durable, again } = terms
  const known = again ? undefined : states.get(id)
  if (known) {
    const appended = await appendKnown(session, statements, id, waiting, known, time(), durable)
    if (appended) {
      states.left(id, appended.state, known.revision)
      return appended.answers
    }
  }
  const { answers, left } = await readAndAppend(session, id, waiting, terms)
  if (left) states.left(id, left.state, left.before)
  return answers
}
