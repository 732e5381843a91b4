/**
 * What every recorder promises: the message of a stream is the message of an answer in one piece; how the stream was
 * cut into events and the text into chunks makes no difference; wherever it breaks off, what is left can be settled and
 * sent, and no half call can be executed.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decode, encode } from "../../src/convert/index.ts"
import { settle, resolveProfile } from "../../src/rules/index.ts"
import type { CallBlock, Conversation, Wire } from "../../src/model/index.ts"
import { createRecorder, isExecutable, streamText } from "../../src/record/index.ts"
import { expectValid } from "../../src/testing/index.ts"
import { historyOf, record } from "./record.ts"
import { type Answer, anyAnswer, callsIn, cutterOf, type Renderer } from "./render/answer.ts"
import { renderers } from "./render/index.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const sizes = fc.array(fc.nat(40), { minLength: 1, maxLength: 8 })

const arranged = (renderer: Renderer): fc.Arbitrary<Answer> => anyAnswer.map((answer) => renderer.arrange?.(answer) ?? answer)

/** The stream as the body of a response. */
const bodyOf = (events: readonly unknown[], lineEnd: string): string =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}${lineEnd}${lineEnd}`).join("")

const callsOf = (blocks: readonly { readonly type: string }[]): readonly CallBlock[] =>
  blocks.filter((block): block is CallBlock => block.type === "call")

describe.each(renderers.map((renderer) => [renderer.name ?? renderer.format, renderer] as const))("%s", (_, renderer) => {
  const { format, profile } = renderer

  it("gives the message that an answer in one piece gives", () => {
    fc.assert(
      fc.property(arranged(renderer), sizes, (answer, cuts) => {
        const recorded = record(format, renderer.events(answer, cutterOf(cuts)))
        expect(recorded.complete).toBe(true)
        expect(recorded.problems).toEqual([])
        expect(recorded.stop).toBe(callsIn(answer).length > 0 ? "calls" : "end")
        const whole = decode(resolveCodec(format), renderer.request(renderer.plain(answer))).messages.at(-1)
        expect(recorded.message).toEqual(whole)
      }),
    )
  })

  it("is written back into its own format as the answer in one piece, and reads as it was recorded", () => {
    fc.assert(
      fc.property(arranged(renderer), sizes, (answer, cuts) => {
        const recorded = record(format, renderer.events(answer, cutterOf(cuts)))
        const { conversation } = settle(historyOf(format, recorded), { tip: "open" })
        const whole = settle(decode(resolveCodec(format), renderer.request(renderer.plain(answer))), { tip: "open" }).conversation
        const write = (spoken: Conversation): Wire => resolveCodec(format).encode(spoken)
        const said = (request: Wire): readonly unknown[] => renderer.listOf(request).slice(1)
        expect(said(write(conversation))).toEqual(said(write(whole)))
        if (profile !== undefined) {
          expect(said(encode(conversation, resolveProfile(profile)).value)).toEqual(said(encode(whole, resolveProfile(profile)).value))
        }
        // A message of nothing but thinking has no words to be beside it everywhere, and is written with empty ones.
        if (answer.parts.every((part) => part.type === "thinking")) return
        expect(said(write(conversation))).toEqual(renderer.plain(answer))
        expect(decode(resolveCodec(format), write(conversation)).messages.at(-1)).toEqual(recorded.message)
      }),
    )
  })

  it("does not depend on how the body is cut into chunks or events", () => {
    fc.assert(
      fc.property(arranged(renderer), sizes, sizes, fc.constantFrom("\n", "\r\n", "\r"), (answer, cuts, chunks, lineEnd) => {
        const events = renderer.events(answer, cutterOf(cuts))
        const text = streamText("event-stream")
        const recorder = createRecorder(format)
        for (const chunk of cutterOf(chunks)(bodyOf(events, lineEnd))) for (const event of text.push(chunk)) recorder.push(event)
        for (const event of text.end()) recorder.push(event)
        expect(recorder.end()).toEqual(record(format, renderer.events(answer, cutterOf([40]))))
      }),
      { numRuns: 50 },
    )
  })

  it("tells a screen everything the blocks say, in order", () => {
    fc.assert(
      fc.property(arranged(renderer), sizes, (answer, cuts) => {
        const recorder = createRecorder(format)
        const texts: string[] = []
        const open = new Set<number>()
        const ended = new Set<number>()
        for (const event of renderer.events(answer, cutterOf(cuts))) {
          for (const told of recorder.push(event)) {
            if (told.type.endsWith("-start")) open.add(told.block)
            if ("delta" in told) {
              expect(open.has(told.block)).toBe(true)
              texts[told.block] = (texts[told.block] ?? "") + told.delta
            }
            if (told.type.endsWith("-end")) ended.add(told.block)
          }
        }
        const { blocks } = recorder.end().message
        expect([...open].sort()).toEqual([...blocks.keys()].sort())
        expect([...ended].sort()).toEqual([...blocks.keys()].sort())
        for (const [index, block] of blocks.entries()) {
          if (block.type === "text" || block.type === "thinking") expect(texts[index] ?? "").toBe(block.text)
          if (block.type === "call" && texts[index] !== undefined) expect(JSON.parse(texts[index] as string)).toEqual(block.arguments)
        }
      }),
    )
  })

  it("cut anywhere, it can be settled and sent, and holds no half call that could be executed", () => {
    fc.assert(
      fc.property(arranged(renderer), sizes, fc.constantFrom("cut", "error", "abort", "complete"), (answer, cuts, cause) => {
        const events = renderer.events(answer, cutterOf(cuts))
        const asked = callsIn(answer)
        for (let count = 0; count < events.length; count++) {
          const recorder = createRecorder(format)
          for (const event of events.slice(0, count)) recorder.push(event)
          const draft = recorder.draft()
          const recorded = recorder.end(cause)
          for (const call of [...callsOf(recorded.message.blocks), ...callsOf(draft.blocks)].filter(isExecutable)) {
            expect(asked.some((each) => each.id === call.id && each.name === call.name)).toBe(true)
            expect(call.arguments).toEqual(asked.find((each) => each.id === call.id)?.arguments)
          }
          if (recorded.complete) continue
          expect(recorded.problems.length).toBeGreaterThan(0)
          expect(["cut", "failed", "aborted"]).toContain(recorded.stop)
          expectValid(historyOf(format, recorded), { profiles: profile === undefined ? [] : [profile] })
        }
      }),
      { numRuns: 30 },
    )
  })

  it("cut in the middle, it can be sent to every provider", () => {
    fc.assert(
      fc.property(arranged(renderer), sizes, fc.nat(200), (answer, cuts, at) => {
        const events = renderer.events(answer, cutterOf(cuts))
        expectValid(historyOf(format, record(format, events.slice(0, at % events.length), { cause: "cut" })))
      }),
      { numRuns: 25 },
    )
  })

  it("reads the draft as cheaply as often, and the end does not depend on it", () => {
    fc.assert(
      fc.property(arranged(renderer), sizes, (answer, cuts) => {
        const events = renderer.events(answer, cutterOf(cuts))
        const recorder = createRecorder(format)
        for (const event of events) {
          recorder.push(event)
          recorder.draft()
        }
        expect(recorder.end()).toEqual(record(format, events))
      }),
      { numRuns: 50 },
    )
  })
})
