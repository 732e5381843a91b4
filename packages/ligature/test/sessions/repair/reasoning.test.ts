import { describe, expect, it } from "vitest"
import { type SessionCodec } from "../../../src/convert/index.ts"
import { findSession } from "../../../src/registry/registry.ts"
import { isWire } from "../../../src/model/index.ts"
import { brokenPromises } from "./promises.ts"
import { seeds } from "./seeds.ts"

/** Where these formats keep the proof of who wrote the reasoning. */
const proofs: ReadonlySet<string> = new Set(["signature", "thinkingSignature", "encrypted_content", "reasoningOpaque", "encryptedContent"])

const changed = (value: unknown, field: (key: string, value: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((each) => changed(each, field))
  if (!isWire(value)) return value
  const fields = Object.entries(value).map(([key, each]) => [key, changed(field(key, each), field)] as const)
  return Object.fromEntries(fields.filter(([, each]) => each !== undefined))
}

const damages: Readonly<Record<string, (key: string, value: unknown) => unknown>> = {
  "without proof": (key, value) => (proofs.has(key) ? undefined : value),
  "with an empty proof": (key, value) => (proofs.has(key) ? "" : value),
  "with a word for a proof": (key, value) => (proofs.has(key) ? "reasoning_content" : value),
  "without proof, cut inside of a character": (key, value) => (proofs.has(key) ? undefined : value === "hm" ? "hm \ud83d" : value),
  "cut inside of a character": (_, value) => (value === "hm" ? "hm \ud83d" : value),
}

describe("reasoning in a session", () => {
  for (const [format, files] of Object.entries(seeds)) {
    for (const [name, damage] of Object.entries(damages)) {
      it(`${name} is repaired for good as ${format}`, () => {
        for (const file of files) {
          const damaged: unknown = JSON.parse(JSON.stringify(changed(file, damage)))
          expect(brokenPromises(findSession(format) as SessionCodec, damaged)).toEqual([])
        }
      })
    }
  }
})
