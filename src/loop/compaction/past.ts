/** What earlier compactions of a path left in their notes. Rewinding leaves the notes behind with what they are about. */
import type { Size } from "../../compact/size.ts"
import { summaryStrategyName } from "../../compact/summary/index.ts"
import { isWire } from "../../model/index.ts"
import type { Entry, Loaded } from "../../store/index.ts"

/** Name of the note that is written beside a compaction. */
export const compactionNote = "compaction"

/** What the notes on the path say about compactions before this one. */
export interface Past {
  /** The view as the last one left it. */
  readonly lastAfter?: Size
  /** Compactions in a row whose summariser failed. */
  readonly failures: number
  /** By what the last one multiplied estimates, to count as the provider does. */
  readonly factor: number
}

/** What a note of a compaction holds, as far as it is read again. */
interface Noted {
  readonly strategy: string | undefined
  readonly after: Size | undefined
  readonly factor: number
  readonly untold: readonly number[]
  readonly toldInView: readonly number[]
  readonly summaryFailed: boolean
}

const integersIn = (value: unknown): readonly number[] => (Array.isArray(value) ? value.filter((each) => Number.isInteger(each)) : [])

const numberIn = (value: unknown): number | undefined => (Number.isFinite(value) ? (value as number) : undefined)

/** By what no provider counts otherwise than we do. */
const [leastFactor, mostFactor] = [0.5, 2]

const factorIn = (value: unknown): number => {
  const factor = numberIn(value) ?? 1
  return factor >= leastFactor && factor <= mostFactor ? factor : 1
}

/** Anybody may write a note under this name, so nothing about its value is taken for granted. */
const readNote = (entry: Entry | undefined): Noted | undefined => {
  if (entry?.kind !== "note" || entry.name !== compactionNote) return undefined
  const value = isWire(entry.value) ? entry.value : {}
  const { strategy, summaryFailed } = value
  const tokens = numberIn(value["after"])
  return {
    strategy: typeof strategy === "string" ? strategy : undefined,
    after: tokens === undefined ? undefined : { tokens, bytes: numberIn(value["afterBytes"]) ?? 0 },
    factor: factorIn(value["factor"]),
    untold: integersIn(value["untold"]),
    toldInView: integersIn(value["toldInView"]),
    summaryFailed: summaryFailed === true,
  }
}

/** A note of a summariser that failed where nothing was compacted: it says nothing about the view. */
export const isFailureNote = (entry: Entry): boolean => {
  const note = readNote(entry)
  return note !== undefined && note.after === undefined
}

/** What the note that was written with a summary says about what it tells. */
export const tellingBeside = (entries: readonly Entry[], summary: number): Pick<Noted, "untold" | "toldInView"> => {
  const { operation } = entries[summary] as Entry
  const isBeside = (entry: Entry): boolean => entry.operation === operation && readNote(entry) !== undefined
  return readNote(entries.slice(summary).find(isBeside)) ?? { untold: [], toldInView: [] }
}

export const pastOf = ({ entries }: Loaded): Past => {
  let lastAfter: Size | undefined
  let factor: number | undefined
  let failures = 0
  for (let at = entries.length - 1; at >= 0; at--) {
    const note = readNote(entries[at])
    if (note === undefined) continue
    if (note.after) {
      lastAfter ??= note.after
      factor ??= note.factor
    }
    if (!note.summaryFailed) {
      if (note.strategy === summaryStrategyName) break
      continue
    }
    failures++
  }
  return { failures, factor: factor ?? 1, ...(lastAfter && { lastAfter }) }
}
