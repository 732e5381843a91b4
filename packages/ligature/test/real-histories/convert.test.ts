import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  check as checkFor,
  convert,
  decode,
  defaultProfile,
  fileValueOf,
  findCodec,
  isSessionCodec,
  repair,
} from "../../src/convert/index.ts"
import { type DocumentPart, listKeyOf, openDocument } from "../../src/document/index.ts"
import { check } from "../../src/rules/index.ts"
import { judges } from "../../src/testing/index.ts"

const corpus = process.env["LIGATURE_CORPUS"]
/** Databases are read through their tables: see test/homes. */
const databases = ["crush"]
const targets = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const

if (corpus === undefined) console.log("corpus: skipped, LIGATURE_CORPUS is not set")

const foldersOf = (path: string): readonly string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !databases.includes(entry.name))
    .map(({ name }) => name)

/** What an encoder gave, in the shape in which the file holds it. */
const asInFile = (part: DocumentPart, encoded: unknown): unknown => {
  const codec = findCodec(part.format)
  if (codec !== undefined && isSessionCodec(codec)) return fileValueOf(codec, encoded)
  return Array.isArray(part.value) ? (encoded as Readonly<Record<string, unknown>>)[listKeyOf(part.format)] : encoded
}

/** Whether the provider that the format is named after would take it as it is. */
const isAccepted = (part: DocumentPart): boolean => {
  const profile = defaultProfile(part.format)
  return profile === undefined || checkFor(decode(part.format, part.value), { tip: "open", profile }).length === 0
}

describe.skipIf(corpus === undefined)("every conversation of the corpus", () => {
  for (const folder of corpus === undefined ? [] : foldersOf(corpus)) {
    const path = join(corpus ?? "", folder)
    for (const file of readdirSync(path)) {
      const parts = (): readonly DocumentPart[] => openDocument(readFileSync(join(path, file))).parts

      it(`${folder}/${file} converts into the four main formats, valid every time`, () => {
        for (const part of parts()) {
          for (const to of targets) {
            const { value } = convert(part.value, { from: part.format, to, extras: "strip" })
            // The history is judged, not the model of the recorded request: some models refuse a final assistant message.
            const { model: _, ...body } = value
            const verdict = judges[to](JSON.parse(JSON.stringify(body)))
            expect(verdict, `${part.path} ${part.format} → ${to}`).toEqual({ ok: true })
          }
        }
      })

      it(`${folder}/${file} comes back deep-equal, and byte for byte, in its own format where it is healthy`, () => {
        const text = readFileSync(join(path, file), "utf8")
        const document = openDocument(text)
        const rewritten = new Map<DocumentPart, unknown>()
        for (const part of document.parts) {
          const findings = check(decode(part.format, part.value), { tip: "open" })
          if (findings.some(({ severity }) => severity !== "info")) continue
          const { value } = repair(part.value, { from: part.format, tip: "open" })
          expect(asInFile(part, value), part.path).toEqual(part.value)
          if (isAccepted(part)) {
            const sent = convert(part.value, { from: part.format, to: part.format, tip: "open" })
            expect(asInFile(part, sent.value), part.path).toEqual(part.value)
          }
          rewritten.set(part, value)
        }
        const isTorn = document.problems.some(({ severity }) => severity === "damage")
        if (!isTorn) expect(document.rebuild(rewritten)).toBe(text)
      })
    }
  }
})
