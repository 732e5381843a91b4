import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { encode } from "../../../src/convert/index.ts"
import { codexExec } from "../../../src/sessions/codex-exec/index.ts"
import { codexRolloutOld } from "../../../src/sessions/codex-rollout-old/index.ts"
import { codexRollout } from "../../../src/sessions/codex-rollout/index.ts"
import { sessionCodecs } from "../../../src/registry/sessions.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { type Block, isWire, type Transcript } from "../../../src/model/index.ts"
import { judges } from "../../../src/testing/index.ts"

const corpus = process.env["LIGATURE_CORPUS"]
const targets = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const
const codecs = [codexRollout, codexRolloutOld]
const all = new Set([...Object.values(sessionCodecs), ...codecs, codexExec])

if (corpus === undefined) console.log("corpus: skipped, LIGATURE_CORPUS is not set")

/**
 * The manifest counts the message items of the file. We read more: words that are in an event only, the message of a
 * compaction, and what a replacement history says anew.
 */
const more: Readonly<Record<string, { readonly messages: number; readonly why: string }>> = {
  "codex-rollout/shleder+codex-rescue-00.jsonl": { messages: 1, why: "the prompt is an event" },
  "codex-rollout/shleder+codex-rescue-01.jsonl": { messages: 1, why: "the prompt is an event" },
  "codex-rollout/shleder+codex-rescue-02.jsonl": { messages: 1, why: "the prompt is an event" },
  "codex-rollout/shleder+codex-rescue-03.jsonl": { messages: 2, why: "the prompt is an event; the summary" },
  "codex-rollout/shleder+codex-rescue-05.jsonl": { messages: 2, why: "prompt and answer are events" },
  "codex-rollout/shleder+codex-rescue-08.jsonl": { messages: 2, why: "prompt and answer are events" },
  "codex-rollout/es617+claude-replay-00.jsonl": { messages: 4, why: "the prompts are events" },
  "codex-rollout/es617+claude-replay-01.jsonl": { messages: 3, why: "the prompts are events" },
  "codex-rollout/es617+claude-replay-02.jsonl": { messages: 3, why: "the prompts are events" },
}

interface Counts {
  readonly messages: number
  readonly calls: number
  readonly results: number
  readonly unanswered: number
  readonly duplicates: number
  readonly compactions: number
}

const manifest = (): ReadonlyMap<string, Counts> => {
  if (corpus === undefined) return new Map()
  const [head = "", ...rows] = readFileSync(join(corpus, "MANIFEST.tsv"), "utf8").trimEnd().split("\n")
  const names = head.split("\t")
  return new Map(
    rows.map((row) => {
      const cells = row.split("\t")
      const count = (name: string): number => Number(cells[names.indexOf(name)])
      const counts = {
        messages: count("messages"),
        calls: count("tool_calls"),
        results: count("tool_results"),
        unanswered: count("unanswered"),
        duplicates: count("duplicates"),
        compactions: count("compactions"),
      }
      return [cells[0] ?? "", counts]
    }),
  )
}

/** Each message item once: the block or message that keeps it whole. */
const countMessages = ({ messages }: Transcript): number => {
  const isItem = (wire: unknown): boolean => isWire(wire) && wire["role"] !== undefined
  const natives = (value: { readonly native?: Readonly<Record<string, unknown>> }): readonly unknown[] => Object.values(value.native ?? {})
  const wordsOf = (message: Transcript["messages"][number]): number => {
    if (message.role !== "assistant") return message.role === "tool" ? 0 : 1
    const said = message.blocks.filter((block) => natives(block).some(isItem)).length
    return said > 0 || message.blocks.some((block) => block.type !== "text") ? said : 1
  }
  return messages.reduce((count, message) => count + wordsOf(message), 0)
}

const countBlocks = ({ messages }: Transcript, type: Block["type"]): number =>
  messages.reduce((count, { blocks }) => count + blocks.filter((block) => block.type === type).length, 0)

const parsed = (line: string): readonly unknown[] => {
  try {
    return line.trim() === "" ? [] : [JSON.parse(line) as unknown]
  } catch {
    return []
  }
}

const read = (file: string): readonly unknown[] =>
  readFileSync(join(corpus ?? "", file), "utf8")
    .split("\n")
    .flatMap(parsed)

describe.skipIf(corpus === undefined)("real sessions of Codex", () => {
  const expected = manifest()
  const files = codecs.flatMap((codec) =>
    corpus === undefined ? [] : readdirSync(join(corpus, codec.format)).map((name) => ({ codec, file: `${codec.format}/${name}` })),
  )

  it.each(files)("$file is recognised by its codec alone", ({ codec, file }) => {
    const records = read(file).slice(0, 64)
    const sample = { syntax: "lines", records } as const
    const takers = [...all].filter((other) => other.session.recognise(sample) !== undefined)
    expect(takers.map(({ format }) => format)).toEqual([codec.format])
  })

  it.each(files)("$file has the counts of the manifest", ({ codec, file }) => {
    const records = read(file)
    const transcript = codec.decode(records, { view: "whole" })
    const rules = check(transcript).map(({ rule }) => rule)
    const counts = expected.get(file)
    expect({
      messages: countMessages(transcript) - (more[file]?.messages ?? 0),
      calls: countBlocks(transcript, "call"),
      results: countBlocks(transcript, "result"),
      unanswered: rules.filter((rule) => rule === "unanswered-call").length,
      duplicates: rules.filter((rule) => rule === "duplicate-result").length,
      compactions: codec.session.outline(records).compactions.length,
    }).toEqual(counts)
  })

  it.each(files)("$file is valid for the strict providers, whole and effective", ({ codec, file }) => {
    for (const view of ["whole", "effective"] as const) {
      const { conversation } = settle(codec.decode(read(file), { view }))
      for (const to of targets) {
        const { model: _, ...body } = encode(conversation, to, { extras: "strip" }).value
        expect(judges[to](JSON.parse(JSON.stringify(body))), `${view} → ${to}`).toEqual({ ok: true })
      }
    }
  })

  it.each(files)("$file comes back with the very same records, but for what needed repair", ({ codec, file }) => {
    const records = read(file)
    for (const view of ["whole", "effective"] as const) {
      const { conversation, report } = settle(codec.decode(records, { view }))
      const written = codec.encode(conversation)["records"] as readonly unknown[]
      if (report.entries.length === 0) expect(written).toBe(records)
      const kept = new Set(written)
      const changed = records.filter((record) => !kept.has(record))
      expect(changed.length).toBeLessThanOrEqual(report.entries.filter(({ kind }) => kind !== "synthetic").length)
      const again = settle(codec.decode(written, { view }))
      expect(again.report.entries).toEqual([])
      expect(codec.encode(again.conversation)["records"]).toBe(written)
    }
  })
})
