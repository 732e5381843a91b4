/**
 * Results that are too large are shortened before any request holds them: what was never sent whole never has to be
 * edited later, at the price of the prompt cache. The store keeps the whole result, and its handle reads it back; the
 * shortened one is stored beside it, so that every later request shows the same. What recall answers stays whole: it bounds itself, and shortened it would point at itself and not at what was asked for.
 */
import { callsOf } from "../../model/index.ts"
import type { Entry, Loaded, NewEntry } from "../../store/index.ts"
import { cover } from "../../store/cover.ts"
import type { Meter } from "../meter/meter.ts"
import type { Elided } from "../plan/plan.ts"
import { recallToolName } from "../recall/recall-tool.ts"
import { capResult } from "../strategies/cap.ts"
import { handleOf } from "../text/handles.ts"
import { type Archive, archiveOf } from "./stored/archive.ts"

type ResultEntry = Extract<Entry, { readonly kind: "result" }>

interface Trimmed {
  readonly entries: readonly NewEntry[]
  readonly elided: readonly Elided[]
}

/** Results after the last message of the model that nothing covers yet. */
const unsentResults = (entries: readonly Entry[]): readonly ResultEntry[] => {
  const said = entries.findLastIndex((entry) => entry.kind === "message" && entry.message.role === "assistant")
  const since = entries.slice(said + 1)
  const covered = new Set(since.flatMap((entry) => (entry.kind === "summary" ? entry.covers.map(({ id }) => id) : [])))
  return since.filter((entry): entry is ResultEntry => entry.kind === "result" && !covered.has(entry.id))
}

/** Undefined for what is not to be shortened: no handle leads to it, or recall has answered it. */
const handleIn = ({ conversation, positions }: Archive, { result }: ResultEntry): string | undefined => {
  const at = conversation.items.findLastIndex(
    (item) => item.role === "exchange" && item.outcomes.some((outcome) => outcome.result?.content === result.content),
  )
  const item = conversation.items[at]
  if (item?.role !== "exchange") return undefined
  const call = item.outcomes.findIndex((outcome) => outcome.result?.content === result.content)
  return callsOf(item)[call]?.name === recallToolName ? undefined : handleOf(positions[at] ?? at, call)
}

interface TrimOptions {
  /** Results larger than this are shortened to it; 0: none is. */
  readonly tokens: number
  readonly meter: Meter
  /** Whether the model has a tool that reads the rest back. Without one the note states that it cannot. */
  readonly canRecall: boolean
}

/** The summaries that show new results shortened. `loaded` is asked only where there is something to shorten. */
export const trimResults = (path: readonly Entry[], loaded: () => Loaded, options: TrimOptions): Trimmed => {
  const { tokens, meter, canRecall } = options
  const trimmed: { entries: NewEntry[]; elided: Elided[] } = { entries: [], elided: [] }
  if (tokens === 0) return trimmed
  const large = unsentResults(path).filter(({ result }) => meter.sizeOfBlock(result).tokens > tokens)
  if (large.length === 0) return trimmed
  const archive = archiveOf(loaded())
  for (const entry of large) {
    const handle = handleIn(archive, entry)
    if (handle === undefined) continue
    const result = capResult(entry.result, { tokens, meter, ...(canRecall && { handle }) })
    if (result === entry.result) continue
    trimmed.entries.push({ kind: "summary", message: { role: "tool", blocks: [result] }, covers: cover([entry]) })
    const gone = meter.sizeOfBlock(entry.result).tokens - meter.sizeOfBlock(result).tokens
    trimmed.elided.push({ handle, tokens: gone })
  }
  return trimmed
}
