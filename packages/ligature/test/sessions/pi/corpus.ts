/** Real sessions of the corpus with the counts its manifest expects, for the tests of session codecs. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { encode as encodeFor } from "../../../src/convert/index.ts"
import type { SessionCodec } from "../../../src/formats/engine/session.ts"
import { sessionCodecs } from "../../../src/registry/sessions.ts"
import { check, settle } from "../../../src/rules/index.ts"
import type { Message, Transcript } from "../../../src/model/index.ts"
import { judges } from "../../../src/testing/index.ts"

export const corpus = process.env["LIGATURE_CORPUS"]

if (corpus === undefined) console.log("corpus: skipped, LIGATURE_CORPUS is not set")

export interface Counts {
  readonly messages: number
  readonly calls: number
  readonly results: number
  readonly unanswered: number
  readonly compactions: number
}

const columns = ["messages", "tool_calls", "tool_results", "unanswered", "compactions"] as const

export const expectedCounts = (): ReadonlyMap<string, Counts> => {
  if (corpus === undefined) return new Map()
  const [head = "", ...rows] = readFileSync(join(corpus, "MANIFEST.tsv"), "utf8").trimEnd().split("\n")
  const names = head.split("\t")
  return new Map(
    rows.map((row) => {
      const cells = row.split("\t")
      const numbers = columns.map((name) => Number(cells[names.indexOf(name)]))
      const [messages = 0, calls = 0, results = 0, unanswered = 0, compactions = 0] = numbers
      return [cells[0] ?? "", { messages, calls, results, unanswered, compactions }]
    }),
  )
}

export const corpusFiles = (folder: string): readonly string[] =>
  corpus === undefined ? [] : readdirSync(join(corpus, folder)).map((file) => `${folder}/${file}`)

export const readCorpus = (file: string): string => readFileSync(join(corpus ?? "", file), "utf8")

export const linesOf = (text: string): readonly unknown[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as unknown)

export const countBlocks = (messages: readonly Message[], type: string): number =>
  messages.reduce((count, { blocks }) => count + blocks.filter((block) => block.type === type).length, 0)

/** The counts of a session, for comparison with what the manifest expects. */
export const countsOf = (codec: SessionCodec, value: unknown, transcript: Transcript, messages: number): Counts => ({
  messages,
  calls: countBlocks(transcript.messages, "call"),
  results: countBlocks(transcript.messages, "result"),
  unanswered: check(transcript).filter(({ rule }) => rule === "unanswered-call").length,
  compactions: codec.session.outline(value).compactions.length,
})

/** Names of the other session formats that take these records for theirs. */
export const rivals = (codec: SessionCodec, syntax: "lines" | "value", records: readonly unknown[]): readonly string[] =>
  Object.values(sessionCodecs)
    .filter((other) => other.format !== codec.format && other.session.recognise({ syntax, records }) !== undefined)
    .map((other) => other.format)

/** What the strict providers say to the settled transcript, in each of the main wire formats. */
export const verdicts = (transcript: Transcript): Readonly<Record<string, unknown>> => {
  const { conversation } = settle(transcript)
  const targets = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const
  return Object.fromEntries(
    targets.map((to) => {
      const { model: _, ...body } = encodeFor(conversation, to, { extras: "strip" }).value
      return [to, judges[to](JSON.parse(JSON.stringify(body)))]
    }),
  )
}

export const allOk = {
  anthropic: { ok: true },
  "openai-chat": { ok: true },
  "openai-responses": { ok: true },
  gemini: { ok: true },
}
