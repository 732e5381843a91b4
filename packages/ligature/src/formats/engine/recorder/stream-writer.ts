/**
 * What a stream writer is: the inverse of a recorder. It takes what a recorder of any format tells and gives the events
 * of one wire; the pen of a format knows how its wire spells a block. The writer itself is in pen-writer.ts.
 */
import { type Block, type CallBlock, jsonText, type Loss, type Message, type ResultBlock, type Wire } from "../../../model/index.ts"
import type { Feature } from "../codec.ts"
import type { Recorded, Recorder, RecordEvent } from "./recorder.ts"

/** One frame of an event stream. `data` is a JSON value, or the text of an end marker. */
export interface StreamEvent {
  /** The name of the event, on wires that name them. */
  readonly event?: string
  readonly data: unknown
}

export interface StreamWriterOptions {
  /** The id of the answer; ids of items and of calls without one are made of it. Default: one that says nothing. */
  readonly id?: string
  /** The model the answer names. Default: the one of the recording where the wire says it at the end, else "". */
  readonly model?: string
  /** Seconds since 1970, on wires that say when an answer was made. Default 0. */
  readonly created?: number
}

/** Where a writer looks blocks up: the recorder whose events it is given. */
export type BlockSource = Pick<Recorder, "blocks">

export interface StreamWriter {
  readonly format: string
  /** What the wire had no place for, so far. */
  readonly losses: readonly Loss[]
  /** Wire events for what the recorder just said, in order. */
  write(events: readonly RecordEvent[], source: BlockSource): readonly StreamEvent[]
  /** The end of the answer: what is open is closed, stop reason and usage are said; or the error the stream ended in. */
  end(recorded: Recorded): readonly StreamEvent[]
}

/** A block on its way to the wire. */
export interface Entry {
  readonly at: number
  readonly kind: "text" | "thinking" | "call" | "whole"
  id: string
  name: string
  /** What the pen has written of its text. */
  sent: string
  /** What the pen keeps about it. */
  place: number
}

/** What only a format knows: how its wire says that a block begins, grows and ends. */
export interface Pen {
  readonly format: string
  /** `all`: every block may grow next to others. `calls`: calls may; text ends before anything else begins. */
  readonly overlaps?: "all" | "calls"
  /** Free-text calls grow as they are; without it they are written as JSON with one field. */
  readonly freeText?: true
  /** Calls need no id: none is made up for those without. */
  readonly withoutIds?: true
  /** The wire has a field for a signature, whoever signed. */
  readonly signs?: true
  /** The first events of the stream, before a block of this kind. */
  begin(kind: Entry["kind"] | undefined): void
  /** Can the block be written in pieces? Else `whole` gets it when it has ended. */
  grows(block: Block): boolean
  start(entry: Entry, block: Block): void
  add(entry: Entry, delta: string): void
  /** `block` is as far as it was written. */
  close(entry: Entry, block: Block): void
  whole(block: Exclude<Block, ResultBlock>): void
  finish(recorded: Recorded): void
  /** Ends the stream with an error; returns the body of a reply that failed so. */
  fail(message: string, recorded: Recorded): Wire
  /** The answer in one piece, once it is finished. */
  reply(recorded: Recorded): Wire
}

/** What a pen writes to. */
export interface Paper {
  readonly options: StreamWriterOptions
  emit(data: unknown, event?: string): void
  lose(feature: Feature, original?: unknown, degree?: Loss["degree"]): void
}

/** The text of a call as its deltas would say it. Empty arguments of another format are `{}`: clients parse the text. */
export const callText = (call: CallBlock, format: string): string => {
  const { input } = call.arguments
  if (call.custom === true && typeof input === "string") return input
  if (call.fault === "empty" && call.native?.[format] === undefined) return "{}"
  return call.raw ?? jsonText(call.arguments)
}

export const textOf = (block: Block, format: string): string => {
  if (block.type === "text" || block.type === "thinking") return block.text
  return block.type === "call" ? callText(block, format) : ""
}

/** What a recorder would have said of a whole message. `cut` makes pieces of a text. */
export const eventsOf = (message: Message, cut: (text: string) => readonly string[] = (text) => [text]): readonly RecordEvent[] =>
  message.blocks.flatMap((each, block): readonly RecordEvent[] => {
    const { type } = each
    if (type !== "text" && type !== "thinking" && type !== "call")
      return [
        { type: "opaque-start", block },
        { type: "opaque-end", block },
      ]
    const said = type === "call" && each.fault === "empty" ? "" : textOf(each, "")
    const deltas = said === "" ? [] : cut(said).map((delta) => ({ type: `${type}-delta`, block, delta }) as const)
    if (type !== "call") return [{ type: `${type}-start`, block }, ...deltas, { type: `${type}-end`, block }]
    return [{ type: "call-start", block, id: each.id, name: each.name }, ...deltas, { type: "call-end", block }]
  })
