import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { convert, decode } from "../../src/codecs/index.ts"
import { openDocument, listKeyOf } from "../../src/codecs/document/index.ts"
import { check } from "../../src/laws/index.ts"
import { judges } from "../../src/testing/index.ts"

const corpus = process.env["LIGATURE_CORPUS"]
const folders = ["anthropic-messages", "openai-messages", "openai-responses", "tau-bench", "cline-api", "sharegpt"]
const targets = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const

if (corpus === undefined) console.log("corpus: skipped, LIGATURE_CORPUS is not set")

describe.skipIf(corpus === undefined)("every conversation of the corpus", () => {
  for (const folder of folders) {
    const path = join(corpus ?? "", folder)
    const files = existsSync(path) ? readdirSync(path) : []
    for (const file of files) {
      it(`${folder}/${file} converts into the four main formats, valid every time`, () => {
        for (const part of openDocument(readFileSync(join(path, file))).parts) {
          for (const to of targets) {
            const { value } = convert(part.value, { from: part.format, to, extras: "strip" })
            // The history is judged, not the model of the recorded request: some models refuse a final assistant message.
            const { model: _, ...body } = value
            const verdict = judges[to](JSON.parse(JSON.stringify(body)))
            expect(verdict, `${part.path} ${part.format} → ${to}`).toEqual({ ok: true })
          }
        }
      })

      it(`${folder}/${file} comes back deep-equal in its own format where it is healthy`, () => {
        for (const part of openDocument(readFileSync(join(path, file))).parts) {
          const tip = "open"
          if (check(decode(part.format, part.value), { tip }).length > 0) continue
          const { value } = convert(part.value, { from: part.format, to: part.format, tip })
          const list = Array.isArray(part.value) ? value[listKeyOf(part.format)] : value
          expect(list, part.path).toEqual(part.value)
        }
      })
    }
  }
})
