/**
 * goose sessions → Transcript. A compaction hides old messages from the model and puts a summary behind them.
 *
 * Default view: effective, the messages that are visible to the agent. `whole` shows the hidden ones as well, and the
 * summary where it stands.
 */
import {
  type Block,
  type Diagnostic,
  isWire,
  type Message,
  type Role,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { malformedMessage, ofAnotherApi } from "../../formats/engine/malformed.ts"
import { anomaly } from "../engine/anomaly.ts"
import type { Reading } from "../engine/put-back.ts"
import { format, isAgentOnly, isHeader, isHidden, recordsOf } from "./format.ts"
import { isScreenOnly, readContent } from "./read-content.ts"

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "system"],
  ["tool", "tool"],
])

const isMalformed = (block: Block): boolean => {
  if (block.type === "result") return block.content.some(isMalformed)
  return block.type === "opaque" && block.kind === "malformed"
}

/** A message that only the screen shows is none of the conversation. */
const isForTheScreen = (content: unknown): boolean =>
  Array.isArray(content) && content.length > 0 && content.every(isScreenOnly)

class MessageReader {
  readonly messages: Message[] = []
  readonly said: number[] = []
  readonly path: number[] = []
  readonly diagnostics: Diagnostic[] = []
  private readonly options: DecodeOptions
  /** The message before was hidden from the model. */
  private behindHidden = false

  constructor(options: DecodeOptions) {
    this.options = options
  }

  record(record: unknown, index: number): void {
    const line = this.options.lines?.[index]
    const at = { message: this.messages.length, path: `records[${index}]`, ...(line !== undefined && { line }) }
    if (isWire(record)) this.path.push(index)
    if (isHeader(record)) return
    const role = isWire(record) ? roles.get(record["role"]) : undefined
    if (!isWire(record) || role === undefined) {
      this.diagnostics.push(anomaly("malformed-record", at, "Expected a message of the user or the assistant"))
      return
    }
    const hidden = isHidden(record)
    const isSummary = this.behindHidden && isAgentOnly(record)
    this.behindHidden = hidden
    if ((hidden && this.options.view !== "whole") || isForTheScreen(record["content"])) return
    const blocks = readContent(record["content"])
    blocks.forEach((block, position) => {
      if (!isMalformed(block)) return
      this.diagnostics.push(malformedMessage({ ...at, block: position }, "Expected a content block"))
    })
    if (role === "tool") {
      const found = ofAnotherApi(at, "Expected the role user for results, got tool")
      this.diagnostics.push({ ...found, repair: { kind: "safe", what: "written as a user message" } })
    }
    const { id } = record
    this.said.push(index)
    this.messages.push({
      role,
      blocks,
      ...(typeof id === "string" && { id }),
      ...(isSummary && { summary: true as const }),
      native: { goose: record },
      ...(line !== undefined && { line }),
    })
  }
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const records = recordsOf(value)
  const reader = new MessageReader(options)
  records.forEach((record, index) => reader.record(record, index))
  const { messages, said, path, diagnostics } = reader
  if (options.branch !== undefined) {
    diagnostics.push(anomaly("unknown-record", {}, `A goose session has no branches: ${options.branch} is not read`))
  }
  const reading: Reading = { records, path, said }
  return {
    format,
    messages,
    native: { goose: reading },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}

/** The header, for what the session says of itself. */
export const headerOf = (records: readonly unknown[]): Wire => records.find(isHeader) ?? {}
