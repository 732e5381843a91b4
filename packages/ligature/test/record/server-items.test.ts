/**
 * What a provider's own tools leave in an answer is recorded as it is decoded: same text for other providers, same wire
 * value for its own. One reader per wire value makes it so; this would find a second one.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decode, encode } from "../../src/convert/index.ts"
import { settle } from "../../src/rules/index.ts"
import { historyOf, record } from "./record.ts"
import { resolveCodec } from "../../src/registry/registry.ts"
import { serverItems } from "./server-items.ts"

describe.each(serverItems)("answers with server-side items: $format", ({ format, items, events, request }) => {
  it("are recorded as they are decoded", () => {
    fc.assert(
      fc.property(items, (made) => {
        const recorded = record(format, events(made))
        expect(recorded.problems.filter(({ rule }) => rule !== "invalid-arguments")).toEqual([])
        expect(recorded.message).toEqual(decode(resolveCodec(format), request(made)).messages.at(-1))
      }),
    )
  })

  it("say the same to another provider, whether recorded or decoded", () => {
    const target = format === "anthropic" ? "openai-chat" : "anthropic"
    fc.assert(
      fc.property(items, (made) => {
        const spoken = settle(historyOf(format, record(format, events(made))), { tip: "open" }).conversation
        const decoded = settle(decode(resolveCodec(format), request(made)), { tip: "open" }).conversation
        expect(encode(spoken, target).value).toEqual(encode(decoded, target).value)
      }),
    )
  })
})
