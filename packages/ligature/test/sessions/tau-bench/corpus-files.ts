/** Files of the corpus for tests of session codecs: naive reading that shares no code with the readers under test. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

import { encode } from "../../../src/convert/index.ts"
import type { SessionCodec, SessionSample } from "../../../src/formats/engine/session.ts"
import { sessionCodecs } from "../../../src/registry/sessions.ts"
import { check, settle } from "../../../src/rules/index.ts"
import type { Transcript } from "../../../src/model/index.ts"
import { judges } from "../../../src/testing/index.ts"

export const corpus = process.env["LIGATURE_CORPUS"]
export const hasCorpus = corpus !== undefined && existsSync(corpus)

export interface Counts {
  readonly messages: number
  readonly calls: number
  readonly results: number
}

export const filesOf = (folder: string): readonly string[] => {
  const path = join(corpus ?? "", folder)
  return hasCorpus && existsSync(path) ? readdirSync(path).map((name) => `${folder}/${name}`) : []
}

export const folders = (): readonly string[] => (hasCorpus ? readdirSync(corpus ?? "").filter((name) => !name.includes(".")) : [])

/** The value of a JSON file, or the records of JSON lines. */
export const readCorpusFile = (file: string): { readonly root: unknown; readonly syntax: "value" | "lines" } => {
  const text = readFileSync(join(corpus ?? "", file), "utf8")
  try {
    const root: unknown = JSON.parse(text)
    if (!/^\s*\{.*\}\s*$/.test(text)) return { root, syntax: "value" }
    return file.startsWith("openhands-v1/") ? { root: [root], syntax: "lines" } : { root, syntax: "value" }
  } catch {
    const records = text.split("\n").flatMap((line): unknown[] => {
      try {
        return line.trim() === "" ? [] : [JSON.parse(line)]
      } catch {
        return []
      }
    })
    return { root: records, syntax: "lines" }
  }
}

export const sampleOf = (file: string): SessionSample => {
  const { root, syntax } = readCorpusFile(file)
  return { syntax, records: syntax === "value" ? [root] : (root as readonly unknown[]).slice(0, 64) }
}

export const manifest = (): ReadonlyMap<string, Counts> => {
  const text = readFileSync(join(corpus ?? "", "MANIFEST.tsv"), "utf8")
  const rows = text.split("\n").map((row) => row.split("\t"))
  return new Map(
    rows.slice(1).map((cells) => [cells[0] ?? "", { messages: Number(cells[7]), calls: Number(cells[8]), results: Number(cells[9]) }]),
  )
}

export const countsOf = (transcript: Transcript): Counts => {
  let calls = 0
  let results = 0
  for (const { blocks } of transcript.messages) {
    for (const { type } of blocks) {
      if (type === "call") calls++
      else if (type === "result") results++
    }
  }
  return { messages: transcript.messages.length, calls, results }
}

export const total = (counts: readonly Counts[]): Counts => ({
  messages: counts.reduce((sum, { messages }) => sum + messages, 0),
  calls: counts.reduce((sum, { calls }) => sum + calls, 0),
  results: counts.reduce((sum, { results }) => sum + results, 0),
})

/** Settles and writes for the four main providers; each answer of their judges must be yes. */
export const expectValidEverywhere = (transcript: Transcript, where: string): void => {
  const { conversation } = settle(transcript)
  for (const to of ["anthropic", "openai-chat", "openai-responses", "gemini"] as const) {
    const { model: _, ...body } = encode(conversation, to, { extras: "strip" }).value
    expect(judges[to](JSON.parse(JSON.stringify(body))), `${where} → ${to}`).toEqual({ ok: true })
  }
}

const others = (codec: SessionCodec): readonly SessionCodec[] =>
  Object.values(sessionCodecs).filter(({ format }) => format !== codec.format)

interface CorpusSuite {
  readonly codec: SessionCodec
  readonly folder: string
  /** What we count where it is not what the manifest states, and why. */
  readonly differences?: Readonly<Record<string, { readonly ours: Counts; readonly why: string }>>
  readonly sessionsOf: (root: unknown) => readonly unknown[]
  readonly writtenList?: string
}

/** The same demands for every session codec whose files the corpus holds. */
export const describeCorpus = ({ codec, folder, differences = {}, sessionsOf, writtenList }: CorpusSuite): void => {
  if (!hasCorpus) console.warn(`Skipped: ${folder} of the corpus. Set LIGATURE_CORPUS to its folder to read its files.`)
  describe.skipIf(!hasCorpus)(`${folder} files of the corpus`, () => {
    const files = filesOf(folder)
    const stated = hasCorpus ? manifest() : new Map<string, Counts>()

    it.each(files)("recognises %s, and no other session codec does", (file) => {
      const sample = sampleOf(file)
      expect(codec.session.recognise(sample)?.certainty).toBe("certain")
      expect(
        others(codec)
          .filter(({ session }) => session.recognise(sample))
          .map(({ format }) => format),
      ).toEqual([])
    })

    it.each(files)("counts in %s what the manifest states, or says why not", (file) => {
      const sessions = sessionsOf(readCorpusFile(file).root)
      const ours = total(sessions.map((value) => countsOf(codec.decode(value, { view: "whole" }))))
      const difference = differences[file]
      expect(difference?.ours).not.toEqual(stated.get(file))
      expect(ours).toEqual(difference?.ours ?? stated.get(file))
    })

    it.each(files)("makes of %s requests that are valid for the four main providers", (file) => {
      sessionsOf(readCorpusFile(file).root).forEach((value, index) =>
        expectValidEverywhere(codec.decode(value), `${file} session ${index}`),
      )
    })

    it.each(files)("gives the healthy sessions of %s back as the very same values", (file) => {
      for (const value of sessionsOf(readCorpusFile(file).root)) {
        const transcript = codec.decode(value)
        if (check(transcript, { tip: "open" }).length > 0) continue
        const written = codec.encode(settle(transcript, { tip: "open" }).conversation)
        expect(writtenList === undefined ? written : written[writtenList]).toBe(value)
      }
    })

    it.each(files)("repairs %s so that nothing is left to repair, and changes nothing the second time", (file) => {
      for (const value of sessionsOf(readCorpusFile(file).root)) {
        const { conversation } = settle(codec.decode(value))
        const written = codec.encode(conversation)
        const again = settle(codec.decode(JSON.parse(JSON.stringify(written))))
        expect(again.report.entries).toEqual([])
        expect(JSON.stringify(codec.encode(again.conversation))).toBe(JSON.stringify(written))
      }
    })

    it("explains no difference that is none", () => {
      expect(Object.keys(differences).filter((file) => !files.includes(file))).toEqual([])
    })
  })
}
