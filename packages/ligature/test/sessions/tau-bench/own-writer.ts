/**
 * What every codec must keep that writes only its own sessions: generated histories, built as its records, then
 * damaged.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { SessionCodec } from "../../../src/formats/engine/session.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { type Block, flatten, type Message, resultText, type Transcript } from "../../../src/model/index.ts"
import { Choices, damageHistory, generateHistory } from "../../../src/testing/index.ts"
import { damages, idDamages } from "../../../src/testing/damage.ts"
import { tokenOf } from "../../../src/testing/valid.ts"

const choices = fc.array(fc.nat(), { minLength: 40, maxLength: 200, size: "max" })

/** What a conversation says, without what only one format can say: how results are carried, how text is divided. */
export const gist = (messages: readonly Message[]): unknown =>
  messages.flatMap(({ role, blocks }) => {
    const words = blocks.flatMap((block: Block) => (block.type === "text" ? [block.text] : [])).join("\n")
    const rest = blocks.flatMap((block: Block): unknown[] => {
      if (block.type === "call") return [{ call: block.id, name: block.name, arguments: block.arguments }]
      if (block.type === "result") return [{ result: block.callId, says: resultText(block), error: block.error === true }]
      return []
    })
    return words === "" ? rest : [{ [role]: words }, ...rest]
  })

const unsigned = (messages: readonly Message[]): readonly Message[] =>
  messages.flatMap((message) => {
    const blocks = message.blocks.filter(({ type }) => type !== "thinking")
    return blocks.length === 0 ? [] : [{ ...message, blocks }]
  })

const hostile = fc.oneof(
  fc.anything({ withBigInt: false }),
  fc.array(
    fc.record(
      {
        role: fc.oneof(
          fc.constantFrom("user", "assistant", "tool", "ai", "human", "remove", "__proto__"),
          fc.anything({ withBigInt: false }),
        ),
        type: fc.oneof(fc.constantFrom("ai", "tool", "human", "remove", "constructor"), fc.anything({ withBigInt: false })),
        kind: fc.constantFrom("ActionEvent", "ObservationEvent", "MessageEvent", "Condensation", "AgentErrorEvent", "x"),
        action: fc.constantFrom("message", "run", "condensation", "finish", "system"),
        observation: fc.oneof(fc.constantFrom("run", "error", "delegate"), fc.anything({ withBigInt: false })),
        source: fc.constantFrom("agent", "user", "environment"),
        id: fc.oneof(fc.nat(5), fc.string(), fc.anything({ withBigInt: false })),
        args: fc.anything({ withBigInt: false }),
        content: fc.anything({ withBigInt: false }),
        parts: fc.oneof(
          fc.anything({ withBigInt: false }),
          fc.array(
            fc.record({
              type: fc.constantFrom("text", "tool_call", "tool_result", "finish", "x"),
              data: fc.anything({ withBigInt: false }),
            }),
          ),
        ),
        tool_calls: fc.oneof(fc.array(fc.anything({ withBigInt: false })), fc.anything({ withBigInt: false })),
        tool_call_ids: fc.anything({ withBigInt: false }),
        tool_call: fc.anything({ withBigInt: false }),
        llm_message: fc.anything({ withBigInt: false }),
        tool_call_metadata: fc.anything({ withBigInt: false }),
        forgotten_event_ids: fc.anything({ withBigInt: false }),
        kwargs: fc.anything({ withBigInt: false }),
        cause: fc.nat(5),
        requestor: fc.constantFrom("user", "assistant"),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 8 },
  ),
)

/** Also for codecs that write nothing. */
export const describeNeverThrows = (codec: SessionCodec, keys: readonly string[]): void => {
  describe(`${codec.format} codec`, () => {
    it("says so where a branch is asked for that is not there, and only then", () => {
      const [key = "messages"] = keys
      const rules = (branch: string | undefined): readonly string[] =>
        (codec.decode({ [key]: [] }, branch === undefined ? {} : { branch }).diagnostics ?? []).map(({ rule }) => rule)
      expect(rules(undefined)).toEqual([])
      expect(rules(codec.session.outline({ [key]: [] }).paths[0]?.id)).toEqual([])
      expect(rules("elsewhere")).toEqual(["unknown-record"])
    })

    it("never throws, whatever it is given to read", () => {
      const property = fc.property(hostile, (value) => {
        for (const held of [value, ...keys.map((key) => ({ [key]: value }))]) {
          for (const view of ["whole", "effective"] as const) {
            const { conversation } = settle(codec.decode(held, { view, branch: "none" }))
            if (codec.session.writes !== "none") codec.encode(conversation)
          }
          codec.session.outline(held)
          codec.session.sessionsIn?.(held)
          codec.session.recognise({ syntax: "value", records: [held] })
          if (Array.isArray(held)) codec.session.recognise({ syntax: "lines", records: held })
          codec.session.pulse?.(held)
        }
      })
      fc.assert(property, { numRuns: 400, seed: 3 })
    })
  })
}

export interface OwnWriter {
  readonly codec: SessionCodec
  readonly build: (messages: readonly Message[]) => unknown
  readonly recordsOf: (value: unknown) => readonly unknown[]
}

export const describeOwnWriter = ({ codec, build, recordsOf }: OwnWriter): void => {
  describe(`${codec.format} sessions`, () => {
    it("are read as what they say, and come back as the very same records where they are healthy", () => {
      const property = fc.property(choices, (numbers) => {
        const history = generateHistory(new Choices(numbers))
        const messages = unsigned(history.messages)
        const healthy = settle({ format: "ligature", messages })
        if (healthy.report.entries.length > 0) return
        const value = build(messages)
        const transcript = codec.decode(value)
        const { conversation, report } = settle(transcript)
        expect(report.entries).toEqual([])
        expect(gist(flatten(conversation).messages)).toEqual(gist(flatten(healthy.conversation).messages))
        const written = recordsOf(codec.encode(conversation))
        expect(written.length).toBe(recordsOf(value).length)
        written.forEach((record, index) => expect(record).toBe(recordsOf(value)[index]))
      })
      fc.assert(property, { numRuns: 150, seed: 4 })
    })

    it("are repaired so that nothing is left to repair, with every result that was there", () => {
      const property = fc.property(choices, (numbers) => {
        const stream = new Choices(numbers)
        const history = generateHistory(stream)
        const { messages } = damageHistory(unsigned(history.messages), stream, { ...damages, ...idDamages }, 4)
        const value = build(messages)
        const before = JSON.stringify(value)
        const transcript = codec.decode(value)
        const { conversation } = settle(transcript)
        const written = JSON.parse(JSON.stringify(codec.encode(conversation))) as unknown
        expect(JSON.stringify(value), "the input is never touched").toBe(before)
        const reread: Transcript = codec.decode(written)
        expect(check(reread).filter(({ severity }) => severity !== "info")).toEqual([])
        const again = settle(reread)
        expect(gist(flatten(again.conversation).messages)).toEqual(gist(flatten(conversation).messages))
        expect(JSON.stringify(codec.encode(again.conversation))).toBe(JSON.stringify(written))
        const text = JSON.stringify(written)
        for (const message of flatten(conversation).messages) {
          for (const block of message.blocks) {
            const token = block.type === "result" ? tokenOf(resultText(block)) : undefined
            if (token !== undefined) expect(text).toContain(`⟦${token}⟧`)
          }
        }
      })
      fc.assert(property, { numRuns: 200, seed: 5, endOnFailure: true })
    })
  })
}
