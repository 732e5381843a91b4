/**
 * From a draft to a conversation. Every result goes to the exchange of its call, in call order (L3, L4); what was
 * between stays, after them; blocks go into messages of their own role. A message nobody changed is the very same
 * object in the conversation, so that its codec can give back the very same wire value.
 */
import type {
  AssistantBlock,
  AssistantMessage,
  Block,
  Exchange,
  Item,
  Message,
  Outcome,
  ResultBlock,
  SystemMessage,
  UserBlock,
  UserMessage,
} from "../../model/index.ts"
import { outcomeKind } from "../../model/index.ts"
import type { Draft } from "../draft.ts"
import type { CallSlot } from "../survey/index.ts"

const noCalls: readonly CallSlot[] = []

const noOutcomes: readonly Outcome[] = []

const pending: Outcome = { kind: "pending" }

const isUserBlock = (block: Block): block is UserBlock => block.type === "text" || block.type === "media" || block.type === "opaque"

const isAssistantBlock = (block: Block): block is AssistantBlock => block.type !== "result"

// Plain loops here and in the other hot paths: lists come from JSON.parse, literals and `map`, which the engine keeps
// apart, and a `for … of` or a callback over all of them makes an object per step.
const holdsResults = (blocks: readonly Block[]): boolean => {
  for (let index = 0; index < blocks.length; index++) if (blocks[index]?.type === "result") return true
  return false
}

const holdsOnlyResults = (blocks: readonly Block[]): boolean => {
  for (let index = 0; index < blocks.length; index++) if (blocks[index]?.type !== "result") return false
  return true
}

/** Blocks of a message after edits; the same array when nothing was edited. */
const editedBlocks = (message: Message, edits: ReadonlyMap<number, readonly Block[]> | undefined): readonly Block[] => {
  if (!edits) return message.blocks
  return message.blocks.flatMap((block, index) => edits.get(index) ?? [block])
}

/** The result as its exchange holds it: with the id its call has now. */
const withCallId = (result: ResultBlock, callId: string): ResultBlock => {
  if (result.callId === callId) return result
  return { ...result, callId, ...(result.callId !== "" && { providerId: result.providerId ?? result.callId }) }
}

export interface Assembled {
  readonly items: readonly Item[]
  /** The first item made from a message that a rule touched, or after it. */
  readonly edited: number | undefined
}

export const assemble = (draft: Draft): Assembled => {
  const { survey, edits, dropped } = draft
  const { messages } = survey.transcript
  const items: Item[] = []
  /** The exchange a text-only reply would belong to. */
  let open: Exchange | undefined
  let nextCall = 0

  // Asking the draft costs several lookups per call, and a healthy history has nothing to ask for (measured, with lists
  // of outcomes no longer than needed: settle after check takes half the time and 40 % of the bytes).
  const { pristine } = draft

  const outcomeOf = (slot: CallSlot, callId: string): Outcome => {
    const found = pristine ? slot.result?.result : draft.resultOf(slot)
    if (!found) return pending
    const result = withCallId(found, callId)
    // An assistant or system message that held a result cannot carry it: there the result was a stray.
    const source = messages[(pristine ? slot.result : draft.resultSlot(slot))?.message ?? -1]
    const carrier = source?.role === "assistant" || source?.role === "system" ? undefined : source?.native
    return carrier ? { kind: outcomeKind(result), result, carrier } : { kind: outcomeKind(result), result }
  }

  /** Outcomes of the calls that are left in a message, in their order. `slots` are all calls it had. */
  const outcomes = (slots: readonly CallSlot[]): readonly Outcome[] => {
    if (pristine) return slots.map((slot) => outcomeOf(slot, slot.call.id))
    const list: Outcome[] = []
    for (const slot of slots) {
      const call = draft.current(slot)
      if (call?.type === "call") list.push(outcomeOf(slot, call.id))
    }
    return list
  }

  const addAssistant = (message: AssistantMessage, slots: readonly CallSlot[]): void => {
    if (slots.length === 0 && open) {
      items[items.length - 1] = { role: "exchange", message: open.message, outcomes: open.outcomes, reply: message }
      open = undefined
      return
    }
    const own = slots.length === 0 ? noOutcomes : outcomes(slots)
    const exchange: Exchange = { role: "exchange", message, outcomes: own }
    items.push(exchange)
    open = exchange.outcomes.length > 0 ? exchange : undefined
  }

  const addUser = (message: UserMessage | SystemMessage): void => {
    items.push(message)
    open = undefined
  }

  const firstEdit = draft.firstTouched()
  let edited: number | undefined
  const takeCalls = (index: number): readonly CallSlot[] => {
    const from = nextCall
    while (survey.calls[nextCall]?.message === index) nextCall++
    return survey.calls.slice(from, nextCall)
  }

  const add = (message: Message, index: number, slots: readonly CallSlot[]): void => {
    const blocks = editedBlocks(message, edits.get(index))
    const left = slots.length === 0 || !edits.has(index) ? slots : slots.filter((slot) => draft.current(slot))
    if (message.role === "assistant") {
      const own = holdsResults(blocks) ? blocks.filter(isAssistantBlock) : blocks
      if (own.length === 0) return
      addAssistant((own === message.blocks ? message : { ...message, blocks: own }) as AssistantMessage, left)
      return
    }
    if (holdsOnlyResults(blocks)) return
    if (blocks.every(isUserBlock)) addUser(asUserSide(message, blocks))
    else sortBlocks(message, blocks, left, addUser, addAssistant)
  }

  for (let index = 0; index < messages.length; index++) {
    if (edited === undefined && index >= firstEdit) edited = items.length
    const message = messages[index] as Message
    const slots = survey.calls[nextCall]?.message === index ? takeCalls(index) : noCalls
    if (!dropped.has(index)) add(message, index, slots)
    const aside = draft.asides.get(index)
    if (aside) addUser({ role: "user", blocks: aside, ...(message.line !== undefined && { line: message.line }) })
  }
  return { items, edited }
}

/** A user or system message of these blocks; what a tool message says beside its results is user text. */
const asUserSide = (message: Message, blocks: readonly UserBlock[]): UserMessage | SystemMessage => {
  if (message.role === "tool") return { role: "user", blocks, ...(message.line !== undefined && { line: message.line }) }
  return (blocks === message.blocks ? message : { ...message, blocks }) as UserMessage | SystemMessage
}

/** A user-side message that carries results or stray calls: results leave it, calls get an assistant message in place. */
const sortBlocks = (
  message: Message,
  blocks: readonly Block[],
  slots: readonly CallSlot[],
  addUser: (message: UserMessage | SystemMessage) => void,
  addAssistant: (message: AssistantMessage, slots: readonly CallSlot[]) => void,
): void => {
  let words: UserBlock[] = []
  let strays: AssistantBlock[] = []
  let taken = 0
  const flushWords = (): void => {
    if (words.length > 0) addUser(asUserSide(message, words))
    words = []
  }
  const flushStrays = (): void => {
    if (strays.length === 0) return
    const calls = strays.filter((block) => block.type === "call").length
    addAssistant({ role: "assistant", blocks: strays }, slots.slice(taken, taken + calls))
    taken += calls
    strays = []
  }
  for (const block of blocks) {
    if (isUserBlock(block)) {
      flushStrays()
      words.push(block)
    } else if (isAssistantBlock(block)) {
      flushWords()
      strays.push(block)
    }
  }
  flushStrays()
  flushWords()
}
