import { describe, expect, it } from "vitest"
import { digest, window } from "../../src/compact/index.ts"
import { Choices } from "../../src/testing/index.ts"
import { numbersFromSeed } from "../../src/testing/damage.ts"
import { expectMoreShown } from "./growing.ts"
import { generateConversation } from "./histories.ts"

const runs = Number(process.env["LIGATURE_COMPACTIONS"] ?? 150)

describe("a larger budget", () => {
  for (const [name, strategy] of Object.entries({ digest: digest(), window: window() })) {
    it(`of twice the tokens shows all that a ${name} showed`, () => {
      let looked = 0
      for (let seed = 1; seed <= runs; seed++) {
        const choices = new Choices(numbersFromSeed(seed, 900))
        const tokens = 130 + choices.number(choices.chance(2) ? 400 : 3000)
        looked += expectMoreShown(generateConversation(choices), tokens, strategy)
      }
      expect(looked).toBeGreaterThan(runs)
    })
  }
})
