/** Commits the appends of one conversation that wait at the same time: one question, one statement that writes. */
import type { NewEntry } from "../entry.ts"
import { storedText } from "../entry-rows.ts"
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
}

type Answers = readonly (() => void)[]

interface Through {
  readonly answers: Answers
  /** What it left, and the revision it found; absent when nothing had to be written. */
  readonly left?: { readonly state: KnownState; readonly before: string }
}

/** Gives the answers, to be told when the commit is known to be through. */
export const readAndAppend = async (
  session: Session,
  id: string,
  waiting: readonly Waiting[],
  { statements, states, time }: CommitTerms,
  durable: boolean,
): Promise<Answers> => {
  const ids = waiting.flatMap(({ request, freshIds }) => [...freshIds, ...request.entries.flatMap(namedBy)])
  const operations = [...new Set(waiting.map(({ request }) => request.operation))]
  const { answers, left } = await claiming<Through>(session, statements, id, async () => {
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
  if (left) states.left(id, left.state, left.before)
  return answers
}
