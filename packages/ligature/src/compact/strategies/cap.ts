/**
 * No result is larger than this: of a larger one the beginning and the end stay, in whole lines, with the handle of
 * the rest between them. Best done when a result is recorded (`capResult`), because what is never sent whole never
 * has to be edited; as a strategy it does the same to a history that was recorded without. The newest exchange is
 * capped last: its results are what the model is about to read.
 */
import { LigatureError, type ResultBlock } from "../../model/index.ts"
import type { Meter } from "../meter/meter.ts"
import { estimateMeter } from "../meter/meters.ts"
import type { Strategy } from "../plan/plan.ts"
import { checkNames, isAmong, type OptionNames, type ToolNames } from "../plan/options.ts"
import { parseHandle } from "../text/handles.ts"
import { shortenResult } from "../text/shorten-item.ts"
import { editingResults, type PlacedResult } from "./edit-results.ts"

export interface CapOptions {
  /** Most tokens of one result. Default 2000. */
  readonly tokens?: number
  /** Results of these tools stay whole. */
  readonly excludeTools?: ToolNames
  /** Whether the model can read the rest back: only then do notes have handles. Default true. */
  readonly canRecall?: boolean
  /** Protected exchanges and the newest too: for a history whose results were capped as they came. Default false. */
  readonly all?: boolean
}

const checked = (tokens: number): number => {
  if (!(tokens > 0)) throw new LigatureError("bad-option", `Expected a cap above 0 tokens, got ${tokens}`)
  return Math.floor(tokens)
}

interface CapResultOptions {
  readonly tokens: number
  /** Handle of the result, under which the whole of it can be recalled. Without one, the note states that it cannot. */
  readonly handle?: string
  readonly meter?: Meter
}

/** The result with at most this many tokens; the very result when it has no more. */
export const capResult = (result: ResultBlock, options: CapResultOptions): ResultBlock => {
  const { tokens, handle, meter = estimateMeter } = options
  const reference = handle === undefined ? undefined : parseHandle(handle)
  if (handle !== undefined && !reference) throw new LigatureError("bad-option", `Expected a handle such as #12.2, got "${handle}"`)
  return shortenResult(result, { tokens: checked(tokens), bytes: Number.POSITIVE_INFINITY }, reference, meter)
}

const optionNames: OptionNames<CapOptions> = { tokens: true, excludeTools: true, canRecall: true, all: true }

export const cap = (options: CapOptions = {}): Strategy => {
  checkNames(options, optionNames)
  const { tokens = 2000, excludeTools, canRecall = true, all = false } = options
  const most = checked(tokens)
  const excluded = isAmong(excludeTools)
  return editingResults("cap", "larger than the cap", (edits, limit, context, { items }) => {
    const newest = items.length - 1
    const capOne = (placed: PlacedResult): void => {
      const { result, position, ordinal } = placed
      const limited = { tokens: most, bytes: Number.POSITIVE_INFINITY }
      const reference = canRecall ? { item: position, call: ordinal } : undefined
      const shorter = shortenResult(result, limited, reference, context.meter)
      if (shorter !== result) edits.replace(placed, shorter)
    }
    const open = edits
      .placed()
      .filter(({ exchange, index, call }) => !excluded(call.name) && (all || !context.isProtected(exchange, index)))
    for (const placed of open) if (all || placed.index < newest) capOne(placed)
    if (!all && !edits.fits(limit)) for (const placed of open) if (placed.index === newest) capOne(placed)
    return undefined
  })
}
