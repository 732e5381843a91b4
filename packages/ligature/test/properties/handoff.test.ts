import fc from "fast-check"
import { describe, it } from "vitest"
import { codecs } from "../../src/convert/index.ts"
import { settle } from "../../src/rules/index.ts"
import { Choices, damageHistory, expectValid, generateHistory } from "../../src/testing/index.ts"
import { damages } from "../../src/testing/damage.ts"

const targets = ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-claude", "template-strict"]

/** Formats that say calls by name and position alone cannot keep counters apart once a message is lost. */
const choices = fc.array(fc.nat(), { minLength: 40, maxLength: 200, size: "max" })

describe("a history of every format", () => {
  for (const codec of Object.values(codecs)) {
    it(`${codec.format}: goes to every other format with each result at its call`, () => {
      const property = fc.property(choices, (numbers) => {
        const { messages } = generateHistory(new Choices(numbers))
        const { conversation } = settle({ format: "ligature", messages })
        expectValid(codec.decode(codec.encode(conversation)), { tokens: true, profiles: targets })
      })
      fc.assert(property, { numRuns: 60, seed: 1 })
    })

    it(`${codec.format}: is valid after messages of its wire list were lost, doubled or moved`, () => {
      const property = fc.property(choices, (numbers) => {
        const stream = new Choices(numbers)
        const { messages } = generateHistory(stream)
        const { conversation } = settle({ format: "ligature", messages })
        const transcript = codec.decode(codec.encode(conversation))
        const damaged = damageHistory(transcript.messages, stream, damages)
        expectValid({ ...transcript, messages: damaged.messages }, { profiles: targets })
      })
      fc.assert(property, { numRuns: 60, seed: 2 })
    })
  }
})
