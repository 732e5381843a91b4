/**
 * A run of the fuzzer: draws inputs until the time or the number of them is used up, keeps one input per kind of failure and
 * makes it small at the end. What comes out depends on seed and number of inputs alone, so that a failure can be found again.
 */
import type { Area, Subject } from "./area.ts"
import { commands } from "./areas/commands.ts"
import { files } from "./areas/files.ts"
import { logs } from "./areas/logs.ts"
import { places } from "./areas/places.ts"
import { values } from "./areas/values.ts"
import { jsonOf } from "./json-tree.ts"
import { isKnown } from "./known.ts"
import { vocabularyOf } from "./mutate-json.ts"
import { Random } from "./random.ts"
import { collectSeeds, type SeedFolders } from "./seeds.ts"
import { type Failure, nameOf } from "./trial.ts"

const areas: readonly Area[] = [values, places, files, logs, commands]

export interface Found {
  readonly failure: Failure
  readonly name: string
  /** The input, made small. */
  readonly subject: Subject
  readonly times: number
  readonly known: boolean
}

export interface CampaignOptions extends SeedFolders {
  readonly seed: number
  readonly seconds?: number
  readonly inputs?: number
  readonly formats?: readonly string[]
  /** Default: all. */
  readonly areas?: readonly string[]
  /** Whether to look at failures that known.ts lists. */
  readonly includeKnown?: boolean
  readonly onFound?: (name: string) => void
}

export interface CampaignResult {
  readonly inputs: number
  readonly found: readonly Found[]
  /** The slowest inputs, as a hint: never a failure, since machines differ. */
  readonly slow: readonly { readonly area: string; readonly ms: number; readonly characters: number }[]
}

const areaOf = ({ area: name }: Subject): Area => {
  const found = areas.find((area) => area.name === name)
  if (!found) throw new Error(`Unknown area ${name}. Areas: ${areas.map((area) => area.name).join(", ")}`)
  return found
}

export const checkSubject = (subject: Subject): Promise<readonly Failure[]> => areaOf(subject).check(subject)

const shrunk = (subject: Subject, failure: Failure): Promise<Subject> => {
  const area = areaOf(subject)
  const name = nameOf(failure)
  return area.shrink(subject, async (candidate) => (await area.check(candidate, { failure })).some((each) => nameOf(each) === name))
}

/** Each as often as its weight says. */
const drawnArea = (random: Random, chosen: readonly Area[]): Area => {
  let left = random.number(chosen.reduce((sum, { weight }) => sum + weight, 0))
  for (const area of chosen) {
    left -= area.weight
    if (left < 0) return area
  }
  return values
}

const slowMs = 500

export const runCampaign = async (options: CampaignOptions): Promise<CampaignResult> => {
  const seeds = collectSeeds(new Random(options.seed), options)
  const material = { seeds, vocabulary: vocabularyOf([...seeds.values()].flat()), formats: options.formats ?? [...seeds.keys()] }
  const chosen = areas.filter(({ name }) => options.areas?.includes(name) ?? true)
  const kept = new Map<string, { readonly failure: Failure; readonly subject: Subject; readonly known: boolean; times: number }>()
  const slow: { area: string; ms: number; characters: number }[] = []
  const end = performance.now() + (options.seconds ?? 1e9) * 1000
  let inputs = 0
  for (; inputs < (options.inputs ?? Infinity) && performance.now() < end; inputs++) {
    // Each input has a generator of its own: how long one took or what it drew changes nothing for the next.
    const random = new Random(options.seed * 1_000_003 + inputs)
    const area = drawnArea(random, chosen)
    const subject = await area.draw(random, material)
    const started = performance.now()
    const failures = await area.check(subject, { random })
    const ms = performance.now() - started
    if (ms > slowMs) slow.push({ area: area.name, ms, characters: jsonOf(subject).length })
    for (const failure of failures) {
      const known = isKnown(failure)
      if (known && options.includeKnown !== true) continue
      const name = nameOf(failure)
      const before = kept.get(name)
      if (before) before.times++
      else {
        kept.set(name, { failure, subject, known, times: 1 })
        options.onFound?.(name)
      }
    }
  }
  const found: Found[] = []
  for (const [name, { failure, subject, known, times }] of kept)
    found.push({ name, failure, known, times, subject: await shrunk(subject, failure) })
  return {
    inputs,
    found: found.toSorted((one, other) => other.times - one.times),
    slow: slow.toSorted((one, other) => other.ms - one.ms).slice(0, 10),
  }
}
