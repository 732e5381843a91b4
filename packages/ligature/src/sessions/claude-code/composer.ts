/**
 * Writes new records as the agent would: one content block per line, each hanging on the one before, all fragments of a
 * reply under one message id and one request id. Ids follow from the seed and the position, times from what is given.
 */
import type { Wire } from "../../model/index.ts"
import { deriveHex, deriveUuid } from "../engine/derived-id.ts"

export interface ReplyParts {
  readonly wires: readonly Wire[]
  readonly model: string | undefined
  /** Whether the reply ends with calls that will be answered. */
  readonly calls: boolean
}

const noUsage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
} as const

const unknownModel = "unknown"

const resultWords = (wire: Wire): unknown => {
  const { content } = wire
  return typeof content === "string" && wire["is_error"] === true ? `Error: ${content}` : (content ?? "")
}

export interface ComposerOptions {
  /** Fields every record has: session, folder, version, … */
  readonly envelope: Wire
  readonly seed: string
  readonly time: () => string | undefined
  /** The uuid on which the first record hangs. */
  readonly parent: string | null
}

export class Composer {
  /** The uuid on which the next record will hang. */
  parent: string | null
  private readonly envelope: Wire
  private readonly seed: string
  private readonly time: () => string | undefined
  private count = 0

  constructor({ envelope, seed, time, parent }: ComposerOptions) {
    this.envelope = envelope
    this.seed = seed
    this.time = time
    this.parent = parent
  }

  words(wires: readonly Wire[], marks: Wire = {}): Wire {
    const [only] = wires
    const plain = wires.length === 1 && only?.["type"] === "text" && Object.keys(only).length === 2
    const message = { role: "user", content: plain ? only["text"] : wires }
    return this.record({ type: "user", message, ...marks })
  }

  reply({ wires, model, calls }: ReplyParts): readonly Wire[] {
    const id = `msg_${deriveHex(24, this.seed, "message", String(this.count))}`
    const requestId = `req_${deriveHex(24, this.seed, "request", String(this.count))}`
    return wires.map((wire, index) => {
      const last = index === wires.length - 1
      const message = {
        id,
        type: "message",
        role: "assistant",
        model: model ?? unknownModel,
        content: [wire],
        stop_reason: last ? (calls ? "tool_use" : "end_turn") : null,
        stop_sequence: null,
        usage: noUsage,
      }
      return this.record({ message, requestId, type: "assistant" })
    })
  }

  /** A result as the agent writes it: with the raw output beside it, and the record of its call. */
  result(wire: Wire, callRecord: string | undefined, uuid?: string): Wire {
    const fields = {
      type: "user",
      message: { role: "user", content: [wire] },
      toolUseResult: resultWords(wire),
      ...(callRecord !== undefined && { sourceToolAssistantUUID: callRecord }),
    }
    return this.record(fields, uuid)
  }

  /** From here on the agent sees the summary that follows, and not what stands before. */
  boundary(): Wire {
    const logicalParentUuid = this.parent
    this.parent = null
    return this.record({
      logicalParentUuid,
      type: "system",
      subtype: "compact_boundary",
      content: "Conversation compacted",
      isMeta: false,
      level: "info",
      compactMetadata: { trigger: "manual", preTokens: 0 },
    })
  }

  private record(fields: Wire, given?: string): Wire {
    const uuid = given ?? deriveUuid(this.seed, "record", String(this.count))
    const timestamp = this.time()
    const record = {
      parentUuid: this.parent,
      ...this.envelope,
      ...fields,
      uuid,
      ...(timestamp !== undefined && { timestamp }),
    }
    this.count++
    this.parent = uuid
    return record
  }
}
