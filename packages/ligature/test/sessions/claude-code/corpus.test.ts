import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { encode as encodeFor } from "../../../src/convert/index.ts"
import { claudeCode } from "../../../src/sessions/claude-code/index.ts"
import { claudeStreamJson } from "../../../src/sessions/claude-stream-json/index.ts"
import type { SessionSample } from "../../../src/formats/engine/session.ts"
import { sessionCodecs } from "../../../src/registry/sessions.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { type Block, isWire, resultText, type Transcript, type Wire } from "../../../src/model/index.ts"
import { judges } from "../../../src/testing/index.ts"

const corpus = process.env["LIGATURE_CORPUS"]
const folder = join(corpus ?? "", "claude-code")
const listed = corpus !== undefined && existsSync(folder) ? readdirSync(folder) : []
const files = listed.filter((file) => file.endsWith(".jsonl"))
const targets = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const

if (corpus === undefined) console.log("claude-code corpus: skipped, LIGATURE_CORPUS is not set")

const { decode, encode, session } = claudeCode

interface Row {
  readonly messages: number
  readonly calls: number
  readonly results: number
  readonly unanswered: number
  readonly duplicates: number
  readonly compactions: number
}

const manifest = (): ReadonlyMap<string, Row> => {
  const [head = "", ...lines] = readFileSync(join(corpus ?? "", "MANIFEST.tsv"), "utf8").split("\n")
  const names = head.split("\t")
  const number = (cells: readonly string[], name: string): number => Number(cells[names.indexOf(name)])
  return new Map(
    lines.map((line) => {
      const cells = line.split("\t")
      const row = {
        messages: number(cells, "messages"),
        calls: number(cells, "tool_calls"),
        results: number(cells, "tool_results"),
        unanswered: number(cells, "unanswered"),
        duplicates: number(cells, "duplicates"),
        compactions: number(cells, "compactions"),
      }
      return [cells[0] ?? "", row] as const
    }),
  )
}

/** The manifest counts lines of user and assistant; a few of them are not said by either, and one says more. */
const linesNotSaid: Readonly<Record<string, { readonly lines: number; readonly why: string }>> = {
  "entireio+auth-go-01.jsonl": { lines: 1, why: "a line of the agent itself, in the model's place" },
  "entireio+auth-go-06.jsonl": { lines: 0, why: "one such line, and a queued prompt that the manifest does not count" },
}

const readFile = (file: string): readonly Wire[] =>
  readFileSync(join(folder, file), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Wire)

const blocksOf = (transcript: Transcript, type: Block["type"]): readonly Block[] =>
  transcript.messages.flatMap(({ blocks }) => blocks.filter((block) => block.type === type))

/** Every path of a file. Messages that several paths share are counted with the first. */
const allPaths = (records: readonly Wire[]): readonly Transcript[] =>
  session.outline(records).paths.map(({ id, kind }) => decode(records, kind === "active" ? {} : { branch: id }))

const contentOf = (record: Wire): readonly Wire[] => {
  const message = record["message"]
  const content = isWire(message) ? message["content"] : undefined
  return Array.isArray(content) ? (content as readonly Wire[]) : []
}

/** What walking parentUuid from the last message keeps. */
const naiveWalk = (records: readonly Wire[]): readonly Wire[] => {
  const byUuid = new Map(records.map((record) => [record["uuid"], record]))
  const spoken = (record: Wire): boolean => record["type"] === "user" || record["type"] === "assistant"
  let record = records.findLast((each) => spoken(each) && each["isSidechain"] !== true)
  const seen = new Set<Wire>()
  while (record && !seen.has(record)) {
    seen.add(record)
    record = byUuid.get(record["parentUuid"])
  }
  return [...seen]
}

const count = (records: readonly Wire[], type: string, block: string): number =>
  records
    .filter((record) => record["type"] === type && record["isSidechain"] !== true)
    .flatMap(contentOf)
    .filter((each) => each["type"] === block).length

/** The records a transcript was read from. */
const readOf = ({ native = {} }: Transcript): readonly number[] => [
  ...(native["claude-code"] as { said: ReadonlyMap<number, unknown> }).said.keys(),
]

const isInvented = (record: Wire): boolean => isWire(record["message"]) && record["message"]["model"] === "<synthetic>"

/** The first records of a file, whatever it holds. */
const sampleOf = (text: string): readonly SessionSample[] => {
  const parsed = (source: string): readonly unknown[] => {
    try {
      return [JSON.parse(source)]
    } catch {
      return []
    }
  }
  const lines = text.split("\n").slice(0, 64).flatMap(parsed)
  return [
    { syntax: "lines", records: lines },
    { syntax: "value", records: parsed(text) },
  ]
}

describe.skipIf(files.length === 0)("sessions of other agents", () => {
  const others = corpus === undefined ? [] : readdirSync(corpus, { withFileTypes: true })
  for (const { name } of others.filter((entry) => entry.isDirectory() && entry.name !== "claude-code")) {
    it(`${name}: none is taken for one of Claude Code`, () => {
      for (const entry of readdirSync(join(corpus ?? "", name), { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.jsonl?$/.test(entry.name)) continue
        for (const sample of sampleOf(readFileSync(join(entry.parentPath, entry.name), "utf8"))) {
          expect(session.recognise(sample), entry.name).toBeUndefined()
          expect(claudeStreamJson.session.recognise(sample), entry.name).toBeUndefined()
        }
      }
    })
  }
})

describe.skipIf(files.length === 0)("every Claude Code session of the corpus", () => {
  const rows = files.length > 0 ? manifest() : new Map<string, Row>()
  const kept = { results: 0, naiveResults: 0, allResults: 0, texts: 0, naiveTexts: 0, allTexts: 0 }

  afterAll(() => {
    const { results, naiveResults, allResults, texts, naiveTexts, allTexts } = kept
    console.log(`results kept: ${results} of ${allResults}; the walk over parentUuid keeps ${naiveResults}`)
    console.log(`assistant texts kept: ${texts} of ${allTexts}; the walk over parentUuid keeps ${naiveTexts}`)
  })

  for (const file of files) {
    it(`${file} is recognised, and by no other codec`, () => {
      const sample = { syntax: "lines", records: readFile(file).slice(0, 64) } as const
      expect(session.recognise(sample)).toBeDefined()
      const others = Object.values(sessionCodecs).filter((codec) => codec.format !== claudeCode.format)
      expect(others.filter((codec) => codec.session.recognise(sample)).map(({ format }) => format)).toEqual([])
      const torn = { syntax: "lines", records: readFile(file).slice(1, 65) } as const
      expect(session.recognise(torn)).toBeDefined()
    })

    it(`${file} has the counts of the manifest over all its paths`, () => {
      const records = readFile(file)
      const transcripts = allPaths(records)
      const row = rows.get(`claude-code/${file}`)
      const said = new Set(transcripts.flatMap(readOf))
      const findings = transcripts.flatMap((transcript) => check(transcript, { tip: "closed" }))
      expect({
        messages: said.size + (linesNotSaid[file]?.lines ?? 0),
        calls: transcripts.flatMap((transcript) => blocksOf(transcript, "call")).length,
        results: transcripts.flatMap((transcript) => blocksOf(transcript, "result")).length,
        unanswered: findings.filter(({ rule }) => rule === "unanswered-call").length,
        duplicates: findings.filter(({ rule }) => rule.startsWith("duplicate") && rule !== "duplicate-record-id").length,
        compactions: session.outline(records).compactions.filter(({ kind }) => kind === "summary").length,
      }).toEqual(row)
      expect(findings.filter(({ rule }) => rule === "orphan-result")).toEqual([])
    })

    it(`${file} keeps every result and every word of the model`, () => {
      const records = readFile(file)
      const own = records.every(({ isSidechain }) => isSidechain === true)
      const spoken = records.filter((record) => !isInvented(record))
      const main = own ? spoken.map((record) => ({ ...record, isSidechain: false })) : spoken
      const transcript = decode(records)
      const walked = naiveWalk(main)
      const replies = transcript.messages.filter(({ role }) => role === "assistant")
      const texts = replies.flatMap(({ blocks }) => blocks.filter(({ type }) => type === "text"))
      const results = blocksOf(transcript, "result").length
      expect(results).toBe(count(main, "user", "tool_result"))
      expect(texts.length).toBe(count(main, "assistant", "text"))
      kept.results += results
      kept.naiveResults += count(walked, "user", "tool_result")
      kept.allResults += count(main, "user", "tool_result")
      kept.texts += texts.length
      kept.naiveTexts += count(walked, "assistant", "text")
      kept.allTexts += count(main, "assistant", "text")
    })

    it(`${file} converts into the four main formats, valid every time`, () => {
      for (const transcript of allPaths(readFile(file))) {
        const { conversation } = settle(transcript)
        for (const target of targets) {
          const { model: _, ...body } = encodeFor(conversation, target).value
          expect(judges[target](JSON.parse(JSON.stringify(body))), target).toEqual({ ok: true })
        }
      }
    })

    it(`${file} comes back with the very same records, changed only where something was wrong`, () => {
      const records = readFile(file)
      const read = decode(records)
      const { conversation, report } = settle(read, { tip: "open" })
      const written = encode(conversation)["records"] as readonly Wire[]
      const isRelinked = read.diagnostics?.some(({ repair }) => repair !== undefined) === true
      if (report.entries.length === 0 && !isRelinked) expect(written).toBe(records)
      const touched = written.filter((record, index) => record !== records[index] && !records.includes(record))
      if (!isRelinked) expect(touched.length).toBeLessThanOrEqual(report.entries.length)
      const again = settle(decode(encode(settle(decode(records)).conversation)))
      expect(again.report.entries).toEqual([])
    })

    it(`${file} says the same as a new session`, () => {
      const { conversation } = settle(decode(readFile(file)))
      const { native: _, ...foreign } = conversation
      const forgetFile = (key: string, value: unknown): unknown => (key === "claude-code" ? undefined : value)
      const items = JSON.parse(JSON.stringify(foreign, forgetFile)) as typeof conversation
      const written = encode(items, { session: { id: "s", folder: "/p" } })
      const read = decode(written)
      const words = (transcript: Transcript): readonly unknown[] =>
        transcript.messages.flatMap(({ role, blocks }) =>
          blocks.map((block) => {
            if (block.type === "result") return [role, block.callId, resultText(block)]
            return [role, block.type, block.type === "call" ? block.id : block.type === "media" ? "" : block.text]
          }),
        )
      expect(read.diagnostics?.filter(({ rule }) => rule !== "missing-context") ?? []).toEqual([])
      expect(words(read)).toEqual(words({ ...decode(encode(conversation)) }))
      expect(settle(read).report.entries).toEqual([])
    })

    it(`${file} can be read in windows that begin at a prompt`, () => {
      const records = readFile(file)
      const starts = readOf(decode(records)).filter((index) => session.pulse?.(records[index]).starts === true)
      const middle = starts[Math.floor(starts.length / 2)]
      if (middle === undefined || middle === 0) return
      const rules = check(decode(records.slice(middle)), { tip: "open" }).filter(({ severity }) => severity !== "info")
      expect(rules.filter(({ rule }) => rule !== "empty-text")).toEqual([])
    })
  }
})
