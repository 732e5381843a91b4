/**
 * Recorded histories against the promises of compaction. Needs LIGATURE_CORPUS; LIGATURE_CORPUS_FILES sets how many
 * per folder.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "vitest"
import { decode } from "../../src/convert/index.ts"
import { openDocument } from "../../src/document/index.ts"
import { cap, compact, dedupe, digest, generations, ladder, mask, pipeline, truncate, window } from "../../src/compact/index.ts"
import { profileNames, settle } from "../../src/rules/index.ts"
import { expectCompaction } from "./conformance.ts"
import { expectMoreShown } from "./growing.ts"

const corpus = process.env["LIGATURE_CORPUS"]
const perFolder = Number(process.env["LIGATURE_CORPUS_FILES"] ?? 2)
if (corpus === undefined) console.log("corpus: skipped, LIGATURE_CORPUS is not set")

const strategies = [
  window({ keepFirst: 1, keepLast: 40 }),
  truncate(),
  pipeline(dedupe(), cap({ tokens: 500 }), mask({ keep: 2 }), window()),
  ladder(dedupe(), mask(), window()),
  digest(),
  generations(),
]
const perView = 4

/** A few profiles for each view, in turn: the views of one history go through all of them more than once. */
const profilesAt = (turn: number): readonly string[] =>
  Array.from({ length: perView }, (_, at) => profileNames[(turn * perView + at) % profileNames.length] ?? "anthropic")

describe.skipIf(corpus === undefined)("conversations of the corpus", () => {
  for (const folder of corpus === undefined ? [] : readdirSync(corpus)) {
    const path = join(corpus ?? "", folder)
    if (!statSync(path).isDirectory() || folder === "crush") continue
    for (const file of readdirSync(path).slice(0, perFolder)) {
      it(`${folder}/${file} is compacted lawfully by every strategy`, () => {
        for (const part of openDocument(readFileSync(join(path, file))).parts.slice(0, 2)) {
          const { conversation } = settle(decode(part.format, part.value))
          let turn = 0
          for (const strategy of strategies) {
            for (const budget of ["3%", "15%", "60%"] as const) {
              expectCompaction({ conversation, options: { budget, strategy }, profiles: profilesAt(turn++) })
            }
          }
          for (const strategy of [digest(), window()]) {
            for (const tokens of [200, 1500, 8000]) expectMoreShown(conversation, tokens, strategy)
          }
          compact(conversation, { budget: { bytes: 20_000 }, strategy: window() })
        }
      }, 120_000)
    }
  }
})
