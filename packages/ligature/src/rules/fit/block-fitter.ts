/** What a target demands of single blocks: ids and names it accepts, thinking and opaque data it can read, media it takes. */
import {
  type AssistantBlock,
  type AssistantMessage,
  type Block,
  type CallBlock,
  type ContentBlock,
  type Conversation,
  type Exchange,
  fillers,
  type Item,
  type MediaBlock,
  mediaNote,
  type Message,
  type OpaqueBlock,
  type Outcome,
  phrase,
  type ResultBlock,
  type SystemMessage,
  text,
  type UserBlock,
  type UserMessage,
} from "../../model/index.ts"
import type { Policies } from "../policies.ts"
import type { Profile } from "../profiles/profile.ts"
import { isBlank } from "../survey/text.ts"
import { acceptedText, beginningOf, code, type Note, quoted } from "./note.ts"
import { WireIds } from "./wire-ids.ts"
import { wireName } from "./wire-names.ts"

/** Where an opaque block is. */
export type OpaquePlace = "system" | "user" | "assistant" | "result" | "failed-result"

/** Whether the API of a format takes back an opaque block that came from there; a text says what it lacks. */
export type TakesBack = (block: OpaqueBlock, place: OpaquePlace) => boolean | string

const takesAll: TakesBack = () => true

/** Introduces a system message that the target only takes as user text. */
export const systemLabel = "[System message]"

/** Where the user's turn is over: after a message of the user, results, or what a tool of the provider brought. */
const endsUserTurn = (item: Item | undefined): boolean => {
  if (item?.role !== "exchange") return item?.role === "user"
  if (item.reply === undefined && item.outcomes.some(({ result }) => result !== undefined)) return true
  const last = (item.reply ?? item.message).blocks.at(-1)
  return last?.type === "opaque" && last.half === "result"
}

const refusedThinking = (accepted: Profile["thinking"], isUnsigned: boolean): string => {
  if (isUnsigned) return "takes thinking only with its signature"
  return accepted === "never" ? "takes no thinking in a request" : "takes only thinking that its own models wrote"
}

export class BlockFitter {
  private readonly conversation: Conversation
  private readonly profile: Profile
  private readonly policies: Policies
  private readonly note: Note
  private readonly ids: WireIds
  private readonly names = new Map<string, string>()
  /** Whether there is media that the target gets, so that its limits matter. */
  sawMedia = false

  private readonly takesBack: TakesBack
  /** Spans of which one half cannot go back: then none can (L9). */
  private readonly refusedSpans = new Set<string>()

  constructor(conversation: Conversation, profile: Profile, policies: Policies, note: Note, takesBack: TakesBack = takesAll) {
    this.conversation = conversation
    this.profile = profile
    this.policies = policies
    this.note = note
    this.ids = new WireIds(conversation, profile.ids)
    this.takesBack = takesBack
    if (takesBack !== takesAll) for (const item of conversation.items) this.refuseSpans(item)
  }

  private refuseSpans(item: Item): void {
    const role = item.role === "exchange" ? "assistant" : item.role
    const blocks = item.role === "exchange" ? [...item.message.blocks, ...(item.reply?.blocks ?? [])] : item.blocks
    for (const block of blocks) {
      if (block.type !== "opaque" || block.half === undefined || !Object.hasOwn(block.native, this.profile.format)) continue
      if (block.span !== undefined && this.takesBack(block, role) !== true) this.refusedSpans.add(block.span)
    }
  }

  /** Whether a block of the target's own format can go back to it. */
  private goesBack(block: OpaqueBlock, place: OpaquePlace): boolean {
    if (block.kind === "malformed") return true
    return !(block.half !== undefined && this.refusedSpans.has(block.span ?? "")) && this.takesBack(block, place) === true
  }

  /** What the target wants in place of an item; undefined when it takes it as it is. */
  item(item: Item, index: number, spoken: boolean): readonly Item[] | undefined {
    if (item.role === "exchange") return this.exchange(item, index)
    if (item.role === "system" && spoken && this.profile.systemInMiddle !== "keep" && !this.keepsSystem(item, index)) {
      const found = phrase`${this.profile.title} takes system messages only at the beginning; this one (${beginningOf(item)}) would be sent as user text`
      this.note("system-position", "demote", "converted a system message in the middle to user text", index, { original: item, found })
      return [{ role: "user", blocks: [text(systemLabel), ...this.userBlocks(item, index)] }]
    }
    const blocks = this.userBlocks(item, index)
    if (blocks === item.blocks) return undefined
    return blocks.length > 0 ? [{ ...item, blocks } as UserMessage | SystemMessage] : []
  }

  /** A system message in the middle that the target itself wrote, and would take again where it is. */
  private keepsSystem(item: SystemMessage, index: number): boolean {
    const { systemInMiddle, refusesSystem, format } = this.profile
    const { items, origin } = this.conversation
    if (systemInMiddle !== "own" || item.native === undefined || !Object.hasOwn(item.native, format)) return false
    if (origin?.model !== undefined && refusesSystem?.test(origin.model) === true) return false
    let [before, after] = [index - 1, index + 1]
    while (items[before]?.role === "system") before--
    while (items[after]?.role === "system") after++
    return endsUserTurn(items[before]) && items[after]?.role !== "user"
  }

  private exchange(exchange: Exchange, index: number): readonly Item[] | undefined {
    const message = this.assistant(exchange.message, index)
    const reply = exchange.reply && this.assistant(exchange.reply, index)
    const moved: UserBlock[] = []
    const kept = this.outcomes(exchange.outcomes, message, index, moved)
    if (moved.length === 0 && kept === exchange.outcomes && message === exchange.message && reply === exchange.reply) {
      return undefined
    }
    const out: Item[] = []
    if (message) {
      const whole: Exchange = { role: "exchange", message, outcomes: kept, ...(reply && moved.length === 0 && { reply }) }
      out.push(whole)
    }
    if (moved.length > 0) out.push({ role: "user", blocks: moved })
    if (reply && (moved.length > 0 || !message)) out.push({ role: "exchange", message: reply, outcomes: [] })
    return out
  }

  /** The call with the id and name the target accepts. */
  private call(call: CallBlock, index: number): CallBlock {
    const id = this.ids.next(call.id)
    const name = this.wireNameOf(call.name)
    if (id === call.id && name === call.name) return call
    const { title, ids, names } = this.profile
    if (id !== call.id) {
      const found = phrase`${title} takes tool call ids of ${acceptedText(ids)}; ${code(call.id)} would become ${code(id)}`
      this.note("call-id-format", "safe", phrase`wrote the id ${call.id} as ${id}`, index, { ids: [call.id, id], found })
    }
    if (name !== call.name) {
      const found = phrase`${title} takes tool names of ${acceptedText(names)}; ${code(call.name)} would become ${code(name)}`
      this.note("tool-name-format", "safe", phrase`wrote the tool name ${call.name} as ${name}`, index, { ids: [call.id], found })
    }
    return { ...call, id, name }
  }

  private wireNameOf(name: string): string {
    let wire = this.names.get(name)
    if (wire === undefined) {
      wire = wireName(name, this.profile.names)
      this.names.set(name, wire)
    }
    return wire
  }

  /** The message with what the target takes of it; the same one when that is all of it. */
  private assistant(message: AssistantMessage, index: number): AssistantMessage | undefined {
    const { blocks } = message
    let kept: AssistantBlock[] | undefined
    for (let position = 0; position < blocks.length; position++) {
      const block = blocks[position] as AssistantBlock
      const next = this.assistantBlock(block, message, index)
      if (next !== block) kept ??= blocks.slice(0, position)
      if (kept && next) kept.push(next)
    }
    if (!kept) return message
    return kept.length === 0 ? undefined : { ...message, blocks: kept }
  }

  private assistantBlock(block: AssistantBlock, message: Message, index: number): AssistantBlock | undefined {
    switch (block.type) {
      case "call":
        return this.call(block, index)
      case "thinking":
        return this.thinking(block, message, index)
      case "opaque":
        return this.opaque(block, "assistant", index)
      case "media":
        return this.assistantMedia(block, index)
      case "text":
        return block
    }
  }

  private thinking(block: AssistantBlock & { type: "thinking" }, message: Message, index: number): AssistantBlock | undefined {
    const { thinking } = this.profile
    const own = this.isOwn(block, message)
    if (own && (thinking === "plain" || (thinking === "signed" && block.signature !== undefined))) return block
    const isUnsigned = own && thinking === "signed"
    const rule = isUnsigned ? "thinking-signature" : "foreign-thinking"
    const refused = phrase`${this.profile.title} ${refusedThinking(thinking, isUnsigned)}; ${block.text === "" ? "this block" : quoted(block.text)}`
    if (this.policies.foreignThinking === "text" && !isBlank(block.text)) {
      this.note(rule, "demote", "converted thinking of another origin to text", index, {
        original: block,
        found: phrase`${refused} would be sent as text`,
      })
      return text(block.text)
    }
    this.note(rule, "drop", "removed thinking the target cannot verify", index, {
      original: block,
      found: phrase`${refused} would be left out`,
    })
    return undefined
  }

  /** Whether the target made this opaque value, so that it can verify it (L10). */
  private isOwn(block: Block, message: Message): boolean {
    const { origins } = this.profile
    for (const format in block.native) if (origins.includes(format)) return true
    if (block.native !== undefined) return false
    const provider = message.origin?.provider ?? this.conversation.origin?.provider
    return provider !== undefined && origins.includes(provider)
  }

  private opaque(block: OpaqueBlock, place: OpaquePlace, index: number): OpaqueBlock | ReturnType<typeof text> | undefined {
    const own = Object.hasOwn(block.native, this.profile.format)
    if (own && this.goesBack(block, place)) return block
    const [rule, which] = own ? ["unknown-block", "that the target does not know"] : ["foreign-opaque", "of another origin"]
    const lack = own ? this.takesBack(block, place) : false
    const refused =
      typeof lack === "string"
        ? phrase`${this.profile.title} takes no ${code(block.kind)} block without ${code(lack)}`
        : phrase`${this.profile.title} has no ${code(block.kind)} block`
    if (isBlank(block.text)) {
      const found = phrase`${refused}; this one would be left out`
      this.note(rule, "drop", phrase`left out a ${block.kind} block ${which}`, index, { original: block, found })
      return undefined
    }
    const found = phrase`${refused}; ${quoted(block.text)} would be sent as text`
    this.note(rule, "demote", phrase`converted a ${block.kind} block ${which} to text`, index, { original: block, found })
    return text(block.text)
  }

  private assistantMedia(block: MediaBlock, index: number): AssistantBlock {
    if (this.profile.assistantMedia === "allow") {
      this.sawMedia = true
      return block
    }
    const note = mediaNote(block)
    const found = phrase`${this.profile.title} takes no ${block.kind} in assistant messages; it would be sent as the text ${quoted(note)}`
    this.note("result-media", "demote", phrase`described ${block.kind} made by the assistant as text`, index, { original: block, found })
    return text(note)
  }

  private userBlocks(message: UserMessage | SystemMessage, index: number): readonly UserBlock[] {
    if (message.blocks.every((block) => block.type === "text")) return message.blocks
    let same = true
    const blocks = message.blocks.flatMap((block): readonly UserBlock[] => {
      const next = this.userBlock(block, message, index)
      if (next !== block) same = false
      return next ? [next] : []
    })
    const documents = blocks.some((block) => block.type === "media" && block.kind === "document")
    if (this.profile.documentText === "required" && documents && !blocks.some((block) => block.type === "text")) {
      const found = phrase`${this.profile.title} requires text next to a document; ${quoted(fillers.document)} would be added`
      this.note("document-position", "synthetic", "put text beside a document", index, { found })
      return [text(fillers.document), ...blocks]
    }
    return same ? message.blocks : blocks
  }

  private userBlock(block: UserBlock, message: Message, index: number): UserBlock | undefined {
    if (block.type === "opaque") return this.opaque(block, message.role === "system" ? "system" : "user", index)
    if (block.type === "text") return block
    if (message.role !== "system") {
      this.sawMedia = true
      return block
    }
    const note = mediaNote(block)
    const found = phrase`${this.profile.title} takes no ${block.kind} in system messages; it would be sent as the text ${quoted(note)}`
    this.note("document-position", "demote", phrase`described ${block.kind} in a system message as text`, index, { original: block, found })
    return text(note)
  }

  /** Outcomes with the ids their calls have at the target. Calls are never left out, so they are in the same order. */
  private outcomes(
    outcomes: readonly Outcome[],
    message: AssistantMessage | undefined,
    index: number,
    moved: UserBlock[],
  ): readonly Outcome[] {
    if (!message || outcomes.length === 0) return outcomes
    let kept: Outcome[] | undefined
    let position = 0
    for (let at = 0; at < message.blocks.length; at++) {
      const block = message.blocks[at] as AssistantBlock
      if (block.type !== "call") continue
      const outcome = outcomes[position] as Outcome
      const result = outcome.result && this.result(outcome.result, block, index, moved)
      if (result !== outcome.result) kept ??= outcomes.slice(0, position)
      if (kept) kept.push(result && outcome.result ? { ...outcome, result } : outcome)
      position++
    }
    return kept ?? outcomes
  }

  private result(result: ResultBlock, call: CallBlock, index: number, moved: UserBlock[]): ResultBlock {
    const { resultMedia, emptyResult, emptyText } = this.profile
    let content = result.content
    const only = content[0]
    const plain = content.length === 1 && only?.type === "text" && !(emptyText === "reject" && isBlank(only.text))
    if (!plain && content.some((block) => block.type !== "text" || (emptyText === "reject" && isBlank(block.text)))) {
      content = content.flatMap((block): readonly ContentBlock[] => {
        if (block.type === "opaque") {
          const shown = this.opaque(block, result.error === true ? "failed-result" : "result", index)
          return shown ? [shown] : []
        }
        if (block.type === "text") return emptyText === "reject" && isBlank(block.text) ? [] : [block]
        this.sawMedia = true
        if (resultMedia === "inside" || (resultMedia === "inside-done" && result.error !== true)) return [block]
        const holder = resultMedia === "inside-done" ? "the failed result" : "the result"
        const found = phrase`${this.profile.title} takes no ${block.kind} in ${holder} of ${code(call.name)} (${code(call.id)}); it would be sent in a user message after it`
        this.note("result-media", "safe", phrase`moved ${block.kind} of a result into a user message after it`, index, {
          ids: [call.id],
          original: block,
          found,
        })
        if (moved.length === 0 || moved.at(-1)?.type === "media") {
          moved.push(text(`[${block.kind} from the result of ${call.name} (${call.id})]`))
        }
        moved.push(block)
        return [text(`[${block.kind} attached below]`)]
      })
      const unchanged = content.length === result.content.length && content.every((block, at) => block === result.content[at])
      if (unchanged) content = result.content
    }
    if (content.length === 0 && emptyResult === "filler") {
      const found = phrase`${this.profile.title} requires content in every result; that of ${code(call.name)} (${code(call.id)}) is empty, ${quoted(fillers.empty)} would be sent`
      this.note("empty-result", "synthetic", "added text that says the result is empty", index, { ids: [call.id], found })
      content = [text(fillers.empty)]
    }
    const name = result.name === undefined || result.name === call.name ? result.name : call.name
    if (content === result.content && result.callId === call.id && name === result.name) return result
    return { ...result, callId: call.id, content, ...(name !== undefined && { name }) }
  }
}
