import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { encode } from "../../../src/convert/index.ts"
import { clineApi } from "../../../src/sessions/cline-api/index.ts"
import { neovate } from "../../../src/sessions/neovate/index.ts"
import { sessionCodecs } from "../../../src/registry/sessions.ts"
import type { SessionSample } from "../../../src/formats/engine/session.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { judges } from "../../../src/testing/index.ts"
import { sayings } from "../sayings.ts"

const corpus = process.env["LIGATURE_CORPUS"]
const folder = join(corpus ?? "", "cline-api")
const targets = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const

if (corpus === undefined) console.log("corpus: skipped, LIGATURE_CORPUS is not set")

/** Messages, calls, results, calls without result (the one that ends the task among them), compactions. */
type Counts = readonly [messages: number, calls: number, results: number, unanswered: number, compactions: number]

/**
 * MANIFEST.tsv counts call and result blocks. These files hold none: all their calls and results are text, so that it
 * says 0 for them. Its numbers of messages and compactions hold.
 */
const counts: Readonly<Record<string, Counts>> = {
  "RooCodeInc+Roo-Code-00.json": [30, 13, 11, 2, 1],
  "RooCodeInc+Roo-Code-01.json": [40, 20, 19, 1, 0],
  "RooCodeInc+Roo-Code-02.json": [20, 9, 8, 1, 0],
  "RooCodeInc+Roo-Code-03.json": [58, 29, 28, 1, 0],
  "RooCodeInc+Roo-Code-04.json": [32, 16, 15, 1, 0],
  "RooCodeInc+Roo-Code-05.json": [92, 46, 45, 1, 0],
  "vshulcz+deja-vu-00.json": [2, 0, 0, 0, 0],
  "vshulcz+deja-vu-01.json": [2, 0, 0, 0, 0],
}

const manifestCounts = (file: string): readonly number[] => {
  const [head = "", ...rows] = readFileSync(join(corpus ?? "", "MANIFEST.tsv"), "utf8").split("\n")
  const row = rows.find((line) => line.startsWith(`cline-api/${file}\t`))?.split("\t") ?? []
  return ["messages", "compactions"].map((name) => Number(row[head.split("\t").indexOf(name)]))
}

const sampleOf = (path: string): SessionSample | undefined => {
  const content = readFileSync(path, "utf8")
  try {
    return { syntax: "value", records: [JSON.parse(content)] }
  } catch {
    const lines = content
      .split("\n")
      .filter((line) => line.trim() !== "")
      .slice(0, 64)
    const records = lines.flatMap((line): readonly unknown[] => {
      try {
        return [JSON.parse(line)]
      } catch {
        return []
      }
    })
    return records.length > 0 ? { syntax: "lines", records } : undefined
  }
}

describe.skipIf(corpus === undefined)("the histories of the corpus", () => {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : []

  it("are all counted", () => {
    expect(files.toSorted()).toEqual(Object.keys(counts))
  })

  for (const file of files) {
    const list = JSON.parse(readFileSync(join(folder, file), "utf8")) as readonly unknown[]

    it(`${file} is recognised, by no other codec, and has its messages, calls and results`, () => {
      const sample: SessionSample = { syntax: "value", records: [list] }
      expect(clineApi.session.recognise(sample)).toBeDefined()
      const takers = Object.values(sessionCodecs).filter((codec) => codec.session.recognise(sample))
      expect(takers.map((codec) => codec.format).filter((format) => format !== clineApi.format)).toEqual([])
      const transcript = clineApi.decode(list, { view: "whole" })
      const blocks = transcript.messages.flatMap((message) => message.blocks)
      const calls = blocks.filter((block) => block.type === "call")
      const results = blocks.filter((block) => block.type === "result")
      const answered = new Set(results.map((block) => block.callId))
      const open = calls.filter((call) => !answered.has(call.id))
      const compactions = clineApi.session.outline(list).compactions.length
      expect([transcript.messages.length, calls.length, results.length, open.length, compactions]).toEqual(counts[file])
      expect([transcript.messages.length, compactions]).toEqual(manifestCounts(file))
      expect(calls.every((call) => call.certainty !== undefined)).toBe(true)
      expect(transcript.diagnostics).toBe(undefined)
    })

    it(`${file} converts into the four main formats, valid every time`, () => {
      for (const view of ["effective", "whole"] as const) {
        const { conversation } = settle(clineApi.decode(list, { view }))
        for (const target of targets) {
          const verdict = judges[target](JSON.parse(JSON.stringify(encode(conversation, target).value)))
          expect(verdict, `${view} → ${target}`).toEqual({ ok: true })
        }
      }
    })

    it(`${file} comes back with the very same records, and stays text when it is repaired`, () => {
      const transcript = clineApi.decode(list)
      const healthy = check(transcript, { tip: "open" }).length === 0
      const { conversation } = settle(transcript, { tip: "open" })
      const written = clineApi.encode(conversation)["messages"] as readonly unknown[]
      if (healthy) expect(written).toBe(list)
      const kept = new Set(list)
      expect(written.filter((record) => !kept.has(record)).length).toBeLessThanOrEqual(1)
      expect(JSON.stringify(written)).not.toContain('"tool_result"')
      const read = settle(clineApi.decode(written), { tip: "open" })
      expect(read.report.entries).toEqual([])
      expect(sayings(read.conversation)).toEqual(sayings(conversation))
    })
  }

  it("are the only files taken for such, and no file is taken for a Neovate session", () => {
    const taken: string[] = []
    for (const name of readdirSync(corpus ?? "")) {
      const path = join(corpus ?? "", name)
      if (name === "cline-api" || !statSync(path).isDirectory()) continue
      for (const file of readdirSync(path)) {
        const sample = sampleOf(join(path, file))
        if (!sample) continue
        if (clineApi.session.recognise(sample) ?? neovate.session.recognise(sample)) taken.push(`${name}/${file}`)
      }
    }
    expect(taken).toEqual([])
  })
})
