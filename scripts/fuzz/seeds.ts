/**
 * What the fuzzer starts from, by format: generated histories written in every format that can be written, hand-written
 * sessions of the others (those of the tests too), the damaged histories of the corpus in fixtures/, and with LIGATURE_CORPUS pieces of real files.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { openDocument } from "../../packages/ligature/src/document/index.ts"
import { encodePlainly } from "../../packages/ligature/src/convert/encode.ts"
import { type Codec, codecs, fileValueOf, isSessionCodec, type SessionCodec } from "../../packages/ligature/src/convert/index.ts"
import { sessionCodecs } from "../../packages/ligature/src/registry/sessions.ts"
import { settle } from "../../packages/ligature/src/rules/index.ts"
import { Choices, generateHistory } from "../../packages/ligature/src/testing/index.ts"
import { numbersFromSeed } from "../../packages/ligature/src/testing/damage.ts"
import { fileOf, samples } from "../../packages/ligature/test/sessions/read-only/samples.ts"
import { seeds as repairSeeds } from "../../packages/ligature/test/sessions/repair/seeds.ts"
import { cloned, isTree, setAt, spotsIn, valueAt } from "./json-tree.ts"
import type { Random } from "./random.ts"
import { sessionSeeds, textSeeds } from "./session-seeds.ts"

export type Seeds = ReadonlyMap<string, readonly unknown[]>

export const allCodecs: readonly (Codec | SessionCodec)[] = [...Object.values(codecs), ...Object.values(sessionCodecs)]

/** Whether a conversation from elsewhere can be written in this format. */
export const writesAnything = (codec: Codec): boolean => !isSessionCodec(codec) || codec.session.writes === "any"

const generatedPerFormat = 24

const generated = (codec: Codec): readonly unknown[] =>
  Array.from({ length: generatedPerFormat }, (_, seed) => {
    const { messages } = generateHistory(new Choices(numbersFromSeed(seed + 1, 200)))
    const { value: request } = encodePlainly(settle({ format: "ligature", messages }).conversation, codec.format)
    const value = isSessionCodec(codec) ? fileValueOf(codec, request) : request
    return JSON.parse(JSON.stringify(value)) as unknown
  })

const damagedFixtures = (root: string): readonly { readonly format: string; readonly input: unknown }[] => {
  const folder = join(root, "packages/ligature/fixtures/damaged")
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as { readonly format: string; readonly input: unknown })
}

const largestFile = 3_000_000
const longestText = 300

/** A few neighbouring elements of the longest list, long texts cut: what a mutation can work on many times a second. */
const pieceOf = (value: unknown, random: Random): unknown => {
  const copy = { value: cloned(value) }
  const spots = spotsIn(copy, 400_000)
  let longest: unknown[] = []
  for (const spot of spots) {
    const held = valueAt(spot)
    if (Array.isArray(held) && held.length > longest.length) longest = held
  }
  if (longest.length > 12) {
    const from = random.number(longest.length - 10)
    const head = random.chance(2) ? 2 : 0
    longest.splice(0, longest.length, ...longest.slice(0, head), ...longest.slice(Math.max(from, head), from + 10))
  }
  for (const spot of spotsIn(copy)) {
    const held = valueAt(spot)
    if (typeof held === "string" && held.length > longestText) setAt(spot, held.slice(0, longestText))
    else if (isTree(held) && Array.isArray(held) && held.length > 40) held.length = 40
  }
  return copy.value
}

const fromCorpus = (folder: string, random: Random): ReadonlyMap<string, readonly unknown[]> => {
  const found = new Map<string, unknown[]>()
  for (const format of readdirSync(folder)) {
    const below = join(folder, format)
    if (!statSync(below).isDirectory()) continue
    const files = readdirSync(below)
      .map((name) => join(below, name))
      .filter((path) => statSync(path).size < largestFile)
    for (const path of files.slice(0, 12)) {
      for (const part of openDocument(readFileSync(path)).parts.slice(0, 2)) {
        const list = found.get(part.format) ?? []
        for (let count = 0; count < 3; count++) list.push(pieceOf(part.value, random))
        found.set(part.format, list)
      }
    }
  }
  return found
}

/** As a file of it is opened. */
const readOnly = (format: string): readonly unknown[] => {
  const sample = samples[format]
  return sample === undefined ? [] : openDocument(fileOf(sample)).parts.map(({ value }) => value)
}

/** Sessions made up by hand. */
export const handMade = (format: string): readonly unknown[] => [
  ...(sessionSeeds[format] ?? []),
  ...(repairSeeds[format] ?? []),
  ...readOnly(format),
  ...(textSeeds[format] ?? []).flatMap((text) => openDocument(text).parts.map(({ value }) => value)),
]

export interface SeedFolders {
  /** The repository. */
  readonly root: string
  /** LIGATURE_CORPUS. */
  readonly corpus?: string
}

export const collectSeeds = (random: Random, { root, corpus }: SeedFolders): Seeds => {
  const seeds = new Map<string, unknown[]>()
  const add = (format: string, values: readonly unknown[]): void => void seeds.set(format, [...(seeds.get(format) ?? []), ...values])
  for (const codec of allCodecs) {
    add(codec.format, handMade(codec.format))
    if (writesAnything(codec)) add(codec.format, generated(codec))
  }
  for (const { format, input } of damagedFixtures(root)) add(format, [input])
  if (corpus !== undefined) for (const [format, values] of fromCorpus(corpus, random)) add(format, values)
  return seeds
}
