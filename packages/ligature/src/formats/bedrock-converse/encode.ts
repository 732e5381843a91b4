/**
 * Conversation → Bedrock Converse. Roles alternate strictly, whatever the model behind the API, and all results stand
 * in the one user message after their calls: the encoder gathers neighbours of one role into one message, results
 * first.
 */
import type { Block, Conversation, Exchange, UserBlock, Wire } from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../engine/codec.ts"
import { mediaNote } from "../engine/media.ts"
import { allowed } from "./allowed.ts"
import { blockWriter, type BlockWriter, nativeOf } from "./write-blocks.ts"

type WireRole = "user" | "assistant" | "system"

interface Draft {
  /** The wire message all of this came from, if it came from one. */
  readonly wire: Wire | undefined
  readonly role: WireRole
  readonly content: Wire[]
}

const writeAll = (blocks: readonly Block[], role: WireRole, write: BlockWriter): readonly Wire[] => {
  const written: Wire[] = []
  for (const block of blocks) {
    const wire = write(block, role)
    if (wire) written.push(wire)
  }
  return written
}

/** Collects blocks into messages. */
const messageWriter = (options: EncodeOptions) => {
  const messages: Wire[] = []
  let draft: Draft | undefined

  const close = (): void => {
    if (!draft) return
    const { wire, role, content } = draft
    const same = wire?.["role"] === role && sameElements(content, wire["content"])
    const message = wire && same ? wire : { ...wire, role, content }
    messages.push(options.extras === "strip" ? allowed.message(message) : message)
    draft = undefined
  }

  /** Goes on with the open message while the role stays. */
  const add = (role: WireRole, wire: Wire | undefined, content: readonly Wire[]): void => {
    if (content.length === 0) return
    if (!draft || draft.role !== role) {
      close()
      draft = { wire, role, content: [...content] }
      return
    }
    if (draft.wire !== wire) draft = { wire: undefined, role, content: draft.content }
    for (const block of content) draft.content.push(block)
  }

  return {
    add,
    end: (): readonly Wire[] => {
      close()
      return messages
    },
  }
}

/** The message that carried all results of an exchange, if one did. */
const carrierOf = (exchange: Exchange): Wire | undefined => {
  const carriers = new Set<Wire | undefined>()
  for (const outcome of exchange.outcomes) {
    if (outcome.result) carriers.add(nativeOf({ native: outcome.carrier ?? {} }))
  }
  const [carrier] = carriers
  return carriers.size === 1 ? carrier : undefined
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const writer = messageWriter(options)
  const write = blockWriter(options)
  const system: UserBlock[] = []
  let nativeSystem: unknown
  let leading = true
  for (const item of conversation.items) {
    if (item.role === "system" && leading) {
      if (system.length === 0) nativeSystem = nativeOf(item)?.["system"]
      for (const block of item.blocks) system.push(block)
      continue
    }
    leading = false
    if (item.role !== "exchange") {
      writer.add(item.role, nativeOf(item), writeAll(item.blocks, item.role, write))
      continue
    }
    const { message, outcomes, reply } = item
    writer.add("assistant", nativeOf(message), writeAll(message.blocks, "assistant", write))
    const results = outcomes.flatMap((outcome) => (outcome.result ? [outcome.result] : []))
    writer.add("user", carrierOf(item), writeAll(results, "user", write))
    if (reply) writer.add("assistant", nativeOf(reply), writeAll(reply.blocks, "assistant", write))
  }
  const written = writeSystem(system, nativeSystem, write)
  const body = writeBody(nativeOf(conversation) ?? {}, written, writer.end())
  return options.extras === "strip" ? allowed.body(body) : body
}

/** Media has no place in the system list: what did not come from there is said in words. */
const writeSystem = (blocks: readonly UserBlock[], native: unknown, write: BlockWriter): readonly unknown[] => {
  const asGiven = writeAll(blocks, "system", write)
  if (Array.isArray(native) && sameElements(asGiven, native)) return native
  return blocks.flatMap((block) => {
    if (block.type === "media") return [{ text: mediaNote(block) }]
    return write(block, "system") ?? []
  })
}

/** System text that is gone from the conversation goes from the request too. */
const writeBody = (envelope: Wire, system: readonly unknown[], messages: readonly Wire[]): Wire => {
  if (system.length > 0) return { ...envelope, system, messages }
  const given = envelope["system"]
  if (given === undefined || given === null || (Array.isArray(given) && given.length === 0)) {
    return { ...envelope, messages }
  }
  const { system: _, ...kept } = envelope
  return { ...kept, messages }
}
