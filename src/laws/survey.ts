/**
 * The survey: one linear pass over a transcript that finds out which result answers which call, and notes every block
 * that breaks a law. Rules read their findings from it; a healthy transcript leaves all lists empty.
 *
 * Matching is by occurrence (L5), never by a transcript-wide id map, because real servers recycle ids:
 *
 *   cluster   the calls of neighbouring assistant messages, with neither results nor user words between them
 *   1. a result takes an open call with its id: from the nearest cluster in front of it, there first come, first served
 *   2. a result without id, or whose id nobody called while calls without id are open, takes an open call of the nearest
 *      cluster by name and position, once that cluster is over, so that it cannot take a call from a result that names it
 *   3. a result in front of its call (writers race) takes it when no assistant message stands between, or when the id
 *      is too long to be a coincidence
 *   4. what is left is a second result of an answered call, or an orphan
 *
 * `anchor` is the assistant message whose results may stand here: it is lost at the first block that is neither result
 * nor empty (L3).
 */
import type { Block, CallBlock, Message, ResultBlock, Transcript } from "../model/index.ts"
import { canonicalJson, resultText } from "../model/index.ts"
import { rawArgumentsKey } from "./raw-arguments.ts"
import { isBlank, isWellFormedBlock } from "./text.ts"

export interface CallSlot {
  readonly message: number
  readonly block: number
  readonly call: CallBlock
  /** Position among the calls of its message. */
  readonly ordinal: number
  readonly cluster: number
  /** Counts the user's (or system's) words so far: equal stretches have none between them. */
  readonly stretch: number
  /** An earlier call that used the same id. */
  readonly sameId: CallSlot | undefined
  result: ResultSlot | undefined
}

export interface ResultSlot {
  readonly message: number
  readonly block: number
  readonly result: ResultBlock
  readonly anchor: number
  /** The nearest earlier call with this id, answered or not, at the time the result came. */
  readonly seen: CallSlot | undefined
  call: CallSlot | undefined
}

export interface Spot {
  readonly message: number
  readonly block: number
}

export interface Survey {
  readonly transcript: Transcript
  readonly tip: "open" | "closed"
  readonly calls: readonly CallSlot[]
  readonly results: readonly ResultSlot[]
  readonly unanswered: readonly CallSlot[]
  readonly orphans: readonly ResultSlot[]
  readonly duplicates: readonly ResultSlot[]
  readonly misplaced: readonly ResultSlot[]
  readonly misordered: readonly ResultSlot[]
  readonly recycled: readonly CallSlot[]
  readonly replayed: readonly CallSlot[]
  readonly stalePending: readonly CallSlot[]
  readonly nameless: readonly CallSlot[]
  readonly faulty: readonly CallSlot[]
  readonly withoutId: readonly (CallSlot | ResultSlot)[]
  readonly blankTexts: readonly Spot[]
  readonly emptyMessages: readonly number[]
  readonly surrogates: readonly Spot[]
  readonly brokenSpans: readonly Spot[]
  readonly hollowThinking: readonly Spot[]
  readonly strays: readonly Spot[]
  /** Calls written as XML text in a transcript that also has calls as blocks. */
  readonly foreignStyle: readonly CallSlot[]
  /** The last message that says something other than results; calls in it are at the tip. */
  readonly lastWord: number
}

/** Open calls that share one id. Clusters are stacked: the nearest is on top. */
interface Rivals {
  readonly clusters: { readonly cluster: number; readonly slots: CallSlot[]; head: number }[]
}

/** An id this long is not a counter: equal ids mean the same call wherever they stand. */
const distinctiveLength = 16

const isAssistantBlock = (block: Block): boolean => block.type === "call" || block.type === "thinking"

/** A block that would still be there after blank text is left out. */
export const says = (block: Block): boolean => block.type !== "text" || !isBlank(block.text)

class Surveyor {
  readonly calls: CallSlot[] = []
  readonly results: ResultSlot[] = []
  readonly blankTexts: Spot[] = []
  readonly emptyMessages: number[] = []
  readonly surrogates: Spot[] = []
  readonly hollowThinking: Spot[] = []
  readonly strays: Spot[] = []
  readonly spans = new Map<string, { call: Spot | undefined; result: Spot | undefined }>()
  readonly surplusHalves: Spot[] = []
  readonly tiedThinking: Spot[] = []
  readonly recycled: CallSlot[] = []

  readonly #latest = new Map<string, CallSlot>()
  readonly #rivals = new Map<string, Rivals>()
  #clusterCalls: CallSlot[] = []
  #deferred: ResultSlot[] = []
  readonly leftover: ResultSlot[] = []
  #cluster = 0
  #separated = false
  #stretch = 0
  #anchor = -1
  lastWord = -1

  message(message: Message, index: number): void {
    const { blocks } = message
    const assistant = message.role === "assistant"
    let ordinal = 0
    let words = 0
    for (let position = 0; position < blocks.length; position++) {
      const block = blocks[position] as Block
      if (!isWellFormedBlock(block)) this.surrogates.push({ message: index, block: position })
      switch (block.type) {
        case "text":
          if (isBlank(block.text)) this.blankTexts.push({ message: index, block: position })
          break
        case "call":
          this.#call(block, index, position, ordinal++)
          break
        case "result":
          if (assistant) this.strays.push({ message: index, block: position })
          this.#result(block, index, position)
          continue
        case "thinking":
          if (block.unsigned === true || (block.text === "" && block.signature === undefined && !isKeptVerbatim(block))) {
            this.hollowThinking.push({ message: index, block: position })
          }
          if (block.tied === true) this.tiedThinking.push({ message: index, block: position })
          break
        case "media":
          break
        case "opaque":
          if (block.half) this.#half(block.span ?? "", block.half, { message: index, block: position })
          break
        default:
          block satisfies never
      }
      if (!says(block)) continue
      words++
      if (assistant) continue
      this.#anchor = -1
      this.#separated = true
      if (isAssistantBlock(block)) this.strays.push({ message: index, block: position })
      else if (words === 1) this.#stretch++
    }
    if (words > 0) {
      this.lastWord = index
      if (assistant || ordinal > 0) this.#anchor = ordinal > 0 ? index : -1
    } else if (blocks.length === 0) this.emptyMessages.push(index)
  }

  #call(call: CallBlock, message: number, block: number, ordinal: number): void {
    if (this.#separated) this.#nextCluster()
    const sameId = call.id === "" ? undefined : this.#latest.get(call.id)
    const slot: CallSlot = {
      message,
      block,
      call,
      ordinal,
      cluster: this.#cluster,
      stretch: this.#stretch,
      sameId,
      result: undefined,
    }
    this.calls.push(slot)
    this.#clusterCalls.push(slot)
    if (call.id === "") return
    this.#latest.set(call.id, slot)
    if (!sameId) return
    this.recycled.push(slot)
    let rivals = this.#rivals.get(call.id)
    if (!rivals) {
      rivals = { clusters: [] }
      this.#rivals.set(call.id, rivals)
      if (!sameId.result) rivals.clusters.push({ cluster: sameId.cluster, slots: [sameId], head: 0 })
    }
    const top = rivals.clusters.at(-1)
    if (top?.cluster === slot.cluster) top.slots.push(slot)
    else rivals.clusters.push({ cluster: slot.cluster, slots: [slot], head: 0 })
  }

  #result(result: ResultBlock, message: number, block: number): void {
    const seen = result.callId === "" ? undefined : this.#latest.get(result.callId)
    const slot: ResultSlot = { message, block, result, anchor: this.#anchor, seen, call: undefined }
    this.results.push(slot)
    this.#separated = true
    if (!seen) this.#deferred.push(slot)
    else if (this.#rivals.has(result.callId)) this.#takeRival(slot, seen)
    else if (seen.result) this.leftover.push(slot)
    else join(seen, slot)
  }

  #takeRival(slot: ResultSlot, seen: CallSlot): void {
    const { clusters } = this.#rivals.get(slot.result.callId) as Rivals
    while (clusters.length > 0) {
      const top = clusters.at(-1) as Rivals["clusters"][number]
      while (top.head < top.slots.length && top.slots[top.head]?.result) top.head++
      const first = top.slots[top.head]
      if (!first) {
        clusters.pop()
        continue
      }
      if (seen.result && first.cluster !== seen.cluster && sameResult(seen.result.result, slot.result)) break
      const named = slot.result.name
      const wanted =
        named === undefined || first.call.name === named
          ? first
          : (top.slots.find((other) => !other.result && other.call.name === named) ?? first)
      join(wanted, slot)
      return
    }
    this.leftover.push(slot)
  }

  #nextCluster(): void {
    this.#settleDeferred()
    this.#cluster++
    this.#clusterCalls = []
    this.#separated = false
  }

  /** Results that name no known call take what is open in the cluster in front of them, by name and position. */
  #settleDeferred(): void {
    let head = 0
    for (const slot of this.#deferred) {
      while (head < this.#clusterCalls.length && this.#clusterCalls[head]?.result) head++
      const { callId, name } = slot.result
      const fits = (call: CallSlot): boolean =>
        !call.result && (callId === "" || call.call.id === "") && (name === undefined || call.call.name === name)
      const first = this.#clusterCalls[head]
      const found = first && fits(first) ? first : this.#clusterCalls.slice(head).find(fits)
      if (found) join(found, slot)
      else this.leftover.push(slot)
    }
    this.#deferred = []
  }

  #half(span: string, half: "call" | "result", spot: Spot): void {
    const known = this.spans.get(span)
    if (known?.[half]) this.surplusHalves.push(spot)
    else if (known) known[half] = spot
    else this.spans.set(span, { call: undefined, result: undefined, [half]: spot })
  }

  /** Results that stand in front of their call; then what is left of the leftovers. */
  finish(reattach: boolean): { orphans: ResultSlot[]; duplicates: ResultSlot[] } {
    this.#settleDeferred()
    const orphans: ResultSlot[] = []
    const duplicates: ResultSlot[] = []
    for (const slot of this.leftover) {
      const { callId } = slot.result
      const later = callId === "" || !reattach ? undefined : this.#earliestOpenAfter(callId, slot)
      if (later) join(later, slot)
      else if (slot.seen) duplicates.push(slot)
      else orphans.push(slot)
    }
    return { orphans, duplicates }
  }

  #earliestOpenAfter(callId: string, slot: ResultSlot): CallSlot | undefined {
    const call = this.#latest.get(callId)
    // Recycled ids are counters: a result in front of such a call is more likely a remnant of a cut history.
    if (!call || call.result || call.sameId || slot.seen) return undefined
    if (callId.length >= distinctiveLength) return call
    return this.#wordsBetween(slot.message, call.message) ? undefined : call
  }

  assistants: readonly number[] = []

  /** True when an assistant message stands strictly between two messages. */
  #wordsBetween(from: number, to: number): boolean {
    let low = 0
    let high = this.assistants.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.assistants[middle] as number) > from) high = middle
      else low = middle + 1
    }
    return (this.assistants[low] ?? to) < to
  }
}

const join = (call: CallSlot, result: ResultSlot): void => {
  call.result = result
  result.call = call
}

/** Redacted or provider-made thinking has neither text nor signature in our fields, yet is whole in its native value. */
const isKeptVerbatim = (block: Block): boolean => block.type === "thinking" && block.redacted === true

export const sameResult = (left: ResultBlock, right: ResultBlock): boolean =>
  resultText(left) === resultText(right) &&
  left.error === right.error &&
  left.content.length === right.content.length &&
  left.content.every((block, index) => {
    const other = right.content[index]
    if (block.type !== other?.type) return false
    return block.type === "media" && other.type === "media"
      ? canonicalJson(block.source) === canonicalJson(other.source)
      : true
  })

const fingerprintOf = (slot: CallSlot): string =>
  `${slot.call.name}\u0000${slot.call.fault === undefined ? canonicalJson(slot.call.arguments) : slot.call.raw}`

/** Unanswered copies of a call that the same stretch holds again: a retried stream or a double append. */
const findReplayed = (recycled: readonly CallSlot[]): Set<CallSlot> => {
  const replayed = new Set<CallSlot>()
  for (const slot of recycled) {
    const { sameId } = slot
    if (!sameId || sameId.stretch !== slot.stretch || fingerprintOf(sameId) !== fingerprintOf(slot)) continue
    if (!sameId.result) replayed.add(sameId)
    else if (!slot.result && sameId.result.anchor === slot.message) {
      // The result stands behind the later copy: that one stays, so that nothing has to move.
      join(slot, sameId.result)
      sameId.result = undefined
      replayed.add(sameId)
    } else if (!slot.result) replayed.add(slot)
  }
  return replayed
}

const findMisordered = (results: readonly ResultSlot[]): ResultSlot[] => {
  const misordered: ResultSlot[] = []
  let message = -1
  let highest = -1
  for (const slot of results) {
    if (!slot.call || slot.anchor !== slot.call.message) continue
    if (slot.call.message !== message) highest = -1
    message = slot.call.message
    if (slot.call.ordinal < highest) misordered.push(slot)
    else highest = slot.call.ordinal
  }
  return misordered
}

const findBrokenSpans = (surveyor: Surveyor, transcript: Transcript, tip: "open" | "closed"): Spot[] => {
  const broken: Spot[] = [...surveyor.surplusHalves]
  for (const { call, result } of surveyor.spans.values()) {
    if (call && result && isBefore(call, result)) continue
    const spot = call ?? result
    if (!spot) continue
    const atTip = call !== undefined && !result && spot.message === surveyor.lastWord
    if (atTip && (tip === "open" || transcript.messages[spot.message]?.paused === true)) continue
    broken.push(spot)
    if (call && result) broken.push(result)
  }
  for (const spot of surveyor.tiedThinking) {
    const blocks = transcript.messages[spot.message]?.blocks ?? []
    if (!blocks.slice(spot.block + 1).some((block) => block.type !== "thinking" && says(block))) broken.push(spot)
  }
  return broken
}

const isBefore = (left: Spot, right: Spot): boolean =>
  left.message < right.message || (left.message === right.message && left.block < right.block)

export interface SurveyOptions {
  readonly tip: "open" | "closed"
  /** Whether a result in front of its call goes to it, or counts as an orphan. */
  readonly reattach: boolean
}

export const survey = (transcript: Transcript, { tip, reattach }: SurveyOptions): Survey => {
  const surveyor = new Surveyor()
  const { messages } = transcript
  const assistants: number[] = []
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Message
    if (message.role === "assistant") assistants.push(index)
    surveyor.message(message, index)
  }
  surveyor.assistants = assistants
  const { orphans, duplicates } = surveyor.finish(reattach)
  const { calls, results, lastWord, strays } = surveyor
  const replayed = surveyor.recycled.length > 0 ? findReplayed(surveyor.recycled) : new Set<CallSlot>()
  const strayResults = new Set(strays.map((spot) => `${spot.message}:${spot.block}`))
  const unanswered: CallSlot[] = []
  const stalePending: CallSlot[] = []
  const nameless: CallSlot[] = []
  const faulty: CallSlot[] = []
  const foreignStyle: CallSlot[] = []
  const withoutId: (CallSlot | ResultSlot)[] = []
  let blockStyle = false
  for (const slot of calls) {
    const { call } = slot
    if (call.name === "") nameless.push(slot)
    if (call.fault !== undefined && !Object.hasOwn(call.arguments, rawArgumentsKey)) faulty.push(slot)
    if (call.id === "" && transcript.ids !== "optional") withoutId.push(slot)
    if (call.style === "xml" || slot.result?.result.style === "xml") foreignStyle.push(slot)
    if (call.style !== "xml") blockStyle = true
    if (slot.result || replayed.has(slot)) continue
    if (tip === "open" && slot.message === lastWord) continue
    if (call.pending !== undefined && slot.message !== lastWord) stalePending.push(slot)
    else unanswered.push(slot)
  }
  const misplaced: ResultSlot[] = []
  for (const slot of results) {
    if (slot.result.callId === "" && transcript.ids !== "optional") withoutId.push(slot)
    const stray = strayResults.size > 0 && strayResults.has(`${slot.message}:${slot.block}`)
    if (slot.call && slot.anchor !== slot.call.message && !stray) misplaced.push(slot)
  }
  return {
    transcript,
    tip,
    calls,
    results,
    unanswered,
    orphans,
    duplicates,
    misplaced,
    misordered: findMisordered(results),
    recycled: replayed.size > 0 ? surveyor.recycled.filter((slot) => isRecycled(slot, replayed)) : surveyor.recycled,
    replayed: calls.filter((slot) => replayed.has(slot)),
    stalePending,
    nameless,
    faulty,
    withoutId,
    blankTexts: surveyor.blankTexts,
    emptyMessages: surveyor.emptyMessages,
    surrogates: surveyor.surrogates,
    brokenSpans: findBrokenSpans(surveyor, transcript, tip),
    hollowThinking: surveyor.hollowThinking,
    strays,
    foreignStyle: blockStyle ? foreignStyle : [],
    lastWord,
  }
}

/** A call keeps its id when every earlier call of that id is left out as a copy. */
const isRecycled = (slot: CallSlot, replayed: ReadonlySet<CallSlot>): boolean => {
  if (replayed.has(slot)) return false
  for (let other = slot.sameId; other; other = other.sameId) if (!replayed.has(other)) return true
  return false
}

/** The calls of one message: calls stand in the order of their messages. */
export const callsIn = (survey: Survey, message: number): readonly CallSlot[] => {
  const { calls } = survey
  let low = 0
  let high = calls.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((calls[middle] as CallSlot).message < message) low = middle + 1
    else high = middle
  }
  let end = low
  while (calls[end]?.message === message) end++
  return calls.slice(low, end)
}
