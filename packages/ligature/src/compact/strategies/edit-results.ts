/** Results replaced by shorter ones, collected over a conversation: what `cap`, `dedupe` and `mask` have in common. */
import {
  type CallBlock,
  callsOf,
  type Conversation,
  type Exchange,
  type Item,
  type Outcome,
  type ResultBlock,
} from "../../model/index.ts"
import { fitsIn, type Size } from "../meter/size.ts"
import { ledgerOf } from "../plan/ledger.ts"
import { concludePlan, keepAll, type Proposal, refusedPlan, unchangedPlan } from "../plan/make-plan.ts"
import type { Context, Elided, Strategy } from "../plan/plan.ts"
import { type Handle, handleOf } from "../text/handles.ts"
import { withResults } from "../text/stand-ins.ts"

/** A result and its place. */
export interface PlacedResult {
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
type EditResults = (
  edits: ResultEdits,
  limit: Size,
  context: Context,
  conversation: Conversation,
) => string | undefined

/** A strategy that only shortens results: leaves alone what fits, edits, and measures the outcome. */
export const editingResults = (name: string, why: string, edit: EditResults): Strategy => ({
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
