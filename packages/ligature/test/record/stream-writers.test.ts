/**
 * What every stream writer promises: its stream is one its provider could have sent, reading it gives what was written,
 * how the text came in pieces makes no difference, and what a wire has no place for is named.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type Block,
  type CallBlock,
  jsonText,
  type Loss,
  type Message,
  parseJson,
  readArgumentsText,
  type Wire,
} from "../../src/model/index.ts"
import {
  type RecordedFormat,
  type WrittenFormat,
  createRecorder,
  createStreamWriter,
  type Recorded,
  replyOf,
  sseText,
  type StopReason,
  type StreamEvent,
  streamOf,
  streamText,
  type Usage,
} from "../../src/record/index.ts"
import { writtenFormats } from "../../src/record/streams.ts"
import { judgeStream } from "../../src/testing/index.ts"
import { record } from "./record.ts"
import { cutterOf } from "./render/answer.ts"
import { serverItems } from "./server-items.ts"

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).filter((text) => text.trim() !== "" && text.isWellFormed())
const signature = fc.stringMatching(/^[A-Za-z0-9+]{8,20}$/)
const json = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,6}$/),
  fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null), fc.array(words, { maxLength: 2 })),
  { maxKeys: 4 },
)
const long = fc.integer({ min: 1000, max: 9000 }).map((length) => JSON.stringify({ text: 'línea 🎉 "\\\n'.repeat(length / 10) }))
const faulty = fc.constantFrom('{"path": "a', "[1,2]", "not json", '"{\\"a\\":1}"', "{} {}", "7", '{"a":1}}')
const tool = fc.constantFrom("read_file", "bash", "grep")

const text = words.map((said): Block => ({ type: "text", text: said }))
const thinking = fc
  .tuple(words, fc.option(signature, { nil: undefined }))
  .map(([said, proof]): Block => ({ type: "thinking", text: said, ...(proof !== undefined && { signature: proof }) }))
const argumentText = fc.oneof(
  json.map((made) => JSON.stringify(made)),
  json.map((made) => JSON.stringify(made, undefined, 1)),
  fc.constant("{}"),
  fc.constant(""),
  long,
  faulty,
)
const call = fc.oneof(
  fc.tuple(tool, argumentText).map(([name, raw]): Block => ({ type: "call", id: "", name, ...readArgumentsText(raw) })),
  fc.tuple(tool, json).map(([name, args]): Block => ({ type: "call", id: "", name, arguments: { ...args } as CallBlock["arguments"] })),
  fc.tuple(tool, words).map(([name, input]): Block => ({ type: "call", id: "", name, arguments: { input }, raw: input, custom: true })),
)
const messageOf = (blocks: readonly Block[]): Message => ({
  role: "assistant",
  blocks: blocks.map((block, index) => (block.type === "call" ? { ...block, id: `call_${index}` } : block)),
})
const message = fc.array(fc.oneof(text, thinking, call, call), { minLength: 1, maxLength: 6 }).map(messageOf)
const usage: fc.Arbitrary<Usage | undefined> = fc.option(
  fc
    .record({ inputTokens: fc.integer({ min: 20, max: 9000 }), outputTokens: fc.integer({ min: 20, max: 900 }) })
    .map((counts) => ({ ...counts, native: {} })),
  { nil: undefined },
)
const sizes = fc.array(fc.nat(40), { minLength: 1, maxLength: 8 })

const dataOf = (events: readonly StreamEvent[]): readonly unknown[] => events.map(({ data }) => data)

/** The arguments as they are meant: an object where the text is one, else the text. */
const argumentsOf = (block: CallBlock): unknown => {
  if (block.fault === "empty") return {}
  if (block.fault === undefined || block.fault === "encoded" || block.custom === true) return block.arguments
  return parseJson(block.raw ?? "") ?? block.raw
}

/** The order in which a wire can say blocks, and neighbours that it tells apart. */
const arranged = (format: string, { blocks, ...rest }: Message): Message => {
  const first = (type: Block["type"]): readonly Block[] => blocks.filter((block) => block.type === type).slice(0, 1)
  if (format === "openai-chat")
    return { ...rest, blocks: [...first("thinking"), ...first("text"), ...blocks.filter(({ type }) => type === "call")] }
  if (format !== "gemini") return { ...rest, blocks }
  return { ...rest, blocks: blocks.filter((block, index) => block.type === "call" || block.type !== blocks[index - 1]?.type) }
}

const signs = (format: string): boolean => format === "anthropic" || format === "openai-responses"
const takesFreeText = (format: string): boolean => format === "openai-chat" || format === "openai-responses"

/** What a wire keeps of a block. */
const kept = (format: string, block: Block): unknown => {
  if (block.type === "text") return { text: block.text }
  if (block.type === "thinking")
    return { thinking: block.text, ...(signs(format) && block.signature !== undefined && { signature: block.signature }) }
  if (block.type !== "call") return { [block.type]: block.native?.[format] }
  const fault = format === "gemini" && block.fault !== undefined && block.fault !== "encoded"
  return {
    id: block.id,
    name: block.name,
    arguments: fault ? {} : argumentsOf(block),
    custom: takesFreeText(format) && block.custom === true,
  }
}

/** Items of a response are known by their id, which stands for a signature where none was given. */
const read = (format: string, block: Block): unknown => {
  if (block.type !== "thinking" || format !== "openai-responses") return kept(format, block)
  const item = block.native?.[format] as Wire
  return kept(format, block.signature === item["id"] ? { type: "thinking", text: block.text } : block)
}

const originals = (losses: readonly Loss[]): string =>
  losses.map(({ original }) => (typeof original === "string" ? original : jsonText(original ?? ""))).join("\n")

/** Spans of code are named after the id of the answer. */
const withoutSpan = (block: Block): Block => (block.type === "opaque" ? { ...block, span: "" } : block)

describe.each(writtenFormats)("a stream of %s", (format) => {
  it("reads as the message it was written from, and its provider could have sent it", () => {
    fc.assert(
      fc.property(message, usage, sizes, (given, counted, cuts) => {
        const made = arranged(format, given)
        const { events, losses } = streamOf(made, format, { id: "resp_1", cut: cutterOf(cuts), ...(counted && { usage: counted }) })
        expect(judgeStream(format, events)).toEqual([])
        const recorded = record(format, dataOf(events))
        expect(recorded.complete).toBe(true)
        expect(recorded.problems.filter(({ rule }) => rule !== "invalid-arguments")).toEqual([])
        expect(recorded.message.blocks.map((block) => read(format, block))).toEqual(made.blocks.map((block) => kept(format, block)))
        expect([recorded.usage?.inputTokens, recorded.usage?.outputTokens]).toEqual([counted?.inputTokens, counted?.outputTokens])
        for (const [index, block] of made.blocks.entries()) {
          const named = losses.filter(({ place }) => place.block === index).map(({ feature }) => feature)
          const expected = block.type === "thinking" ? (block.signature !== undefined && !signs(format) ? ["thinking-signature"] : []) : []
          if (block.type === "call" && block.custom === true && !takesFreeText(format)) expected.push("free-text-call")
          if (block.type === "call" && format === "gemini" && block.fault !== undefined && block.fault !== "empty")
            expected.push("raw-arguments")
          expect(named).toEqual(expected)
        }
      }),
    )
  })

  it("says the same whether written in one go, piece by piece, or as a reply in one piece", () => {
    fc.assert(
      fc.property(message, usage, sizes, (given, counted, cuts) => {
        const made = arranged(format, given)
        const named = { id: "resp_1", model: "m" }
        const options = { ...named, ...(counted && { usage: counted }) }
        const whole = record(format, dataOf(streamOf(made, format, options).events))
        const recorder = createRecorder(format)
        const writer = createStreamWriter(format, named)
        const written: StreamEvent[] = []
        for (const event of streamOf(made, format, { ...options, cut: cutterOf(cuts) }).events) {
          written.push(...writer.write(recorder.push(event.data), recorder))
        }
        const recorded = recorder.end()
        written.push(...writer.end(recorded))
        expect(recorded.message).toEqual(whole.message)
        expect(judgeStream(format, written)).toEqual([])
        expect(record(format, dataOf(written)).message).toEqual(whole.message)
        const { body, losses } = replyOf(recorded, format, named)
        const answer = record(format, [format === "anthropic" ? { ...body, type: "message" } : body])
        const lost = losses.some(({ feature }) => feature === "raw-arguments")
        if (!lost)
          expect(answer.message.blocks.map((block) => kept(format, block))).toEqual(
            whole.message.blocks.map((block) => kept(format, block)),
          )
        expect([answer.stop, answer.usage]).toEqual([whole.stop, whole.usage])
      }),
    )
  })

  it("keeps the items of its own server as they are", () => {
    const item = serverItems.find((each) => each.format === format)
    if (!item) throw new Error("No server items")
    fc.assert(
      fc.property(item.items, (made) => {
        const before = record(format, item.events(made))
        const { events, losses } = streamOf(before.message, format)
        expect(losses.filter(({ feature }) => feature !== "raw-arguments")).toEqual([])
        expect(judgeStream(format, events)).toEqual([])
        expect(record(format, dataOf(events)).message.blocks.map(withoutSpan)).toEqual(before.message.blocks.map(withoutSpan))
      }),
    )
  })

  it("keeps why the model stopped", () => {
    const reasons: readonly StopReason[] = [
      "end",
      "length",
      ...(format === "anthropic" ? (["refused", "paused"] as const) : (["refused"] as const)),
    ]
    for (const stop of reasons) {
      const said: Message = { role: "assistant", blocks: [{ type: "text", text: "So" }] }
      expect(record(format, dataOf(streamOf(said, format, { stop }).events)).stop).toBe(stop)
    }
    const asked: Message = { role: "assistant", blocks: [{ type: "call", id: "a", name: "ls", arguments: {} }] }
    expect(record(format, dataOf(streamOf(asked, format).events)).stop).toBe("calls")
  })

  it("ends in an error where the recording failed, and so does the reply", () => {
    const recorder = createRecorder("openai-chat")
    const writer = createStreamWriter(format)
    const begun = writer.write(recorder.push({ choices: [{ index: 0, delta: { content: "Hal" } }] }), recorder)
    const recorded = recorder.end("cut")
    const events = [...begun, ...writer.end(recorded)]
    expect(judgeStream(format, events)).toEqual([])
    const again = record(format, dataOf(events))
    expect([again.complete, again.stop, again.error?.message]).toEqual([false, "failed", "The stream ended before the answer did"])
    expect(jsonText(replyOf(recorded, format).body)).toContain("The stream ended before the answer did")
  })

  it("can be sent as server-sent events", () => {
    const said: Message = {
      role: "assistant",
      blocks: [
        { type: "text", text: "line\n\ndata: 看 🎉\r" },
        { type: "call", id: "a", name: "ls", arguments: {} },
      ],
    }
    const { events } = streamOf(said, format)
    const reader = streamText("event-stream")
    expect([...reader.push(events.map(sseText).join("")), ...reader.end()]).toEqual(dataOf(events))
  })
})

/** A recording of a stream, and what another wire makes of it while it comes. */
const relayed = (
  events: readonly StreamEvent[],
  from: RecordedFormat,
  to: WrittenFormat,
): { readonly before: Recorded; readonly events: readonly StreamEvent[]; readonly losses: readonly Loss[] } => {
  const recorder = createRecorder(from)
  const writer = createStreamWriter(to, { id: "resp_2" })
  const written = events.flatMap((event) => writer.write(recorder.push(event.data), recorder))
  const before = recorder.end()
  return { before, events: [...written, ...writer.end(before)], losses: writer.losses }
}

const textsOf = (blocks: readonly Block[], type: "text" | "thinking"): string =>
  blocks.flatMap((block) => (block.type === type ? [block.text] : [])).join("")

describe.each(writtenFormats.flatMap((from) => writtenFormats.map((to) => [from, to] as const)))("from %s to %s", (from, to) => {
  it("every text, thinking and call arrives or is named", () => {
    fc.assert(
      fc.property(message, fc.constantFrom<StopReason | undefined>(undefined, "length"), sizes, (given, stop, cuts) => {
        const sent = streamOf(arranged(from, given), from, { id: "resp_1", cut: cutterOf(cuts), ...(stop && { stop }) })
        const { before, events, losses } = relayed(sent.events, from, to)
        expect(judgeStream(to, events)).toEqual([])
        const after = record(to, dataOf(events))
        expect(after.complete).toBe(true)
        const said = (type: "text" | "thinking", blocks: readonly Block[]): string => textsOf(blocks, type).replaceAll("\n\n", "")
        for (const type of ["text", "thinking"] as const) expect(said(type, after.message.blocks)).toBe(said(type, before.message.blocks))
        const [asked, arrived] = [before, after].map((each) => each.message.blocks.filter((block) => block.type === "call"))
        expect(arrived?.map(({ name }) => name)).toEqual(asked?.map(({ name }) => name))
        for (const [index, block] of (asked ?? []).entries()) {
          const other = arrived?.[index] as CallBlock
          if (block.id !== "") expect(other.id).toBe(block.id)
          const same = jsonText(argumentsOf(other)) === jsonText(argumentsOf(block)) || other.raw === block.raw
          if (!same) expect(originals(losses)).toContain(block.raw ?? jsonText(block.arguments))
        }
        expect(after.stop).toBe(before.stop)
      }),
      { numRuns: 60 },
    )
  })
})
