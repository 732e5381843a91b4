/**
 * Whatever happened to a session, repair never throws, changes nothing when it is run again, leaves nothing that check
 * would call an error, and reports exactly what it wrote. `LIGATURE_REPAIRS=n` tries n damaged files per format, and
 * `LIGATURE_SEED` draws others.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type SessionCodec } from "../../../src/convert/index.ts"
import { findSession } from "../../../src/registry/registry.ts"
import { sessionCodecs } from "../../../src/registry/sessions.ts"
import { openDocument } from "../../../src/document/index.ts"
import { Choices } from "../../../src/testing/index.ts"
import { mutated } from "./mutate.ts"
import { brokenPromises, repaired } from "./promises.ts"
import { seeds } from "./seeds.ts"

const numRuns = Number(process.env["LIGATURE_REPAIRS"] ?? 300)
const corpus = process.env["LIGATURE_CORPUS"]
const hasCorpus = corpus !== undefined && existsSync(corpus)

const numbers = fc.array(fc.nat(), { minLength: 10, maxLength: 80, size: "max" })

/** As a file would hold it: nothing but JSON, and no object twice. */
const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? "null")

const keepsItsPromises = (format: string, files: readonly unknown[]): void => {
  const codec = findSession(format)
  if (codec === undefined) throw new Error(`Expected a session codec for ${format}`)
  const property = fc.property(numbers, (drawn) => {
    const choices = new Choices(drawn)
    const damaged = stored(mutated(files[choices.number(files.length)], choices))
    expect(brokenPromises(codec, damaged), JSON.stringify(damaged)).toEqual([])
  })
  fc.assert(property, { numRuns })
}

/** A few records from the beginning of a session, so that a failure can be read. */
const opening = (value: unknown): unknown => (Array.isArray(value) ? value.slice(0, 24) : value)

const largest = 40_000

const filesOf = (format: string): readonly unknown[] => {
  const folder = join(corpus ?? "", format)
  if (!hasCorpus || !existsSync(folder)) return []
  const small = readdirSync(folder).filter((file) => statSync(join(folder, file)).size <= largest)
  return small
    .slice(0, 20)
    .flatMap((file) =>
      openDocument(readFileSync(join(folder, file))).parts.flatMap((part) =>
        part.format === format && JSON.stringify(opening(part.value)).length <= largest ? [opening(part.value)] : [],
      ),
    )
}

const writable = Object.values(sessionCodecs).filter(({ session }) => session.writes !== "none")

describe("a damaged session", () => {
  it("is tried in every format that can be written", () => {
    expect(Object.keys(seeds).toSorted()).toEqual(writable.map(({ format }) => format).toSorted())
  })

  for (const [format, files] of Object.entries(seeds)) {
    it(`is not touched as ${format} while nothing is wrong with it`, () => {
      const codec = findSession(format)
      for (const file of codec ? files : []) {
        const { text, report } = repaired(codec as SessionCodec, stored(file))
        expect([report.entries, text]).toEqual([[], JSON.stringify(file)])
      }
    })

    it(`is repaired for good as ${format}, and the report says what was written`, { timeout: 3_600_000 }, () => {
      keepsItsPromises(format, files)
    })
  }
})

describe.skipIf(!hasCorpus)("a damaged session of the corpus", () => {
  for (const { format } of writable) {
    const files = filesOf(format)
    const name = `is repaired for good as ${format}, and the report says what was written`
    it.skipIf(files.length === 0)(name, { timeout: 3_600_000 }, () => keepsItsPromises(format, files))
  }
})
