/**
 * Conversation → Gemini generateContent. Contents alternate between user and model, and all responses to the calls of
 * a content are in the one user content after it: the encoder gathers neighbours of one role into one content,
 * responses first, except where two contents of this very format stood apart: those stay apart. Parts are never merged,
 * since each may be signed.
 */
import { type Block, type Conversation, type Exchange, isWire, type Outcome, type UserBlock, type Wire } from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../engine/codec.ts"
import { shownText } from "../engine/media.ts"
import { allowed } from "./allowed.ts"
import { systemHome, type SystemHome } from "./fields.ts"
import { nativeOf, withSignature, writePart, writeResult } from "./write-blocks.ts"

type ContentRole = "user" | "model"

interface Draft {
  /** The wire content all of this came from, if it came from one. */
  readonly wire: Wire | undefined
  readonly role: ContentRole
  /** May be the very list of `wire`. */
  readonly parts: Wire[]
  /** The same list once contents were joined in it: grown in place, so that long runs stay linear. */
  readonly growing?: Wire[]
}

type Written = Parameters<typeof writePart>[0]

const isPart = (part: Wire | undefined): part is Wire => part !== undefined

/** True when the blocks are still what a content said with these parts. */
const areUntouched = (given: readonly unknown[], blocks: readonly Written[]): boolean => {
  if (given.length !== blocks.length) return false
  for (let index = 0; index < blocks.length; index++) {
    if (writePart(blocks[index] as Written) !== given[index]) return false
  }
  return true
}

/** The very list of the content where nothing in it changed, else one of its own, no longer than needed. */
const partsOf = (blocks: readonly Written[], wire?: Wire): Wire[] => {
  const given = wire?.["parts"]
  if (Array.isArray(given) && areUntouched(given, blocks)) return given
  const parts = blocks.map(writePart)
  return parts.every(isPart) ? parts : parts.filter(isPart)
}

/** A missing role means user, and stays missing. */
const roleFits = (wire: Wire, role: ContentRole): boolean =>
  wire["role"] === role || (role === "user" && (wire["role"] === undefined || wire["role"] === null))

/** Collects parts into contents. */
const contentWriter = (options: EncodeOptions, foreign: boolean) => {
  // What was written here from scratch has no field that would have to go.
  const strip = options.extras === "strip" && !foreign
  const contents: Wire[] = []
  let draft: Draft | undefined

  const close = (): void => {
    if (!draft) return
    const { wire, role } = draft
    const signing = role === "model" && options.thoughtSignatures === true
    const parts = signing ? withSignature(draft.parts, draft.parts !== wire?.["parts"]) : draft.parts
    const same = wire && roleFits(wire, role) && sameElements(parts, wire["parts"])
    const content = same ? wire : wire ? { ...wire, role, parts } : { role, parts }
    contents.push(strip ? allowed.content(content) : content)
    draft = undefined
  }

  /** Goes on with the open content when nothing says that the two stood apart. */
  const add = (role: ContentRole, wire: Wire | undefined, parts: Wire[]): void => {
    if (parts.length === 0) return
    if (draft?.role !== role) {
      close()
      draft = { wire, role, parts }
    } else if (draft.wire !== wire && draft.wire !== undefined && wire !== undefined) {
      close()
      draft = { wire, role, parts }
    } else {
      const growing = draft.growing ?? [...draft.parts]
      for (const part of parts) growing.push(part)
      draft = { wire: draft.wire === wire ? wire : undefined, role, parts: growing, growing }
    }
  }

  return {
    add,
    end: (): readonly Wire[] => {
      close()
      return contents
    },
  }
}

interface Responses {
  readonly parts: Wire[]
  /** The content that carried all of them, if one did. */
  readonly carrier: Wire | undefined
}

const carrierOf = ({ carrier }: Outcome): Wire | undefined => carrier && nativeOf({ native: carrier })

/** The responses of an exchange: in the very list of their carrier where nothing in it changed. */
const responsesOf = ({ message, outcomes }: Exchange): Responses => {
  const given = outcomes[0] && carrierOf(outcomes[0])?.["parts"]
  const carried: Wire[] = Array.isArray(given) ? given : []
  let written: Wire[] | undefined
  let carrier: Wire | undefined
  let count = 0
  let ordinal = 0
  for (let index = 0; index < message.blocks.length; index++) {
    const call = message.blocks[index]
    const outcome = call?.type === "call" ? outcomes[ordinal++] : undefined
    if (call?.type !== "call" || !outcome?.result) continue
    const own = carrierOf(outcome)
    carrier = count === 0 || own === carrier ? own : undefined
    const part = writeResult(outcome.result, call)
    if (written) written.push(part)
    else if (part !== carried[count]) written = count === 0 ? [part] : [...carried.slice(0, count), part]
    count++
  }
  if (written) return { parts: written, carrier }
  return { parts: count === carried.length ? carried : carried.slice(0, count), carrier }
}

/** A conversation out of a store has no envelope, but may hold messages that were recorded in this format. */
const isFromHere = (conversation: Conversation): boolean =>
  nativeOf(conversation) !== undefined ||
  conversation.items.some((item) => {
    const message = item.role === "exchange" ? item.message : item
    const isOwn = (block: Pick<Block, "native">): boolean => nativeOf(block) !== undefined
    if (isOwn(message) || message.blocks.some(isOwn)) return true
    return item.role === "exchange" && item.outcomes.some(({ result }) => result && (isOwn(result) || result.content.some(isOwn)))
  })

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const writer = contentWriter(options, !isFromHere(conversation))
  const system: UserBlock[] = []
  let nativeSystem: unknown
  let leading = true
  for (const item of conversation.items) {
    if (item.role === "system" && leading && options.bare !== true) {
      if (system.length === 0) nativeSystem = nativeOf(item)?.["system"]
      for (const block of item.blocks) system.push(block)
      continue
    }
    leading = false
    if (item.role !== "exchange") {
      const wire = nativeOf(item)
      writer.add("user", wire, partsOf(item.blocks, wire))
      continue
    }
    const said = nativeOf(item.message)
    writer.add("model", said, partsOf(item.message.blocks, said))
    if (item.outcomes.length > 0) {
      const { parts, carrier } = responsesOf(item)
      writer.add("user", carrier, parts)
    }
    const replied = item.reply && nativeOf(item.reply)
    if (item.reply) writer.add("model", replied, partsOf(item.reply.blocks, replied))
  }
  const envelope = nativeOf(conversation) ?? {}
  const home = systemHome(envelope)
  const body = writeBody(envelope, home, writeSystem(system, nativeSystem, home?.inConfig === true), writer.end())
  return options.extras === "strip" ? allowed.body(body) : body
}

/** The API takes only text for the system: anything else is said in words. */
const inWords = (block: UserBlock): Wire | undefined => {
  if (block.type === "text") return writePart(block)
  const words = shownText(block)
  return words === "" ? undefined : { text: words }
}

/** A content, as the API wants it; under `config` also what the SDK was given, where that still says the same. */
const writeSystem = (blocks: readonly UserBlock[], native: unknown, inConfig: boolean): unknown => {
  const [block] = blocks
  const asGiven = partsOf(blocks)
  const given = isWire(native) ? native["parts"] : undefined
  if (given !== undefined && sameElements(asGiven, given)) return native
  if (inConfig && native !== undefined && given === undefined) {
    if (typeof native === "string" && blocks.length === 1 && block?.type === "text") return block.text
    if (sameElements(asGiven, Array.isArray(native) ? native : [native])) return native
  }
  const parts = blocks.flatMap((one) => inWords(one) ?? [])
  if (parts.length === 0) return undefined
  return isWire(native) && given !== undefined ? { ...native, parts } : { parts }
}

/** Puts the system text where the request had it; text that is gone from the conversation goes from the request too. */
const writeBody = (envelope: Wire, home: SystemHome | undefined, system: unknown, contents: readonly Wire[]): Wire => {
  const key = home?.key ?? "systemInstruction"
  if (home?.inConfig === true) {
    const { [key]: _, ...config } = envelope["config"] as Wire
    const written = system === undefined ? config : { ...(envelope["config"] as Wire), [key]: system }
    return { ...envelope, config: written, contents }
  }
  if (system !== undefined) return { ...envelope, [key]: system, contents }
  if (!home) return { ...envelope, contents }
  const { [key]: _, ...kept } = envelope
  return { ...kept, contents }
}
