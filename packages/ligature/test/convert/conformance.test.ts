import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { codecs } from "../../src/convert/index.ts"
import { requestListKey } from "../../src/document/index.ts"
import type { WireFormat } from "../../src/registry/registry.ts"
import { check, settle } from "../../src/rules/index.ts"
import { type Conversation, flatten, type Wire } from "../../src/model/index.ts"
import { Choices, generateHistory } from "../../src/testing/index.ts"
import { tokenOf } from "../../src/testing/valid.ts"

/** One suite for all codecs: an implementation has nothing to add but what is its own. */

const choices = fc.array(fc.nat(), { minLength: 40, maxLength: 200, size: "max" })

const generated = (numbers: readonly number[]): Conversation =>
  settle({ format: "ligature", messages: generateHistory(new Choices(numbers)).messages }).conversation

const hostile = fc.oneof(
  fc.anything({ withBigInt: false }),
  fc.json().map((text) => JSON.parse(text) as unknown),
  fc.array(
    fc.record(
      {
        role: fc.oneof(fc.constantFrom("user", "assistant", "tool", "system", "model", "constructor"), fc.anything()),
        type: fc.oneof(fc.constantFrom("message", "function_call", "function_call_output", "reasoning"), fc.anything()),
        content: fc.oneof(
          fc.string(),
          fc.array(
            fc.record(
              {
                type: fc.constantFrom("text", "tool_use", "tool_result", "thinking", "image", "tool-call", "tool-result", "x"),
                text: fc.anything(),
                id: fc.anything(),
                input: fc.anything(),
                content: fc.anything(),
                tool_use_id: fc.anything(),
              },
              { requiredKeys: [] },
            ),
          ),
          fc.anything(),
        ),
        parts: fc.array(fc.anything()),
        tool_calls: fc.anything(),
        call_id: fc.anything(),
        value: fc.anything(),
        from: fc.constantFrom("human", "gpt", "function_call", "observation"),
      },
      { requiredKeys: [] },
    ),
  ),
)

for (const codec of Object.values(codecs)) {
  const key = requestListKey[codec.format as WireFormat]
  const listOf = (body: Wire): readonly unknown[] => body[key] as readonly unknown[]

  describe(`${codec.format} codec`, () => {
    it("never throws, whatever it is given to read", () => {
      const property = fc.property(hostile, (value) => {
        for (const body of [value, { [key]: value }]) {
          const { conversation } = settle(codec.decode(body))
          codec.encode(conversation)
          codec.encode(conversation, { extras: "strip" })
        }
      })
      fc.assert(property, { numRuns: 300, seed: 3 })
    })

    it("gives back deep-equal what it wrote, and the very same messages", () => {
      const property = fc.property(choices, (numbers) => {
        const written = JSON.parse(JSON.stringify(codec.encode(generated(numbers)))) as Wire
        const before = JSON.stringify(written)
        const transcript = codec.decode(written)
        expect(check(transcript).filter((finding) => finding.severity === "error")).toEqual([])
        if (check(transcript).length > 0) return
        const again = codec.encode(settle(transcript).conversation)
        expect(again).toEqual(written)
        listOf(again).forEach((message, index) => expect(message).toBe(listOf(written)[index]))
        expect(JSON.stringify(written), "the input is never touched").toBe(before)
      })
      fc.assert(property, { numRuns: 100, seed: 4 })
    })

    it("keeps fields it does not know, with the value they came on", () => {
      const property = fc.property(choices, (numbers) => {
        const plain = codec.encode(generated(numbers))
        const written = { ...plain, note: "envelope", [key]: listOf(plain).map((message) => ({ ...(message as Wire), "x-note": 1 })) }
        const transcript = codec.decode(written)
        if (check(transcript).length > 0) return
        expect(codec.encode(settle(transcript).conversation)).toEqual(written)
      })
      fc.assert(property, { numRuns: 60, seed: 5 })
    })

    it("never changes what is before the tip when something is appended", () => {
      const property = fc.property(choices, fc.nat(), (numbers, cut) => {
        const whole = generated(numbers)
        const { messages } = flatten(whole)
        const prefix = settle({ format: "ligature", messages: messages.slice(0, cut % (messages.length + 1)) }, { tip: "open" })
        const shorter = listOf(codec.encode(prefix.conversation)).slice(0, -1)
        const longer = listOf(codec.encode(whole)).slice(0, shorter.length)
        expect(JSON.stringify(longer)).toBe(JSON.stringify(shorter))
      })
      fc.assert(property, { numRuns: 100, seed: 6 })
    })

    it("says every result of a conversation from another format", () => {
      const property = fc.property(choices, (numbers) => {
        const conversation = generated(numbers)
        const written = JSON.stringify(codec.encode(conversation))
        for (const { blocks } of flatten(conversation).messages) {
          for (const block of blocks) {
            const token = block.type === "result" ? tokenOf(JSON.stringify(block.content)) : undefined
            if (token !== undefined) expect(written).toContain(`⟦${token}⟧`)
          }
        }
      })
      fc.assert(property, { numRuns: 60, seed: 8 })
    })
  })
}
