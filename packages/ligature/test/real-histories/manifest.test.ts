/**
 * Every file of the corpus is what its folder says, and holds what the manifest states. A difference must have a row in
 * scripts/docs/real-session-differences.ts, from which a page of the docs is made; a row that explains nothing fails, too.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { differences } from "../../../../scripts/docs/real-session-differences.ts"
import { decode } from "../../src/convert/index.ts"
import { findSession } from "../../src/registry/registry.ts"
import { openDocument } from "../../src/document/index.ts"
import { check } from "../../src/rules/index.ts"
import type { Transcript } from "../../src/model/index.ts"

const corpus = process.env["LIGATURE_CORPUS"]
if (corpus === undefined) console.log("corpus: skipped, LIGATURE_CORPUS is not set")

/** Folders that are named after what they hold rather than after its format. */
const formatOf: Readonly<Record<string, readonly string[]>> = {
  "anthropic-messages": ["anthropic"],
  "openai-messages": ["openai-chat"],
}

/** The context of Kimi CLI has messages of Chat Completions around lines of its own. */
const formatsOf = (file: string, folder: string): readonly string[] => {
  if (/^openai-messages\/.*\+kimi-cli-0[1-4]\.jsonl$/.test(file)) return ["kimi-context"]
  return /^anthropic-messages\/cline\+cline-0[01]\.json$/.test(file) ? ["cline-cli"] : (formatOf[folder] ?? [folder])
}

/** Databases are counted where they are opened: test/homes. */
const databases = ["crush"]

interface Counts {
  calls: number
  results: number
  orphans: number
  unanswered: number
  compactions: number
}

const add = (counts: Counts, transcript: Transcript): void => {
  for (const { blocks } of transcript.messages) {
    for (const { type } of blocks) {
      if (type === "call") counts.calls++
      else if (type === "result") counts.results++
    }
  }
  for (const { rule } of check(transcript)) {
    if (rule === "unanswered-call" || rule === "stale-pending") counts.unanswered++
    else if (rule === "orphan-result") counts.orphans++
  }
}

/** All paths together: the active one and those of subagents. */
const countsOf = (bytes: Uint8Array): { readonly formats: readonly string[]; readonly counts: Counts } => {
  const counts: Counts = { calls: 0, results: 0, orphans: 0, unanswered: 0, compactions: 0 }
  const document = openDocument(bytes)
  for (const part of document.parts) {
    const options = { view: "whole", ...(part.lines && { lines: part.lines }) } as const
    add(counts, decode(part.format, part.value, options))
    const outline = findSession(part.format)?.session.outline(part.value)
    counts.compactions += outline?.compactions.length ?? 0
    for (const { id, kind } of outline?.paths ?? []) {
      if (kind === "subagent") add(counts, decode(part.format, part.value, { ...options, branch: id }))
    }
  }
  const formats = [...new Set([...(document.format === undefined ? [] : [document.format]), ...document.parts.map(({ format }) => format)])]
  return { formats, counts }
}

const rows =
  corpus === undefined
    ? []
    : readFileSync(join(corpus, "MANIFEST.tsv"), "utf8")
        .trim()
        .split("\n")
        .map((line) => line.split("\t"))
const [head = [], ...files] = rows

describe.skipIf(corpus === undefined)("the manifest of the corpus", () => {
  const explained = new Set(differences.flatMap((difference) => difference.files))

  for (const row of files) {
    const field = (name: string): string => row[head.indexOf(name)] ?? ""
    const file = field("file")
    const folder = file.split("/")[0] ?? ""
    if (databases.includes(folder)) continue

    it(`agrees on ${file}, or the difference is explained`, () => {
      const { formats, counts } = countsOf(readFileSync(join(corpus ?? "", file)))
      expect(formats).toEqual(formatsOf(file, folder))
      const stated: Counts = {
        calls: Number(field("tool_calls")),
        results: Number(field("tool_results")),
        orphans: Number(field("orphans")),
        unanswered: Number(field("unanswered")),
        compactions: Number(field("compactions")),
      }
      if (explained.has(file)) expect(counts, "a row that explains nothing").not.toEqual(stated)
      else expect(counts).toEqual(stated)
    })
  }

  it("knows every file that a row names", () => {
    const known = new Set(files.map((row) => row[head.indexOf("file")] ?? ""))
    expect([...explained].filter((file) => !known.has(file))).toEqual([])
  })
})
