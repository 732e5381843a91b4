/** Recorded histories, imported while they grew and once more afterwards: one conversation each. Needs LIGATURE_CORPUS. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openDocument } from "../../src/document/index.ts"
import { importInto } from "../../src/agent/index.ts"
import type { Message } from "../../src/model/index.ts"
import { memoryStore } from "../../src/store/index.ts"

const corpus = process.env["LIGATURE_CORPUS"]
if (corpus === undefined) console.log("corpus: skipped, LIGATURE_CORPUS is not set")

/** Longer files say nothing new and take their time. */
const mostBytes = 2_000_000
const partsPerFile = 5

/** What was said, without how it lies in messages: results may come one by one or together. */
const saidIn = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({ blocks }) =>
    blocks.map((block) => JSON.stringify(block, (key, value: unknown) => (key === "native" || key === "pending" ? undefined : value))),
  )

/** The lines of a session as they were when a third and two thirds of them were written. */
const statesOf = (value: unknown, hasLines: boolean): readonly unknown[] => {
  if (!hasLines || !Array.isArray(value) || value.length < 4) return [value]
  return [value.slice(0, Math.floor(value.length / 3)), value.slice(0, Math.floor((value.length * 2) / 3)), value]
}

describe.skipIf(corpus === undefined)("every conversation of the corpus", () => {
  for (const folder of corpus === undefined ? [] : readdirSync(corpus)) {
    const path = join(corpus ?? "", folder)
    if (!statSync(path).isDirectory() || folder === "crush") continue
    it(`in ${folder} is imported once, however often and however far it had got`, { timeout: 300_000 }, async () => {
      const store = memoryStore()
      for (const file of readdirSync(path)) {
        if (statSync(join(path, file)).size > mostBytes) continue
        const { parts, syntax } = openDocument(readFileSync(join(path, file)))
        for (const part of parts.slice(0, partsPerFile)) {
          const options = { format: part.format, source: file, all: true }
          for (const state of statesOf(part.value, syntax !== "json")) await importInto(store, state, options).catch(() => undefined)
          const count = (await store.list({ limit: 100_000 })).conversations.length
          const again = await importInto(store, part.value, options)
          expect([again.change, again.branches, again.subagents.map(({ change }) => change)], `${file} ${part.path}`).toEqual([
            "unchanged",
            0,
            again.subagents.map(() => "unchanged"),
          ])
          expect((await store.list({ limit: 100_000 })).conversations.length).toBe(count)
          const fresh = memoryStore()
          const { conversation } = await importInto(fresh, part.value, options)
          const { entries, transcript } = await store.load(again.conversation)
          const whole = saidIn((await fresh.load(conversation)).transcript.messages)
          // An older state than the one that is there is shown as far as it goes.
          const isPast = entries.length > 0 && saidIn(transcript.messages).length > whole.length
          expect(saidIn(transcript.messages).slice(0, isPast ? whole.length : undefined), `${file} ${part.path}`).toEqual(whole)
        }
      }
    })
  }
})
