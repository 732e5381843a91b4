/**
 * Conversation → export. One that came from an export gives it back: untouched messages and parts are the very same
 * objects, a changed part is patched in place, one that was left out is missing, a new one stands behind the part it
 * follows. Several messages of the conversation may be steps of one message of the file. Any other conversation becomes
 * a new session.
 */
import {
  type Block,
  callsOf,
  type Conversation,
  isWire,
  type Native,
  pushAll,
  type ResultBlock,
  type Wire,
} from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../../formats/engine/codec.ts"
import { stringOf, wireOf } from "../engine/fields.ts"
import { readRoute } from "./decode.ts"
import { format, infoOf, numberOf, partsOf, readingKey, sessionOf } from "./fields.ts"
import { newSession } from "./new-session.ts"
import { type Reading, routeOf } from "./path.ts"
import type { PartSaid } from "./read-part.ts"
import { renewIds } from "./renew-ids.ts"
import { idAfter } from "./timed-id.ts"
import { partOf, writeBlock, writeTool } from "./write-part.ts"

/** What becomes of one message of the file, or a new one. */
interface Draft {
  readonly wire: Wire | undefined
  readonly role: "user" | "assistant"
  readonly written: Map<Wire, Wire>
  /** New parts behind one; under undefined those in front. */
  readonly added: Map<Wire | undefined, Wire[]>
  last: Wire | undefined
}

/** What becomes of a message whose words are all gone; one that bears a system text stays for its sake. */
const untold = {
  role: "user",
  written: new Map<Wire, Wire>(),
  added: new Map<Wire, Wire[]>(),
  last: undefined,
} as const

class BackWriter {
  private readonly session: Wire
  private readonly messages: readonly unknown[]
  private readonly drafts = new Map<Wire, Draft>()
  /** New messages behind one; under undefined those in front of all. */
  private readonly fresh = new Map<Wire | undefined, Draft[]>()
  private readonly said = new Map<Wire, PartSaid>()
  /** Messages of the file that said something. */
  private readonly read = new Set<Wire>()
  private last: Wire | undefined
  private made = 0

  constructor(value: unknown, reading: Reading) {
    const { info, messages } = sessionOf(value)
    this.session = info
    this.messages = messages
    for (const { step, said } of readRoute(routeOf(value, reading), reading.view ?? "whole")) {
      if (said.parts.size > 0) this.read.add(step.wire)
      for (const [part, one] of said.parts) this.said.set(part, one)
    }
  }

  private open(native: Native | undefined, role: "user" | "assistant"): Draft {
    const named = native?.[format]
    const wire = isWire(named) && this.read.has(named) ? named : undefined
    const known = wire && this.drafts.get(wire)
    if (known?.role === role) return known
    const draft: Draft = { wire: known ? undefined : wire, role, written: new Map(), added: new Map(), last: undefined }
    if (draft.wire) {
      this.drafts.set(draft.wire, draft)
      this.last = draft.wire
    } else {
      const list = this.fresh.get(this.last)
      if (list) list.push(draft)
      else this.fresh.set(this.last, [draft])
    }
    return draft
  }

  private envelope(draft: Draft) {
    const message = infoOf(draft.wire ?? this.last ?? {})
    const previous = stringOf(draft.last?.["id"])
    const base = {
      id: idAfter("prt", previous === "" ? stringOf(message["id"]) : previous, this.made++),
      sessionID: message["sessionID"] ?? this.session["id"] ?? "",
      messageID: message["id"] ?? "",
    }
    return { base, milliseconds: numberOf(wireOf(message["time"])["created"]) ?? 0 }
  }

  say(
    native: Native | undefined,
    role: "user" | "assistant",
    blocks: readonly Block[],
    results: readonly (ResultBlock | undefined)[],
  ): void {
    const draft = this.open(native, role)
    let answered = 0
    for (const block of blocks) {
      if (block.type === "result") continue
      const part = partOf(block)
      const said = part && !draft.written.has(part) && draft.wire ? this.said.get(part) : undefined
      const envelope = this.envelope(draft)
      const written =
        block.type === "call"
          ? writeTool(block, results[answered++], said, envelope)
          : writeBlock(block, said, envelope)
      if (!written) continue
      if (part && said) {
        draft.written.set(part, written)
        draft.last = part
      } else {
        const list = draft.added.get(draft.last)
        if (list) list.push(written)
        else draft.added.set(draft.last, [written])
      }
    }
  }

  private rebuild(wire: Wire, draft: Draft): Wire | undefined {
    const before = partsOf(wire)
    const after: unknown[] = []
    const opening = before.findIndex((part) => isWire(part) && part["type"] === "step-start")
    const front = draft.added.get(undefined) ?? []
    if (opening < 0) pushAll(after, front)
    let left = draft.added.size
    before.forEach((part, index) => {
      if (!isWire(part) || !this.said.has(part)) after.push(part)
      else {
        const written = draft.written.get(part)
        if (written) {
          after.push(written)
          left++
        }
      }
      if (index === opening) pushAll(after, front)
      if (isWire(part)) for (const added of draft.added.get(part) ?? []) after.push(added)
    })
    if (left === 0 && stringOf(infoOf(wire)["system"]) === "") return undefined
    const same = after.length === before.length && after.every((part, index) => part === before[index])
    return same ? wire : { ...wire, parts: after }
  }

  /** A message nobody in the file said: beside its neighbour, with what the neighbour says of itself. */
  private invent(draft: Draft, neighbour: Wire | undefined, ordinal: number): Wire {
    const near = infoOf(neighbour ?? {})
    const id = idAfter("msg", stringOf(near["id"]), ordinal)
    const sessionID = near["sessionID"] ?? this.session["id"] ?? ""
    const time = { created: numberOf(wireOf(near["time"])["created"]) ?? 0 }
    const model =
      near["model"] ?? { providerID: near["providerID"] ?? "unknown", modelID: near["modelID"] ?? "unknown" }
    const shared = { id, sessionID, role: draft.role, time, agent: near["agent"] ?? "build" }
    const parts: Wire[] = []
    for (const list of draft.added.values()) for (const part of list) parts.push({ ...part, messageID: id })
    if (draft.role === "user") return { info: { ...shared, model }, parts }
    const parentID = near["role"] === "user" ? near["id"] : near["parentID"]
    const { providerID, modelID } = wireOf(model)
    const path = near["path"] ?? { cwd: "/", root: "/" }
    const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }
    return { info: { ...shared, parentID, providerID, modelID, mode: "build", path, cost: 0, tokens }, parts }
  }

  private pushFresh(out: unknown[], behind: Wire | undefined): void {
    const drafts = this.fresh.get(behind)
    drafts?.forEach((draft, ordinal) => {
      if (draft.added.size > 0) out.push(this.invent(draft, behind, ordinal))
    })
  }

  end(): readonly unknown[] {
    const out: unknown[] = []
    this.pushFresh(out, undefined)
    for (const message of this.messages) {
      if (!isWire(message) || !this.read.has(message)) out.push(message)
      else {
        const rebuilt = this.rebuild(message, this.drafts.get(message) ?? { ...untold, wire: message })
        if (rebuilt) out.push(rebuilt)
      }
      if (isWire(message)) this.pushFresh(out, message)
    }
    const { messages } = this
    return out.length === messages.length && out.every((message, index) => message === messages[index]) ? messages : out
  }
}

/** System texts stand on the messages they came with, and stay there. */
const isOwnSystem = (native: Native | undefined): boolean => isWire(native?.[format])

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const { native } = conversation
  const value = native?.[format]
  if (value === undefined) return newSession(conversation, options)
  const writer = new BackWriter(value, isWire(native?.[readingKey]) ? (native[readingKey] as Reading) : {})
  for (const item of conversation.items) {
    if (item.role === "system") {
      if (!isOwnSystem(item.native)) writer.say(item.native, "user", item.blocks, [])
    } else if (item.role === "user") writer.say(item.native, "user", item.blocks, [])
    else {
      const results = callsOf(item).map((_, index) => item.outcomes[index]?.result)
      writer.say(item.message.native, "assistant", item.message.blocks, results)
      if (item.reply) writer.say(item.reply.native, "assistant", item.reply.blocks, [])
    }
  }
  const messages = writer.end()
  const { info, messages: before } = sessionOf(value)
  const renewed = renewIds(info, messages)
  if (sameElements(renewed, before) && isWire(value)) return value
  return isWire(value) ? { ...value, messages: renewed } : { info, messages: renewed }
}
