/**
 * Calls that a model has just written into its text, as blocks that can be run, stored and written as that text again.
 *
 * Only the words of the model itself are read, and only for tools that exist. What is written in another layout than
 * ours keeps its text (`native`), with the white space around it: the next request then has exactly what the model
 * wrote. It counts only while the call is the one that was read.
 */
import { type Block, type CallBlock, canonicalJson, isWire, type Message, shortHash, text } from "../../model/index.ts"
import type { KnownTools } from "../engine/tools.ts"
import { format } from "./pieces.ts"
import { renderCall } from "./render.ts"
import { type CallSegment, scanCalls, type Segment } from "./scan/scan-calls.ts"

/** A tool is run for it: a stretch of text that may be an example, by its looks, is left as text. */
const sureEnoughToRun = 0.7

/** What is between text and a call unless the call has white space of its own. */
export const gap = "\n\n"

interface Spoken {
  readonly raw: string
  /** Names the call that the words were read as. */
  readonly of: string
}

const nameOf = ({ name, arguments: given }: Pick<CallBlock, "name" | "arguments">): string =>
  shortHash(`${name} ${canonicalJson(given)}`, 12)

/** The text of a call, with the white space around it, while the call is unchanged. */
export const spokenWords = (call: CallBlock): string | undefined => {
  const spoken = call.native?.[format]
  if (!isWire(spoken) || typeof spoken["raw"] !== "string") return undefined
  return spoken["of"] === nameOf(call) ? spoken["raw"] : undefined
}

const leading = (words: string): string => words.slice(0, words.length - words.trimStart().length)
const trailing = (words: string): string => words.slice(words.trimEnd().length)

/** What names a tool that does not exist is text, however much it looks like a call. */
const segmentsOf = (words: string, { names, schemas }: KnownTools): readonly Segment[] => {
  const known = new Set(names)
  const segments: Segment[] = []
  for (const segment of scanCalls(words, { tools: known, schemas, threshold: sureEnoughToRun })) {
    const last = segments.at(-1)
    if (segment.kind === "call" && known.has(segment.name)) segments.push(segment)
    else if (last?.kind === "text") segments[segments.length - 1] = { ...last, end: segment.end }
    else segments.push({ kind: "text", start: segment.start, end: segment.end })
  }
  return segments
}

const splitText = (words: string, tools: KnownTools): readonly Block[] | undefined => {
  const segments = segmentsOf(words, tools)
  if (!segments.some(({ kind }) => kind === "call")) return undefined
  const textAt = (index: number): string => {
    const segment = segments[index]
    return segment?.kind === "text" ? words.slice(segment.start, segment.end) : ""
  }
  const callOf = ({ name, arguments: given, raw, certainty }: CallSegment, index: number): CallBlock => {
    const isFirst = segments.slice(0, index).every((_, place) => textAt(place).trim() === "" && segments[place]?.kind === "text")
    const before = isFirst ? "" : trailing(textAt(index - 1))
    const after = textAt(index + 1)
    const next = after.trim() === "" ? "" : leading(after)
    const isUsual =
      raw === renderCall(name, given, "tag", tools.schemas.get(name)) && (isFirst || before === gap) && (next === "" || next === gap)
    const spoken: Spoken = { raw: `${before}${raw}${next}`, of: nameOf({ name, arguments: given }) }
    return {
      type: "call",
      id: "",
      name,
      arguments: given,
      style: "xml",
      ...(certainty < 1 && { certainty }),
      ...(!isUsual && { native: { [format]: spoken } }),
    }
  }
  return segments.flatMap((segment, index): readonly Block[] => {
    if (segment.kind === "call") return [callOf(segment, index)]
    const said = textAt(index).trim()
    return said === "" ? [] : [text(said)]
  })
}

/** The same message where its text holds no calls of these tools. */
export const readSpokenCalls = (message: Message, tools: KnownTools): Message => {
  let found = false
  const blocks = message.blocks.flatMap((block): readonly Block[] => {
    const split = block.type === "text" ? splitText(block.text, tools) : undefined
    if (split) found = true
    return split ?? [block]
  })
  return found ? { ...message, blocks } : message
}
