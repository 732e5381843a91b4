/**
 * A session for a conversation of another agent. Every exchange is a message of its own, as the agent writes them: a
 * step with its parts, calls together with their results. Ids and times count up from the given start, so that they
 * sort.
 */
import {
  type Block,
  callsOf,
  type Conversation,
  type Item,
  type Origin,
  type ResultBlock,
  type Wire,
} from "../../model/index.ts"
import type { EncodeOptions } from "../../formats/engine/codec.ts"
import { conversationSeed } from "../engine/derived-id.ts"
import { epoch, millisecondsOf } from "../engine/iso-time.ts"
import { timedId } from "./timed-id.ts"
import { writeBlock, writeTool } from "./write-part.ts"

/** The version whose export has this shape. */
const version = "1.2.0"

const noTokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }

const modelOf = (origin: Origin | undefined): { readonly providerID: string; readonly modelID: string } => {
  const provider = origin?.provider ?? "unknown"
  return { providerID: provider === "gemini" ? "google" : provider, modelID: origin?.model ?? "unknown" }
}

const isText = (block: Block): boolean => block.type === "text"

class SessionWriter {
  readonly messages: Wire[] = []
  readonly id: string
  private readonly seed: string
  private readonly folder: string
  private readonly origin: Origin | undefined
  private parent: string
  milliseconds: number

  constructor(conversation: Conversation, { session }: EncodeOptions) {
    this.seed = session?.id ?? conversationSeed(conversation)
    this.folder = session?.folder ?? "/"
    this.origin = conversation.origin
    this.milliseconds = millisecondsOf(session?.startedAt ?? epoch) ?? 0
    this.id = session?.id ?? timedId("ses", this.milliseconds, 0, this.seed)
    this.parent = timedId("msg", this.milliseconds, 0, this.seed)
  }

  private partBase(messageID: string, ordinal: number): Wire {
    const id = timedId("prt", this.milliseconds, ordinal, this.seed)
    return { id, sessionID: this.id, messageID }
  }

  private nextMessage(): string {
    this.milliseconds += 1000
    return timedId("msg", this.milliseconds, 1, this.seed)
  }

  user(blocks: readonly Block[], system: string): void {
    const id = this.nextMessage()
    const info = {
      id,
      sessionID: this.id,
      role: "user",
      time: { created: this.milliseconds },
      agent: "build",
      model: modelOf(this.origin),
      ...(system !== "" && { system }),
    }
    const parts: Wire[] = []
    for (const block of blocks) {
      if (block.type === "call" || block.type === "result") continue
      const base = this.partBase(id, parts.length)
      const part = writeBlock(block, undefined, { base, milliseconds: this.milliseconds })
      if (part) parts.push(part)
    }
    this.parent = id
    if (parts.length > 0 || system !== "") this.messages.push({ info, parts })
  }

  assistant(blocks: readonly Block[], results: readonly (ResultBlock | undefined)[], origin: Origin | undefined): void {
    const id = this.nextMessage()
    const { milliseconds } = this
    const calls = blocks.some((block) => block.type === "call")
    const finish = calls ? "tool-calls" : "stop"
    const info = {
      id,
      sessionID: this.id,
      role: "assistant",
      time: { created: milliseconds, completed: milliseconds },
      parentID: this.parent,
      ...modelOf(origin ?? this.origin),
      mode: "build",
      agent: "build",
      path: { cwd: this.folder, root: this.folder },
      cost: 0,
      tokens: noTokens,
      finish,
    }
    const parts: Wire[] = [{ ...this.partBase(id, 0), type: "step-start" }]
    let answered = 0
    for (const block of blocks) {
      if (block.type === "result") continue
      const envelope = { base: this.partBase(id, parts.length), milliseconds }
      const part =
        block.type === "call"
          ? writeTool(block, results[answered++], undefined, envelope)
          : writeBlock(block, undefined, envelope)
      if (part) parts.push(part)
    }
    parts.push({ ...this.partBase(id, parts.length), type: "step-finish", reason: finish, cost: 0, tokens: noTokens })
    if (parts.length > 2) this.messages.push({ info, parts })
  }

  /** `system` is what is to be said with the next message of the user's; returns what is still to be said. */
  item(item: Item, system: string): string {
    if (item.role === "system") {
      const text = item.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")
      if (this.messages.length === 0 && item.blocks.every(isText)) return system === "" ? text : `${system}\n\n${text}`
      this.user(item.blocks, "")
      return system
    }
    if (item.role === "user") {
      this.user(item.blocks, system)
      return ""
    }
    if (system !== "") this.user([], system)
    const results = callsOf(item).map((_, index) => item.outcomes[index]?.result)
    this.assistant(item.message.blocks, results, item.message.origin)
    if (item.reply) this.assistant(item.reply.blocks, [], item.reply.origin)
    return ""
  }
}

const titleOf = (conversation: Conversation): string => {
  for (const item of conversation.items) {
    if (item.role !== "user") continue
    for (const block of item.blocks) {
      const words = block.type === "text" ? block.text.trim() : ""
      if (words !== "") return words.slice(0, 80)
    }
  }
  return "Conversation"
}

export const newSession = (conversation: Conversation, options: EncodeOptions): Wire => {
  const writer = new SessionWriter(conversation, options)
  const created = writer.milliseconds
  let system = ""
  for (const item of conversation.items) system = writer.item(item, system)
  if (system !== "") writer.user([], system)
  const info = {
    id: writer.id,
    slug: "conversation",
    projectID: "global",
    directory: options.session?.folder ?? "/",
    title: options.session?.title ?? titleOf(conversation),
    version,
    time: { created, updated: writer.milliseconds },
  }
  return { info, messages: writer.messages }
}
