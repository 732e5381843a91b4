/** Every sentence for people has an entry in every language, and every entry is a sentence of the program. */
import { describe, expect, it } from "vitest"
import { readPageSources, readSources } from "../../../scripts/source-files.ts"
import { phrasesIn } from "../../../scripts/phrases.ts"
import { magics } from "../src/document/read-text.ts"
import { commands } from "../src/cli/commands/index.ts"
import type { Command, Commands } from "../src/cli/frame/command.ts"
import { alwaysOptions } from "../src/cli/frame/arguments.ts"
import { features } from "../src/formats/engine/codec.ts"
import { findLanguage, languageOf, languages, loadCatalogue } from "../src/language/index.ts"
import { invariants, rules } from "../src/rules/book/index.ts"
import { fieldReports, rulebook } from "../src/rules/rulebook/index.ts"
import { generalDemands } from "../src/rules/profiles/demands.ts"
import { anomalyKinds } from "../src/sessions/engine/anomaly.ts"
import { causes } from "../src/sessions/engine/causes.ts"
import { cli } from "./cli/cli.ts"

const textsOf = ({ summary, help, options, examples }: Command): readonly string[] => [
  summary,
  help,
  ...options.map(({ text }) => text),
  ...examples.map(([, what]) => what),
]

const allCommands = async (all: Commands): Promise<readonly Command[]> => {
  const loaded = await Promise.all(Object.values(all).map((load) => load()))
  const below = await Promise.all(loaded.map(({ subcommands }) => allCommands(subcommands ?? {})))
  return [...loaded, ...below.flat()]
}

const ruleTexts = [
  ...Object.values(rules).flatMap(({ title, why, help, doc, examples }) => [title, why, help, doc, ...examples.map((each) => each.title)]),
  ...[...rulebook, ...fieldReports].flatMap(({ demand, repair, enforcedBy }) => [
    demand,
    repair,
    ...("why" in enforcedBy ? [enforcedBy.why] : []),
  ]),
]

/** What is declared as data and looked up where it is printed. */
const declared = async (): Promise<readonly string[]> => [
  ...(await allCommands(commands)).flatMap(textsOf),
  ...alwaysOptions.map(({ text }) => text),
  ...ruleTexts,
  ...Object.values(invariants),
  ...Object.values(features),
  ...Object.values(causes),
  ...magics.map(([name]) => name),
  "binary data",
  ...Object.values(anomalyKinds).flatMap(({ why, help }) => [why, help]),
]

/** Sentences without values in what these folders find: translated where they are printed. */
const fixedTexts = (): readonly string[] =>
  readSources()
    .filter(({ path }) => /^(?:rules|convert|formats)\/(?!rulebook|book)/.test(path))
    .flatMap(({ text }) => [
      ...text.matchAll(/\b(?:what|why|help):\s*(?:[^"`\n]*\?\s*)?("(?:[^"\\]|\\.)*")(?:\s*:\s*("(?:[^"\\]|\\.)*"))?/g),
      ...text.matchAll(/irregular\(\s*("(?:[^"\\]|\\.)*")(?:,\s*("(?:[^"\\]|\\.)*"))?/g),
    ])
    .flatMap(([, first, second]) => [first, second].flatMap((literal) => (literal === undefined ? [] : [JSON.parse(literal) as string])))

const isSentence = (text: string): boolean => /\p{L}{2}/u.test(text)

const sources = [...readSources().filter(({ folder }) => folder !== "language"), ...readPageSources()]

const sentences = async (): Promise<ReadonlySet<string>> =>
  new Set([...sources.flatMap(phrasesIn), ...(await declared()), ...fixedTexts(), ...Object.values(generalDemands)].filter(isSentence))

const placeholders = (text: string): readonly string[] => [...new Set(text.match(/\{\d+\}/g) ?? [])].sort()

describe.each(languages.filter((language) => language !== "en"))("the catalogue of %s", (language) => {
  it("has every sentence of the program, and no other", async () => {
    const catalogue = await loadCatalogue(language)
    const known = await sentences()
    expect(known.size).toBeGreaterThan(100)
    expect(
      [...known].filter((sentence) => !Object.hasOwn(catalogue, sentence)),
      "missing",
    ).toEqual([])
    expect(
      Object.keys(catalogue).filter((sentence) => isSentence(sentence) && !known.has(sentence)),
      "no longer used",
    ).toEqual([])
  })

  it("has the same values in every sentence", async () => {
    for (const [sentence, translation] of Object.entries(await loadCatalogue(language))) {
      expect(placeholders(translation), sentence).toEqual(placeholders(sentence))
    }
  })
})

describe("mistakes on the command line and problems of files", () => {
  it("are phrases, so that the catalogue has them", () => {
    const found = readSources().flatMap(({ path, text }) =>
      /^(?:cli|document|json)\//.test(path)
        ? [...text.matchAll(/(?:new UsageError\(\s*|\bconst (?:what|wayOut) = |\bproblem\("[\w-]+", )["`][^\n]*/g)].map(
            ([call]) => `${path}: ${call}`,
          )
        : [],
    )
    expect(found).toEqual([])
  })
})

describe("the language", () => {
  it("is the one of the locale, as programs find it", () => {
    expect(languageOf({ LANG: "zh_CN.UTF-8" })).toBe("zh-CN")
    expect(languageOf({ LANG: "zh_CN.UTF-8", LC_ALL: "C" })).toBe("en")
    expect(languageOf({ LIGATURE_LANG: "zh", LC_ALL: "en_US" })).toBe("zh-CN")
    expect(languageOf({ LANG: "de_DE" })).toBe("en")
    expect(languageOf({})).toBe("en")
    expect(findLanguage("zh-Hans")).toBe("zh-CN")
  })

  it("is chosen with --lang, wherever it is, and does not stay", async () => {
    expect((await cli(["--help", "--lang", "zh-CN"])).stdout).toContain("用法")
    expect((await cli(["check", "--help", "--lang=zh"])).stdout).toContain("用法")
    expect((await cli(["check", "--help"])).stdout).toContain("Usage")
    expect((await cli(["check", "--help"], { env: { LANG: "zh_CN.UTF-8" } })).stdout).toContain("用法")
    expect(await cli(["check", "--lang", "zh-XX-nothing", "x"])).toMatchObject({ code: 2 })
    expect((await cli(["check", "--lang", "english", "x"])).stderr).toContain("Unknown language english")
  })
})
