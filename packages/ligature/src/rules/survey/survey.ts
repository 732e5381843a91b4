/**
 * The survey: one linear pass over a transcript that lets the matcher pair calls and results, and notes every block
 * that breaks an invariant. Rules read their findings from it; a healthy transcript leaves all lists empty.
 *
 * `anchor` is the assistant message whose results may be here: it is lost at the first block that is neither result
 * nor blank (L3).
 */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  type MediaBlock,
  type Message,
  type Native,
  type ResultBlock,
  type Transcript,
  canonicalJson,
} from "../../model/index.ts"
import { rawArgumentsKey } from "./raw-arguments.ts"
import { isBlank, isWellFormedCall, isWellFormedJson, isWellFormedText } from "./text.ts"
import { Matcher } from "./matcher.ts"
import { type CallSlot, type ResultSlot, type Spot, join } from "./slots.ts"
import { Spans } from "./spans.ts"

// Unanswered copies of a call that the same stretch holds again: a retried stream or a double append.

const fingerprintOf = (slot: CallSlot): string =>
  `${slot.call.name}\u0000${slot.call.fault === undefined ? canonicalJson(slot.call.arguments) : slot.call.raw}`

/** `unmade`: calls of a user that are none. */
const findReplayed = (recycled: readonly CallSlot[], unmade: ReadonlySet<CallSlot>): ReadonlySet<CallSlot> => {
  const replayed = new Set<CallSlot>()
  for (const slot of recycled) {
    const { sameId } = slot
    if (!sameId || unmade.has(sameId) || sameId.stretch !== slot.stretch || fingerprintOf(sameId) !== fingerprintOf(slot)) continue
    if (!sameId.result) replayed.add(sameId)
    else if (!slot.result && sameId.result.anchor === slot.message) {
      // The result is after the later copy: that one stays, so that nothing has to move.
      join(slot, sameId.result)
      sameId.result = undefined
      replayed.add(sameId)
    } else if (!slot.result) replayed.add(slot)
  }
  return replayed
}

/** A call keeps its id when every earlier call of that id is left out as a copy, or is none. */
const isRecycled = (slot: CallSlot, replayed: ReadonlySet<CallSlot>, unmade: ReadonlySet<CallSlot>): boolean => {
  if (replayed.has(slot)) return false
  for (let other = slot.sameId; other; other = other.sameId) if (!replayed.has(other) && !unmade.has(other)) return true
  return false
}

export interface Survey {
  readonly transcript: Transcript
  readonly calls: readonly CallSlot[]
  readonly results: readonly ResultSlot[]
  readonly unanswered: readonly CallSlot[]
  readonly orphans: readonly ResultSlot[]
  readonly duplicates: readonly ResultSlot[]
  readonly misplaced: readonly ResultSlot[]
  readonly misordered: readonly ResultSlot[]
  readonly recycled: readonly CallSlot[]
  readonly replayed: ReadonlySet<CallSlot>
  readonly stalePending: readonly CallSlot[]
  readonly nameless: readonly CallSlot[]
  readonly faulty: readonly CallSlot[]
  readonly withoutId: readonly (CallSlot | ResultSlot)[]
  readonly blankTexts: readonly Spot[]
  readonly emptyMessages: readonly number[]
  readonly surrogates: readonly Spot[]
  readonly brokenSpans: readonly Spot[]
  /** Thinking that must lead to something. */
  readonly tied: readonly Spot[]
  readonly hollowThinking: readonly Spot[]
  readonly strays: readonly Spot[]
  /** Calls that the assistant did not make: what a tool, a system message or a user wrote in the shape of one. They are no calls. */
  readonly quoted: readonly QuotedCall[]
  /** Calls written or answered as text in a transcript that also has calls as blocks. */
  readonly foreignStyle: readonly CallSlot[]
}

export interface QuotedCall extends Spot {
  readonly call: CallBlock
}

export interface SurveyOptions {
  /** `open`: calls of the last message that says something may be unanswered. */
  readonly tip: "open" | "closed"
  /** Whether a result before its call goes to it, or counts as an orphan. */
  readonly reattach: boolean
}

class Surveyor {
  readonly matcher = new Matcher()
  readonly spans = new Spans()
  readonly blankTexts: Spot[] = []
  readonly emptyMessages: number[] = []
  readonly surrogates: Spot[] = []
  readonly hollowThinking: Spot[] = []
  readonly strays: Spot[] = []
  readonly quoted: QuotedCall[] = []
  /** Whether a user message has a call: then what has no answer is no call either. */
  userCalls = false
  readonly assistants: number[] = []
  /** The last message that says something other than results; calls in it are at the tip. */
  lastWord = -1
  private stretch = 0
  private anchor = -1
  /** The decoder found no half of a surrogate pair in all of its source. */
  private readonly isSound: boolean

  constructor({ native, unusual }: Transcript) {
    this.isSound = native !== undefined && unusual !== true
  }

  private isWhole(text: string, native: Native | undefined): boolean {
    return isWellFormedText(text, this.isSound ? native : undefined)
  }

  message(message: Message, index: number): void {
    const { blocks } = message
    const assistant = message.role === "assistant"
    if (assistant) this.assistants.push(index)
    let calls = 0
    let words = 0
    for (let position = 0; position < blocks.length; position++) {
      const block = blocks[position] as Block
      if (block.type === "result") {
        if (assistant || message.role === "system") this.strays.push({ message: index, block: position })
        if (!this.isWholeResult(block, message)) this.surrogates.push({ message: index, block: position })
        this.matcher.result(block, index, position, this.anchor)
        continue
      }
      const isQuoted = block.type === "call" && !assistant && message.role !== "user"
      if (isQuoted) this.quote(block, message, { message: index, block: position })
      else if (!this.block(block, message, { message: index, block: position }, calls)) continue
      const isCall = block.type === "call" && !isQuoted
      if (isCall) calls++
      words++
      if (assistant) continue
      this.anchor = -1
      this.matcher.separate()
      if (isCall) {
        this.anchor = index
        this.userCalls = true
      }
      if (isCall || block.type === "thinking") this.strays.push({ message: index, block: position })
      else if (words === 1) this.stretch++
    }
    if (words > 0) {
      this.lastWord = index
      if (assistant) this.anchor = calls > 0 ? index : -1
    } else if (blocks.length === 0) this.emptyMessages.push(index)
  }

  /** What a tool or a system message has in the shape of a call never reaches the matcher: nothing may answer or run it. */
  private quote(call: CallBlock, message: Message, spot: Spot): void {
    this.quoted.push({ ...spot, call })
    if (!isWellFormedCall(call, this.isSound ? (call.native ?? message.native) : undefined)) this.surrogates.push(spot)
  }

  /** Notes what is wrong with a block; false when it says nothing. */
  private block(block: Exclude<Block, ResultBlock>, message: Message, spot: Spot, calls: number): boolean {
    const native = block.native ?? message.native
    switch (block.type) {
      case "text":
        if (isBlank(block.text)) {
          this.blankTexts.push(spot)
          return false
        }
        if (!this.isWhole(block.text, native)) this.surrogates.push(spot)
        return true
      case "call":
        if (!isWellFormedCall(block, this.isSound ? native : undefined)) this.surrogates.push(spot)
        this.matcher.call(block, spot.message, spot.block, calls, this.stretch)
        return true
      case "thinking":
        if (!this.isWhole(block.text, native)) this.surrogates.push(spot)
        // Redacted thinking is whole in its native value, also where our fields are empty.
        if (block.unsigned === true || (block.text === "" && block.signature === undefined && block.redacted !== true)) {
          this.hollowThinking.push(spot)
        }
        if (block.tied === true) this.spans.tie(spot)
        return true
      case "opaque":
        if (!this.isWhole(block.text, native)) this.surrogates.push(spot)
        if (block.half) this.spans.half(block, block.half, spot)
        return true
      case "media":
        if (!isWellFormedMedia(block)) this.surrogates.push(spot)
        return true
    }
  }
  private isWholeResult({ callId, content, native }: ResultBlock, message: Message): boolean {
    for (let index = 0; index < content.length; index++) {
      const block = content[index] as ContentBlock
      if (block.type === "media" ? !isWellFormedMedia(block) : !this.isWhole(block.text, block.native ?? native ?? message.native))
        return false
    }
    return callId.isWellFormed()
  }
}

const isWellFormedMedia = ({ mediaType = "", name = "", source }: MediaBlock): boolean =>
  mediaType.isWellFormed() && name.isWellFormed() && isWellFormedJson(source)

const findMisordered = (results: readonly ResultSlot[]): readonly ResultSlot[] => {
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

/** Results away from their calls; those inside an assistant or system message are strays and named as such. */
const findMisplaced = (results: readonly ResultSlot[], messages: readonly Message[]): readonly ResultSlot[] => {
  const misplaced: ResultSlot[] = []
  for (const slot of results) {
    if (!slot.call || slot.anchor === slot.call.message) continue
    const role = messages[slot.message]?.role
    if (role !== "assistant" && role !== "system") misplaced.push(slot)
  }
  return misplaced
}

const inOrder = (one: Spot, other: Spot): number => one.message - other.message || one.block - other.block

const notAmong = (spots: Iterable<Spot>): ((spot: Spot) => boolean) => {
  const keys = new Set(Array.from(spots, ({ message, block }) => `${message}:${block}`))
  return ({ message, block }) => !keys.has(`${message}:${block}`)
}

const surveyAnew = (transcript: Transcript, { tip, reattach }: SurveyOptions): Survey => {
  const surveyor = new Surveyor(transcript)
  const { messages, ids } = transcript
  for (let index = 0; index < messages.length; index++) surveyor.message(messages[index] as Message, index)
  const { matcher, lastWord, assistants, spans, blankTexts, emptyMessages, surrogates, hollowThinking, strays } = surveyor
  const { orphans, duplicates } = matcher.finish(assistants, reattach)
  const { results } = matcher
  // A simulated user calls tools itself, and its calls have results. Without one, nothing shows that it was a call.
  const unmade = new Set(surveyor.userCalls ? matcher.calls.filter((slot) => !slot.result && messages[slot.message]?.role === "user") : [])
  const calls = unmade.size === 0 ? matcher.calls : matcher.calls.filter((slot) => !unmade.has(slot))
  const quoted = unmade.size === 0 ? surveyor.quoted : [...surveyor.quoted, ...unmade].sort(inOrder)
  const again = unmade.size === 0 ? matcher.recycled : matcher.recycled.filter((slot) => !unmade.has(slot))
  const replayed = findReplayed(again, unmade)
  const unanswered: CallSlot[] = []
  const stalePending: CallSlot[] = []
  const nameless: CallSlot[] = []
  const faulty: CallSlot[] = []
  const foreignStyle: CallSlot[] = []
  const withoutId: (CallSlot | ResultSlot)[] = []
  let blockStyle = false
  for (let index = 0; index < calls.length; index++) {
    const slot = calls[index] as CallSlot
    const { call, result } = slot
    if (call.name === "") nameless.push(slot)
    if (call.fault !== undefined && !Object.hasOwn(call.arguments, rawArgumentsKey)) faulty.push(slot)
    // Where ids are optional, both sides have one or neither.
    if (call.id === "" && (ids !== "optional" || (result && result.result.callId !== ""))) withoutId.push(slot)
    if (call.style !== "xml") blockStyle = true
    if (call.style === "xml" || result?.result.style === "xml") foreignStyle.push(slot)
    if (result || replayed.has(slot)) continue
    if (tip === "open" && slot.message === lastWord) continue
    if (call.pending !== undefined && slot.message !== lastWord) stalePending.push(slot)
    else unanswered.push(slot)
  }
  for (const slot of results) {
    if (slot.result.callId === "" && (ids !== "optional" || (slot.call && slot.call.call.id !== ""))) withoutId.push(slot)
  }
  for (const slot of matcher.respelt) withoutId.push(slot)
  const openTip = tip === "open" || messages[lastWord]?.paused === true
  return {
    transcript,
    calls,
    results,
    unanswered,
    orphans,
    duplicates,
    misplaced: findMisplaced(results, messages),
    misordered: findMisordered(results),
    recycled: replayed.size + unmade.size > 0 ? again.filter((slot) => isRecycled(slot, replayed, unmade)) : again,
    replayed,
    stalePending,
    nameless,
    faulty,
    withoutId,
    blankTexts,
    emptyMessages,
    surrogates,
    brokenSpans: spans.broken(messages, openTip ? lastWord : -1),
    tied: spans.tied,
    hollowThinking,
    strays: unmade.size === 0 ? strays : strays.filter(notAmong(unmade)),
    quoted,
    foreignStyle: blockStyle ? foreignStyle : [],
  }
}

/**
 * Transcripts are values: the same one, asked the same way, has the same survey. Checking and then settling is the common
 * way, so the survey of a check is kept for the settling that follows it, and no longer. (Weak references would hold on
 * to it until the end of the job or a full collection.)
 */
let kept: { readonly found: Survey; readonly options: SurveyOptions } | undefined

export const survey = (transcript: Transcript, options: SurveyOptions, use: "keep" | "take" = "take"): Survey => {
  const same = kept?.found.transcript === transcript && kept.options.tip === options.tip
  const found = kept && same && kept.options.reattach === options.reattach ? kept.found : surveyAnew(transcript, options)
  kept = use === "keep" ? { found, options } : undefined
  return found
}
