/**
 * Old results become one-line stubs, oldest first, until the view fits: old output of tools is the largest and
 * least wanted part of most histories. Calls stay with their arguments, because those are what an agent reuses most,
 * and errors stay, because they stop it from making the same mistake again. Each masking voids the prompt cache
 * after it, so a plan masks everything it will need at once, and at least what makes it worth it.
 */
import { type CallBlock, type Exchange, LigatureError } from "../../model/index.ts"
import type { Strategy } from "../plan/plan.ts"
import { checkNames, isAmong, type OptionNames, type ToolNames, wholeNumber } from "../plan/options.ts"
import { handleOf } from "../text/handles.ts"
import { isStub, stubText, withText } from "../text/stand-ins.ts"
import { editingResults, type PlacedResult } from "./edit-results.ts"

export interface MaskOptions {
  /** The newest results stay. Default 3. */
  readonly keep?: number
  /** Results of these tools stay. */
  readonly excludeTools?: ToolNames
  /** Also clears the arguments of masked calls. Default false: they are the best hint at what will be needed. */
  readonly clearInputs?: boolean
  /** Fewest tokens to gain; with less to gain the strategy refuses. Default 0. */
  readonly atLeast?: number
}

/** The call with the handle of its result in place of its arguments. */
const cleared = (exchange: Exchange, call: CallBlock, handle: string): Exchange => {
  const { native: _, raw: __, fault: ___, ...rest } = call
  const blocks = exchange.message.blocks.map((block) =>
    block === call ? { ...rest, arguments: { elided: `recall ${handle}` } } : block,
  )
  const { native: ____, ...message } = exchange.message
  return { ...exchange, message: { ...message, blocks } }
}

const maskable = (
  placed: readonly PlacedResult[],
  keep: number,
  excluded: (name: string) => boolean,
): readonly PlacedResult[] =>
  placed
    .slice(0, Math.max(0, placed.length - keep))
    .filter(({ kind, call, result }) => kind === "done" && !excluded(call.name) && !isStub(result.content))

const optionNames: OptionNames<MaskOptions> = { keep: true, excludeTools: true, clearInputs: true, atLeast: true }

export const mask = (options: MaskOptions = {}): Strategy => {
  checkNames(options, optionNames)
  const { keep = 3, excludeTools, clearInputs = false, atLeast = 0 } = options
  const newest = wholeNumber(keep, "keep")
  const excluded = isAmong(excludeTools)
  if (!(atLeast >= 0)) throw new LigatureError("bad-option", `Expected atLeast of 0 or more tokens, got ${atLeast}`)
  return editingResults("mask", "old result", (edits, limit, context) => {
    for (const placed of maskable(edits.placed(), newest, excluded)) {
      if (edits.fits(limit) && edits.gained >= atLeast) break
      if (context.isProtected(placed.exchange, placed.index)) continue
      const stub = withText(placed.result, stubText(placed.handle, context.meter.sizeOfBlock(placed.result).tokens))
      if (edits.replace(placed, stub) && clearInputs) {
        edits.change(placed, (exchange) => cleared(exchange, placed.call, handleOf(placed.position)))
      }
    }
    return edits.gained < atLeast
      ? `Masking gains ${edits.gained} tokens, fewer than the ${atLeast} that make it worth it`
      : undefined
  })
}
