/**
 * Which result answers which call. By occurrence (L5), never by a transcript-wide id map, because real servers recycle
 * ids:
 *
 *   cluster   the calls of neighbouring assistant messages, with neither results nor user words between them
 *   1. a result takes an open call with its id: from the nearest cluster before it, there first come, first served;
 *      where several messages of the cluster use that id, from the nearest of them that have as many open calls as there
 *      are results, which shows once the cluster is over. In the place of an answered call it does not reach for an older
 *      call of that id: it is a second result of the one it is after
 *   2. a result without id, or whose id names no open call while calls without id are open, takes an open call of the
 *      nearest cluster by name and position, once that cluster is over, so that it cannot take a call from a result that
 *      names it; a result without id one without id first, where there are enough of these; else the one open call there
 *      whose id is its own in another spelling
 *   3. a result before its call (writers race) takes it when no assistant message is between, or when the id
 *      is too long to be a coincidence
 *   4. what is left is a second result of an answered call, or an orphan. After other words, in a history that counts
 *      its ids, it is an orphan: its own call had the same number and is gone
 *
 * Linear: rivals for one id are stacked by cluster, and each is passed once.
 */
import type { CallBlock, ResultBlock } from "../../model/index.ts"
import { distinctiveLength, isSameId, spellingKeys } from "./same-id.ts"
import { sameResult } from "./same-result.ts"
import { type CallSlot, join, type ResultSlot } from "./slots.ts"

// Which of several open calls a result takes: by the name of the tool, by its id in another spelling, by nearness.

/** Gives a result the first open call, or the first one of its tool where it names one. */
const joinNamed = (slots: readonly CallSlot[], head: number, slot: ResultSlot): void => {
  const { name } = slot.result
  const first = slots[head] as CallSlot
  const isIts = (call: CallSlot): boolean => !call.result && call.call.name === name
  join(!name || first.call.name === name ? first : (slots.slice(head).find(isIts) ?? first), slot)
}

/** More ids than these that begin alike are counters, among which nobody can tell. */
const mostAlike = 32

/** Finds the open call that a result names in another spelling of its id, where there is but one. */
const bySpelling = (slots: readonly CallSlot[]): ((slot: ResultSlot) => CallSlot | undefined) => {
  const alike = new Map<string, CallSlot[]>()
  for (const slot of slots) {
    for (const key of spellingKeys(slot.call.id)) {
      const list = alike.get(key)
      if (list) list.push(slot)
      else alike.set(key, [slot])
    }
  }
  return ({ result: { callId } }) => {
    const meant = new Set<CallSlot>()
    for (const key of spellingKeys(callId)) {
      const candidates = alike.get(key) ?? []
      if (candidates.length > mostAlike) return undefined
      for (const slot of candidates) if (!slot.result && isSameId(slot.call.id, callId)) meant.add(slot)
    }
    return meant.size === 1 ? [...meant][0] : undefined
  }
}

/** Where the calls of the nearest messages begin that together have `count` open calls; 0 when none have. */
const firstOfNearest = (clusterCalls: readonly CallSlot[], count: number): number => {
  let open = 0
  let index = clusterCalls.length
  while (index > 0) {
    const { message } = clusterCalls[index - 1] as CallSlot
    if (open >= count && clusterCalls[index]?.message !== message) break
    index--
    if (!clusterCalls[index]?.result) open++
  }
  return index
}

/** Open calls of one cluster that share one id. */
interface RivalCluster {
  readonly cluster: number
  readonly slots: CallSlot[]
  head: number
}

export class Matcher {
  readonly calls: CallSlot[] = []
  readonly results: ResultSlot[] = []
  /** Results that name their call in another spelling. */
  readonly respelt: ResultSlot[] = []
  /** Calls whose id an earlier call already used. */
  readonly recycled: CallSlot[] = []
  private readonly latest = new Map<string, CallSlot>()
  private readonly rivals = new Map<string, RivalCluster[]>()
  private readonly leftover: ResultSlot[] = []
  /** Leftovers that are no second results, although their id names an answered call. */
  private readonly strangers = new Set<ResultSlot>()
  /** Where the calls of the open cluster begin in `calls`: they are the last ones. */
  private clusterStart = 0
  /** Where the call is that a result would answer which follows the one before in call order. */
  private expected = 0
  private deferred: ResultSlot[] = []
  /** Results whose id several messages of the open cluster use, by that id. */
  private contested = new Map<string, ResultSlot[]>()
  private cluster = 0
  /** Whether a call of the open cluster has no id. */
  private hasNameless = false
  private separated = false

  /** Something other than calls was said: the next call begins a new cluster. */
  separate(): void {
    this.separated = true
  }

  call(call: CallBlock, message: number, block: number, ordinal: number, stretch: number): void {
    if (this.separated) this.nextCluster()
    const { id } = call
    const sameId = id === "" ? undefined : this.latest.get(id)
    const { cluster } = this
    const slot: CallSlot = { message, block, call, ordinal, cluster, stretch, sameId, result: undefined }
    this.calls.push(slot)
    if (id === "") {
      this.hasNameless = true
      return
    }
    this.latest.set(id, slot)
    if (sameId) this.addRival(slot, sameId)
  }

  result(result: ResultBlock, message: number, block: number, anchor: number): void {
    const { callId } = result
    const seen = callId === "" ? undefined : this.nearest(callId)
    const slot: ResultSlot = { message, block, result, anchor, seen, call: undefined }
    this.results.push(slot)
    this.separated = true
    if (!seen) this.deferred.push(slot)
    else if (seen.sameId) this.takeRival(slot, seen)
    else if (seen.result) this.leave(slot, seen)
    else join(seen, slot)
  }

  /** Results that are before their call; then what is left of the leftovers. */
  finish(assistants: readonly number[], reattach: boolean): { orphans: ResultSlot[]; duplicates: ResultSlot[] } {
    this.endCluster()
    const orphans: ResultSlot[] = []
    const duplicates: ResultSlot[] = []
    for (const slot of this.leftover) {
      const later = reattach ? this.openCallBehind(slot, assistants) : undefined
      if (later) join(later, slot)
      else if (slot.seen && !this.strangers.has(slot)) duplicates.push(slot)
      else orphans.push(slot)
    }
    return { orphans, duplicates }
  }

  /** The nearest earlier call with this id. */
  private nearest(callId: string): CallSlot | undefined {
    const next = this.calls[this.expected]
    // Most results are in call order: while ids are unique, comparing two of them saves hashing a fresh string.
    if (next?.call.id !== callId || this.recycled.length > 0) return this.latest.get(callId)
    this.expected++
    return next
  }

  private addRival(slot: CallSlot, sameId: CallSlot): void {
    this.recycled.push(slot)
    let clusters = this.rivals.get(slot.call.id)
    if (!clusters) {
      clusters = sameId.result ? [] : [{ cluster: sameId.cluster, slots: [sameId], head: 0 }]
      this.rivals.set(slot.call.id, clusters)
    }
    const top = clusters.at(-1)
    if (top?.cluster === slot.cluster) top.slots.push(slot)
    else clusters.push({ cluster: slot.cluster, slots: [slot], head: 0 })
  }

  private takeRival(slot: ResultSlot, seen: CallSlot): void {
    const clusters = this.rivals.get(slot.result.callId) ?? []
    for (let top = clusters.at(-1); top; top = clusters.at(-1)) {
      while (top.slots[top.head]?.result) top.head++
      const first = top.slots[top.head]
      if (!first) {
        clusters.pop()
        continue
      }
      if (first.cluster !== seen.cluster && this.isSecond(slot, seen)) break
      if (top.cluster === this.cluster && top.slots.at(-1)?.message !== first.message) this.contest(slot)
      else joinNamed(top.slots, top.head, slot)
      return
    }
    this.leave(slot, seen)
  }

  /**
   * Whether a result is a second one of the nearest call with its id, although older calls of that id are open: it says
   * the same, is in the place of that call's results, or comes after all where the answer was generated.
   */
  private isSecond({ result, anchor }: ResultSlot, seen: CallSlot): boolean {
    const first = seen.result?.result
    if (!first) return false
    const inPlace = anchor !== -1 && seen.cluster === this.cluster
    return inPlace || first.synthetic !== undefined || sameResult(first, result)
  }

  private contest(slot: ResultSlot): void {
    const { callId } = slot.result
    const rivals = this.contested.get(callId)
    if (rivals) rivals.push(slot)
    else this.contested.set(callId, [slot])
  }

  /** A result of an answered call: a second one, that of a call which lost its id, or that of a call which is gone. */
  private leave(slot: ResultSlot, seen: CallSlot): void {
    const first = seen.result
    if (!first || sameResult(first.result, slot.result)) this.leftover.push(slot)
    else if (this.hasNameless && seen.cluster !== this.cluster) this.deferred.push(slot)
    else {
      this.leftover.push(slot)
      const { callId } = slot.result
      const counted = seen.sameId !== undefined || (this.recycled.length > 0 && callId.length < distinctiveLength)
      const inPlace = first.anchor === seen.message && slot.anchor !== seen.message
      if (counted && inPlace && first.result.synthetic === undefined) this.strangers.add(slot)
    }
  }

  private endCluster(): void {
    if (this.contested.size > 0) this.settleContested()
    if (this.deferred.length > 0) this.settleDeferred()
  }

  private nextCluster(): void {
    this.endCluster()
    this.hasNameless = false
    this.cluster++
    this.clusterStart = this.calls.length
    this.expected = this.clusterStart
    this.separated = false
  }

  /** As many results as answer the nearest messages take their calls; the messages before these stay unanswered. */
  private settleContested(): void {
    for (const [callId, slots] of this.contested) {
      const open = (this.rivals.get(callId)?.at(-1)?.slots ?? []).filter(({ result }) => !result)
      let head = firstOfNearest(open, slots.length)
      for (const slot of slots) {
        while (open[head]?.result) head++
        if (open[head]) joinNamed(open, head, slot)
        else this.leftover.push(slot)
      }
    }
    this.contested = new Map()
  }

  /** Results that name no known call take what is open in the cluster before them, by name and position. */
  private settleDeferred(): void {
    const clusterCalls = this.calls.slice(this.clusterStart)
    // Clients that keep an empty id send it back: such results are of the calls without id, unless there are more of them.
    const nameless = this.hasNameless ? clusterCalls.filter(({ call, result }) => call.id === "" && !result) : []
    const isEchoed = this.deferred.filter(({ result }) => result.callId === "").length <= nameless.length
    let head = firstOfNearest(clusterCalls, this.deferred.length)
    let respelt: ReturnType<typeof bySpelling> | undefined
    for (const slot of this.deferred) {
      while (clusterCalls[head]?.result) head++
      const { callId, name } = slot.result
      const fits = (call: CallSlot): boolean => !call.result && (callId === "" || call.call.id === "") && (!name || call.call.name === name)
      const first = clusterCalls[head]
      const search = (): CallSlot | undefined => clusterCalls.slice(head).find(fits) ?? clusterCalls.find(fits)
      const echoed = isEchoed && callId === "" ? nameless.find(fits) : undefined
      const found = echoed ?? (callId === "" || this.hasNameless ? (first && fits(first) ? first : search()) : undefined)
      respelt ??= found ? undefined : bySpelling(clusterCalls)
      const meant = found ?? respelt?.(slot)
      if (meant) join(meant, slot)
      else this.leftover.push(slot)
      if (!found && meant) this.respelt.push(slot)
    }
    this.deferred = []
  }

  private openCallBehind(slot: ResultSlot, assistants: readonly number[]): CallSlot | undefined {
    const { callId } = slot.result
    const call = callId === "" ? undefined : this.latest.get(callId)
    if (!call || call.result || slot.seen) return undefined
    if (callId.length >= distinctiveLength) return call
    // Recycled ids are counters: a result before such a call is more likely a remnant of a cut history.
    if (call.sameId) return undefined
    return anyBetween(assistants, slot.message, call.message) ? undefined : call
  }
}

/** True when one of the sorted numbers lies strictly between two others. */
const anyBetween = (sorted: readonly number[], from: number, to: number): boolean => {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as number) > from) high = middle
    else low = middle + 1
  }
  return (sorted[low] ?? to) < to
}
