/**
 * The draft: what settle changes while rules repair, without touching the transcript. Edits are kept per block and
 * compose: a rule always sees a block as the rules before it left it. `assemble` reads the result.
 */
import type { Block, CallBlock, Message, RepairKind, ReportEntry, ResultBlock, UserBlock } from "../model/index.ts"
import { placeOf } from "./place.ts"
import type { Policies } from "./policies.ts"
import type { Description } from "./rule.ts"
import type { CallSlot, ResultSlot, Spot, Survey } from "./survey/index.ts"

export class Draft {
  readonly survey: Survey
  readonly policies: Policies
  readonly entries: ReportEntry[] = []
  /** Per message, per block: what is there now. An empty list means left out. */
  readonly edits = new Map<number, Map<number, readonly Block[]>>()
  /** Per message: words of the user that follow it. */
  readonly asides = new Map<number, readonly UserBlock[]>()
  /** Messages left out whole, with the results of their calls. */
  readonly dropped = new Set<number>()
  /** Calls that need an id of their own, with what to say in the report. `assignIds` gives it. */
  readonly renames = new Map<CallSlot, Description>()
  readonly #invented = new Map<CallSlot, ResultBlock>()
  readonly #chosen = new Map<CallSlot, ResultSlot>()

  constructor(survey: Survey, policies: Policies) {
    this.survey = survey
    this.policies = policies
  }

  /** True while no rule has changed a block or taken another result: then the survey says all there is to know. */
  get pristine(): boolean {
    return this.edits.size === 0 && this.#invented.size === 0 && this.#chosen.size === 0
  }

  /** The block as it is now; undefined when it was left out or became several. */
  current(spot: Spot): Block | undefined {
    const edited = this.edits.get(spot.message)?.get(spot.block)
    if (edited) return edited.length === 1 ? edited[0] : undefined
    return this.survey.transcript.messages[spot.message]?.blocks[spot.block]
  }

  replace(spot: Spot, ...blocks: readonly Block[]): void {
    const edits = this.edits.get(spot.message)
    if (edits) edits.set(spot.block, blocks)
    else this.edits.set(spot.message, new Map([[spot.block, blocks]]))
  }

  /** Says this in place of a result: words of the user, whoever's message the result was in. */
  sayAsUser(spot: Spot, ...blocks: readonly UserBlock[]): void {
    const role = this.survey.transcript.messages[spot.message]?.role
    if (role === "user" || role === "tool") return this.replace(spot, ...blocks)
    this.replace(spot)
    this.asides.set(spot.message, [...(this.asides.get(spot.message) ?? []), ...blocks])
  }

  /** Changes fields of a call in place. */
  amendCall(slot: CallSlot, change: (call: CallBlock) => CallBlock): void {
    const block = this.current(slot)
    if (block?.type === "call") this.replace(slot, change(block))
  }

  invent(slot: CallSlot, result: ResultBlock): void {
    this.#invented.set(slot, result)
  }

  /** Takes another result for this call than the survey did. */
  choose(slot: CallSlot, result: ResultSlot): void {
    this.#chosen.set(slot, result)
  }

  resultSlot(slot: CallSlot): ResultSlot | undefined {
    return this.#chosen.get(slot) ?? slot.result
  }

  /** The result of a call as it is now, real or generated. */
  resultOf(slot: CallSlot): ResultBlock | undefined {
    const real = this.resultSlot(slot)
    const block = real ? this.current(real) : this.#invented.get(slot)
    return block?.type === "result" ? block : undefined
  }

  /** The first message any repair concerns: before it, the conversation says what the source said. */
  firstTouched(): number {
    let first = Number.POSITIVE_INFINITY
    for (const { place } of this.entries) first = Math.min(first, place.message ?? first)
    for (const { call } of this.survey.misplaced) first = Math.min(first, call?.message ?? first)
    return first
  }

  record(rule: string, description: Description, more: Partial<ReportEntry> = {}, kind?: RepairKind): void {
    const { spot, repair, ids } = description
    const original = this.survey.transcript.messages[spot.message]?.blocks[spot.block] as Block | Message | undefined
    this.entries.push({
      rule,
      kind: kind ?? repair.kind,
      place: placeOf(this.survey.transcript, spot),
      what: repair.what,
      ids,
      ...(original && { original }),
      ...more,
    })
  }
}
