/**
 * Files of formats that came later, beside the corpus (`../corpus-new`, or `LIGATURE_CORPUS_NEW`): each is read as what its
 * folder says, and holds what the manifest states, which was counted independently. A difference needs a reason here, and a
 * reason that explains nothing fails.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { decode } from "../../src/convert/index.ts"
import { openDatabase, unpacked } from "../../src/files/open-file.ts"
import { openDocument, type Document, type DocumentPart } from "../../src/document/index.ts"
import type { Role, Transcript } from "../../src/model/index.ts"
import { findSession } from "../../src/registry/registry.ts"
import { check } from "../../src/rules/index.ts"
import { readAs, reasons } from "./new-format-facts.ts"

const beside = process.env["LIGATURE_CORPUS"]
const corpus = process.env["LIGATURE_CORPUS_NEW"] ?? (beside === undefined ? "" : join(beside, "..", "corpus-new"))
const isThere = corpus !== "" && existsSync(join(corpus, "MANIFEST.tsv"))
if (!isThere)
  console.log("corpus of new formats: skipped, neither LIGATURE_CORPUS_NEW nor a folder corpus-new beside LIGATURE_CORPUS is there")

const rows = isThere
  ? readFileSync(join(corpus, "MANIFEST.tsv"), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split("\t"))
  : []
const [head = [], ...files] = rows

const isDatabaseFile = (file: string): boolean => /\.(?:db|vscdb)$/.test(file)
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const readsDatabases = major > 22 || (major === 22 && minor >= 13)

const open = async (file: string): Promise<Document> => {
  const path = join(corpus, file)
  return isDatabaseFile(file) ? openDatabase(path) : openDocument(unpacked(readFileSync(path)))
}

interface Counts {
  messages: number
  tool_calls: number
  results: number
  unanswered: number
  orphans: number
}

const countBranches = ({ format, value }: DocumentPart): number =>
  findSession(format)
    ?.session.outline(value)
    .paths.reduce((sum, { messages }) => sum + messages, 0) ?? 0

const subagentsOf = ({ format, value }: DocumentPart): readonly string[] =>
  findSession(format)
    ?.session.outline(value)
    .paths.flatMap(({ id, kind }) => (kind === "subagent" ? [id] : [])) ?? []

const countIn = (counts: Counts, transcript: Transcript, roles: readonly Role[]): void => {
  for (const { role, blocks } of transcript.messages) {
    if (roles.includes(role)) counts.messages++
    for (const block of blocks) {
      if (block.type === "call") counts.tool_calls++
      else if (block.type === "result" && block.synthetic === undefined) counts.results++
    }
  }
  for (const { rule } of check(transcript)) {
    if (rule === "unanswered-call" || rule === "stale-pending") counts.unanswered++
    else if (rule === "orphan-result") counts.orphans++
  }
}

describe.skipIf(!isThere)("the manifest of the corpus of new formats", () => {
  for (const row of files) {
    const field = (name: string): string => row[head.indexOf(name)] ?? ""
    const file = field("file")
    const folder = file.split("/")[0] ?? ""

    it.skipIf(isDatabaseFile(file) && !readsDatabases)(
      `agrees on ${file}, or the difference is explained`,
      { timeout: 60_000 },
      async () => {
        const document = await open(file)
        const formats = [...new Set(document.parts.map(({ format, certainty }) => `${format} (${certainty})`))]
        const { format, roles, certainty = "certain", subagents = false } = readAs(folder)
        expect(formats).toEqual([`${format} (${certainty})`])
        const counts: Counts = { messages: 0, tool_calls: 0, results: 0, unanswered: 0, orphans: 0 }
        for (const part of document.parts) {
          if (roles === "branches") counts.messages += countBranches(part)
          const counted = Array.isArray(roles) ? roles : []
          const options = { view: "whole", ...(part.lines && { lines: part.lines }) } as const
          countIn(counts, decode(part.format, part.value, options), counted)
          if (subagents)
            for (const branch of subagentsOf(part)) countIn(counts, decode(part.format, part.value, { ...options, branch }), counted)
        }
        const names = (Object.keys(counts) as (keyof Counts)[]).filter((name) => (name !== "messages" || roles) && field(name) !== "?")
        const stated = Object.fromEntries(names.map((name) => [name, Number(field(name))]))
        const found = Object.fromEntries(names.map((name) => [name, counts[name]]))
        const { reason, ...instead } = reasons[file] ?? { reason: undefined }
        if (reason !== undefined) expect(found, "a reason that explains nothing").not.toEqual(stated)
        expect(found).toEqual({ ...stated, ...instead })
      },
    )
  }

  it("knows every file for which a reason is given", () => {
    const known = new Set(files.map((row) => row[head.indexOf("file")] ?? ""))
    expect(Object.keys(reasons).filter((file) => !known.has(file))).toEqual([])
  })
})
