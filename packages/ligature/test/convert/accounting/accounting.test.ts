/**
 * Every text that goes in comes out: in what was written, or in the report. Held for values that no format documents, put
 * into histories of every format: repaired in their own format, and converted to every API.
 */
import { describe, expect, it } from "vitest"
import { convert, repair } from "../../../src/convert/index.ts"
import type { Markers } from "./foreign-shapes.ts"
import { apis, inputsOf, sessions } from "./sources.ts"
import { resolveCodec } from "../../../src/registry/registry.ts"

const providers = ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-converse"]
const targets = [...providers, "ai-sdk-model", "ai-sdk-ui", "sharegpt", "otel-messages", "xml-text"]
const runs = Number(process.env["LIGATURE_ACCOUNTS"] ?? 60)

/** Texts that went in and are nowhere to be seen. */
const missing = (markers: Markers, written: unknown, report: unknown): readonly string[] => {
  const seen = JSON.stringify([written, report])
  return markers.all.filter((marker) => !seen.includes(marker))
}

describe.each([...apis, ...sessions].map((source) => [source.format, source] as const))("%s", (format, source) => {
  const inputs = inputsOf(source, runs)

  it.skipIf(source.readOnly === true)("loses no text when it is repaired", () => {
    for (const { markers, value } of inputs) {
      const { value: written, report } = repair(value, { from: resolveCodec(format) })
      expect(missing(markers, written, report), JSON.stringify(value)).toEqual([])
    }
  })

  it.each(targets)("loses no text on the way to %s", (to) => {
    for (const { markers, value } of inputs) {
      const { value: written, report } = convert(value, { from: resolveCodec(format), to: resolveCodec(to) })
      expect(missing(markers, written, report), JSON.stringify(value)).toEqual([])
    }
  })
})

describe.each(apis.map((source) => [source.format, source] as const))("foreign shapes in %s", (format, source) => {
  it.each(providers)("reach the model where they are content, on the way to %s", (to) => {
    for (const { markers, value } of inputsOf(source, runs)) {
      const written = JSON.stringify(convert(value, { from: resolveCodec(format), to: resolveCodec(to) }).value)
      expect(
        markers.content.filter((marker) => !written.includes(marker)),
        JSON.stringify(value),
      ).toEqual([])
    }
  })
})

it("a sentence where a tag belongs is told as lost", () => {
  const part = { type: "text", text: "Hi.", state: "waiting for somebody" }
  const messages = [
    { id: "1", role: "user", parts: [{ type: "text", text: "Hello" }] },
    { id: "2", role: "assistant", parts: [part] },
  ]
  const { report } = convert({ messages }, { from: "ai-sdk-ui", to: "openai-chat" })
  expect(JSON.stringify(report.losses)).toContain("waiting for somebody")
})
