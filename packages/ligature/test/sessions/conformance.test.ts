import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { convert, decode, fileValueOf, hasLines, type SessionCodec } from "../../src/convert/index.ts"
import { sessionCodecs } from "../../src/registry/sessions.ts"
import { openDocument } from "../../src/document/index.ts"
import { check, settle } from "../../src/rules/index.ts"
import { callsOf, type Conversation, flatten, resultText } from "../../src/model/index.ts"
import { Choices, damageHistory, generateHistory, judges } from "../../src/testing/index.ts"
import { tokenOf } from "../../src/testing/valid.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

/** One suite for all session codecs: an implementation has nothing to add but what is its own. */

const choices = fc.array(fc.nat(), { minLength: 40, maxLength: 160, size: "max" })
const targets = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const

const generated = (numbers: readonly number[]): Conversation =>
  settle({ format: "ligature", messages: generateHistory(new Choices(numbers)).messages }).conversation

/** The file a session would be, and what a reader makes of its text. */
const fileText = (codec: SessionCodec, encoded: unknown): string => {
  const value = fileValueOf(codec, encoded)
  return hasLines(codec, encoded) && Array.isArray(value)
    ? value.map((record) => `${JSON.stringify(record)}\n`).join("")
    : JSON.stringify(value)
}

/** Calls with their outcomes, by the tokens that generated histories carry. */
const outcomesOf = (conversation: Conversation): readonly unknown[] =>
  conversation.items.flatMap((item) => {
    if (item.role !== "exchange") return []
    return callsOf(item).map((call, index) => {
      const outcome = item.outcomes[index]
      return [call.name, outcome?.result ? tokenOf(resultText(outcome.result)) : undefined]
    })
  })

const words = (conversation: Conversation): readonly string[] =>
  flatten(conversation).messages.flatMap(({ role, blocks }) =>
    blocks.flatMap((block) => (block.type === "text" ? [`${role} ${tokenOf(block.text) ?? block.text.trim()}`] : [])),
  )

const hostileRecord = fc.oneof(
  fc.anything({ withBigInt: false }),
  fc.record(
    {
      type: fc.constantFrom(
        "user",
        "assistant",
        "message",
        "session",
        "response_item",
        "session_meta",
        "tool_call",
        "summary",
        "system",
        "compacted",
        "event_msg",
        "gemini",
        "toolResult",
        "assistant.message",
        "tool.execution_complete",
      ),
      uuid: fc.constantFrom("a", "b", "c", 1, null),
      parentUuid: fc.constantFrom("a", "b", "c", "d", 1, null),
      id: fc.constantFrom("a", "b", "c", 1, null),
      parentId: fc.constantFrom("a", "b", "c", "d", null),
      sessionId: fc.constant("s"),
      isSidechain: fc.anything(),
      role: fc.constantFrom("user", "assistant", "tool", 7),
      content: fc.anything(),
      data: fc.anything(),
      payload: fc.oneof(
        fc.anything(),
        fc.record({
          type: fc.constantFrom("message", "function_call", "function_call_output"),
          call_id: fc.anything(),
          content: fc.anything(),
        }),
      ),
      message: fc.oneof(
        fc.anything(),
        fc.record({ role: fc.constantFrom("user", "assistant"), id: fc.anything(), content: fc.anything() }),
      ),
      messages: fc.anything(),
      parts: fc.anything(),
      history: fc.anything(),
      info: fc.anything(),
      $rewindTo: fc.anything(),
      $set: fc.anything(),
    },
    { requiredKeys: [] },
  ),
)

for (const codec of Object.values(sessionCodecs)) {
  const { layout, writes } = codec.session

  describe(`${codec.format} sessions`, () => {
    it("never throw, whatever their file holds", () => {
      const property = fc.property(fc.array(hostileRecord, { maxLength: 12 }), (records) => {
        for (const value of [records, { records }, { messages: records }, records[0], { history: records }]) {
          const transcript = codec.decode(value)
          codec.session.outline(value)
          for (const view of ["whole", "effective"] as const) codec.decode(value, { view, branch: "b" })
          const { conversation } = settle(transcript)
          if (writes !== "none") codec.encode(conversation)
        }
        codec.session.recognise({ syntax: layout === "lines" ? "lines" : "value", records })
        for (const record of records) codec.session.pulse?.(record)
      })
      fc.assert(property, { numRuns: 200, seed: 31 })
    })
  })

  if (writes !== "any") continue

  describe(`${codec.format} sessions that were written`, () => {
    it("are recognised, healthy, and say what the conversation said", () => {
      const property = fc.property(choices, (numbers) => {
        const before = generated(numbers)
        const document = openDocument(fileText(codec, codec.encode(before)))
        expect(document.parts.map(({ format }) => format)).toEqual([codec.format])
        const [part] = document.parts
        const transcript = decode(resolveCodec(codec.format), part?.value)
        expect(check(transcript).filter(({ severity }) => severity === "error")).toEqual([])
        const { conversation } = settle(transcript)
        expect(outcomesOf(conversation)).toEqual(outcomesOf(before))
        const kept = new Set(words(conversation).map((word) => word.replace(/^\w+ /, "")))
        for (const word of words(before)) if (/ \d+$/.test(word)) expect(kept).toContain(word.replace(/^\w+ /, ""))
      })
      fc.assert(property, { numRuns: 60, seed: 32 })
    })

    it("come back with the very same text when nobody touches them", () => {
      const property = fc.property(choices, (numbers) => {
        const text = fileText(codec, codec.encode(generated(numbers)))
        const document = openDocument(text)
        const [part] = document.parts
        if (part === undefined) throw new Error("Expected a session")
        const { value } = convert(part.value, { from: resolveCodec(codec.format), to: resolveCodec(codec.format), tip: "open" })
        expect(document.rebuild(new Map([[part, value]]))).toBe(text)
      })
      fc.assert(property, { numRuns: 60, seed: 33 })
    })

    it("give requests that every main provider takes, also after damage", () => {
      const property = fc.property(choices, (numbers) => {
        const source = new Choices(numbers)
        const damaged = damageHistory(generateHistory(source).messages, source)
        const { conversation } = settle({ format: "ligature", messages: damaged.messages })
        const value = fileValueOf(codec, codec.encode(conversation))
        for (const to of targets) {
          const request = convert(value, { from: resolveCodec(codec.format), to, extras: "strip" }).value
          expect(judges[to](JSON.parse(JSON.stringify(request))), to).toEqual({ ok: true })
        }
      })
      fc.assert(property, { numRuns: 40, seed: 34 })
    })
  })
}
