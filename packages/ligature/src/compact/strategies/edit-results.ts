/** Strategies that only shorten results: `cap` those that are too large, `dedupe` those that are repeated, `mask` those that are old. */
import {
  assertOptions,
  type CallBlock,
  callsOf,
  canonicalJson,
  type Conversation,
  type Exchange,
  type Item,
  LigatureError,
  type Outcome,
  type ResultBlock,
} from "../../model/index.ts"
import { estimateMeter, fitsIn, type Meter, type Size } from "../meter/meter.ts"
import { ledgerOf } from "../plan/ledger.ts"
import { concludePlan, keepAll, type Proposal, refusedPlan, unchangedPlan } from "../plan/make-plan.ts"
import { type Context, type Elided, isAmong, type Strategy, type ToolNames, wholeNumber } from "../plan/plan.ts"
import {
  type Handle,
  handleOf,
  isStub,
  parseHandle,
  sameStubText,
  staleStubText,
  stubText,
  textOfContent,
  withResults,
  withText,
} from "../text/handles.ts"
import { shortenResult } from "../text/shorten.ts"

/** A result and its place. */
interface PlacedResult {
  /** Index of its exchange. */
  readonly index: number
  readonly exchange: Exchange
  readonly call: CallBlock
  /** Which of the calls. */
  readonly ordinal: number
  readonly kind: Outcome["kind"]
  readonly result: ResultBlock
  readonly handle: Handle
  /** Position of the exchange in the whole history. */
  readonly position: number
}

interface Edit {
  readonly results: Map<number, ResultBlock>
  readonly elided: Elided[]
  exchange: Exchange
}

class ResultEdits {
  private readonly conversation: Conversation
  private readonly context: Context
  private readonly edits = new Map<number, Edit>()
  /** The view so far. */
  private tokens: number
  private bytes: number

  constructor(conversation: Conversation, context: Context) {
    this.conversation = conversation
    this.context = context
    const { tokens, bytes } = ledgerOf(conversation.items, context.meter).total()
    this.tokens = tokens
    this.bytes = bytes
  }

  get count(): number {
    return this.edits.size
  }

  /** Tokens gained so far. */
  get gained(): number {
    return ledgerOf(this.conversation.items, this.context.meter).total().tokens - this.tokens
  }

  /** Every result, oldest first. */
  placed(): readonly PlacedResult[] {
    return this.conversation.items.flatMap((item: Item, index) => {
      if (item.role !== "exchange" || item.outcomes.length === 0) return []
      const position = this.context.positionOf(item)
      const calls = callsOf(item)
      return item.outcomes.flatMap(({ kind, result }, ordinal): readonly PlacedResult[] => {
        const call = calls[ordinal]
        if (!result || !call) return []
        return [{ index, exchange: item, call, ordinal, kind, result, handle: handleOf(position, ordinal), position }]
      })
    })
  }

  fits(limit: Size): boolean {
    return fitsIn({ tokens: this.tokens, bytes: this.bytes }, limit)
  }

  /** Takes the shorter result; false, and nothing done, when it is not shorter. */
  replace(placed: PlacedResult, shorter: ResultBlock): boolean {
    const { meter } = this.context
    const before = meter.sizeOfBlock(placed.result)
    const after = meter.sizeOfBlock(shorter)
    if (after.tokens >= before.tokens) return false
    const edit = this.editOf(placed)
    edit.results.set(placed.ordinal, shorter)
    edit.elided.push({ handle: placed.handle, tokens: before.tokens - after.tokens })
    this.tokens -= before.tokens - after.tokens
    this.bytes -= before.bytes - after.bytes
    return true
  }

  /** Changes the exchange around a result, say the arguments of its call, if that makes it smaller. */
  change(placed: PlacedResult, change: (exchange: Exchange) => Exchange): void {
    const { meter } = this.context
    const edit = this.editOf(placed)
    const before = meter.sizeOfItem(edit.exchange)
    const changed = change(edit.exchange)
    const after = meter.sizeOfItem(changed)
    if (after.tokens >= before.tokens) return
    edit.exchange = changed
    edit.elided.push({ handle: handleOf(placed.position), tokens: before.tokens - after.tokens })
    this.tokens -= before.tokens - after.tokens
    this.bytes -= before.bytes - after.bytes
  }

  private editOf({ index, exchange }: PlacedResult): Edit {
    let edit = this.edits.get(index)
    if (!edit) this.edits.set(index, (edit = { results: new Map(), elided: [], exchange }))
    return edit
  }

  propose(why: string): Proposal {
    const decisions = keepAll(this.conversation)
    for (const [index, { results, elided, exchange }] of this.edits) {
      decisions[index] = { kind: "edit", item: withResults(exchange, results), elided, why }
    }
    return { decisions, summaries: [] }
  }
}

/** Edits results. Returns the reason where it is not worth it. */
type EditResults = (edits: ResultEdits, limit: Size, context: Context, conversation: Conversation) => string | undefined

/** A strategy that only shortens results: leaves alone what fits, edits, and measures the outcome. */
const editingResults = (name: string, why: string, edit: EditResults): Strategy => ({
  name,
  plan: (conversation, limit, context) => {
    const { meter } = context
    if (ledgerOf(conversation.items, meter).fits(limit)) return unchangedPlan(name, conversation, meter)
    const edits = new ResultEdits(conversation, context)
    const refusal = edit(edits, limit, context, conversation)
    if (refusal !== undefined) return refusedPlan(name, conversation, meter, refusal)
    return concludePlan(name, conversation, limit, meter, edits.propose(why))
  },
})

// No result is larger than this: of a larger one the beginning and the end stay, in whole lines, with the handle of
// the rest between them. Best done when a result is recorded (`capResult`), because what is never sent whole never
// has to be edited; as a strategy it does the same to a history that was recorded without. The newest exchange is
// capped last: its results are what the model is about to read.

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

export const cap = (options: CapOptions = {}): Strategy => {
  assertOptions(options, { tokens: true, excludeTools: true, canRecall: true, all: true })
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

// Shows nothing twice. Of results with the same text the newest stays and the older ones name it. Of
// readings of the same thing the newest stays too: the older name where it was read again. Nothing is lost: what is
// the same is still there, and what was overtaken can be read back by its handle.

export interface DedupeOptions {
  /**
   * Whether a call only looks at something, so that looking again overtakes it. Default: by the tool's name and
   * arguments.
   */
  readonly isReading?: (call: CallBlock) => boolean
}

const readingName = /(?:^|[_\-.\s]|[a-z](?=[A-Z]))(?:read|view|cat|open|show|get[_-]?file|load)(?:$|[_\-.\sA-Z])/i
const placeKeys = ["path", "file_path", "filePath", "file", "filename", "target_file", "absolute_path", "uri", "url"]

/** A tool that reads by its name, and an argument that names what. */
const isReadingCall = (call: CallBlock): boolean =>
  readingName.test(call.name) && placeKeys.some((key) => typeof call.arguments[key] === "string")

const isPlain = (result: ResultBlock): boolean => result.content.every((block) => block.type === "text")

interface Newer {
  readonly handle: string
  readonly tokens: number
}

export const dedupe = (options: DedupeOptions = {}): Strategy => {
  assertOptions(options, { isReading: true })
  const { isReading = isReadingCall } = options
  return editingResults("dedupe", "said again later", (edits, _, context) => {
    const byCall = new Map<string, Newer>()
    const byWords = new Map<string, Newer>()
    const consider = (placed: PlacedResult): void => {
      const { call, result, handle, kind } = placed
      if ((kind !== "done" && kind !== "failed") || !isPlain(result) || isStub(result.content)) return
      const words = textOfContent(result.content)
      const { tokens } = context.meter.sizeOfBlock(result)
      const key = `${call.name} ${canonicalJson(call.arguments)}`
      const said = byWords.get(`${kind} ${words}`)
      const again = byCall.get(key)
      const open = !context.isProtected(placed.exchange, placed.index)
      if (said) {
        if (open) edits.replace(placed, withText(result, sameStubText(said.handle)))
        if (!again) byCall.set(key, said)
        return
      }
      // A newer answer that is much shorter may only report that nothing has changed.
      if (again && open && kind === "done" && isReading(call) && again.tokens * 2 >= tokens) {
        edits.replace(placed, withText(result, staleStubText(handle, again.handle)))
        return
      }
      const newer: Newer = { handle, tokens }
      byWords.set(`${kind} ${words}`, newer)
      if (!again && kind === "done") byCall.set(key, newer)
    }
    for (const placed of edits.placed().toReversed()) consider(placed)
    return undefined
  })
}

// Old results become one-line stubs, oldest first, until the view fits: old output of tools is the largest and
// least wanted part of most histories. Calls stay with their arguments, because those are what an agent reuses most,
// and errors stay, because they stop it from making the same mistake again. Each masking voids the prompt cache
// after it, so a plan masks everything it will need at once, and at least what makes it worth it.

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
  const blocks = exchange.message.blocks.map((block) => (block === call ? { ...rest, arguments: { elided: `recall ${handle}` } } : block))
  const { native: ____, ...message } = exchange.message
  return { ...exchange, message: { ...message, blocks } }
}

const maskable = (placed: readonly PlacedResult[], keep: number, excluded: (name: string) => boolean): readonly PlacedResult[] =>
  placed
    .slice(0, Math.max(0, placed.length - keep))
    .filter(({ kind, call, result }) => kind === "done" && !excluded(call.name) && !isStub(result.content))

export const mask = (options: MaskOptions = {}): Strategy => {
  assertOptions(options, { keep: true, excludeTools: true, clearInputs: true, atLeast: true })
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
    return edits.gained < atLeast ? `Masking gains ${edits.gained} tokens, fewer than the ${atLeast} that make it worth it` : undefined
  })
}
