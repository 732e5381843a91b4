/** What can be fuzzed: where inputs come from, what must hold for them, and how one is made smaller. */
import type { Vocabulary } from "./mutate-json.ts"
import type { Random } from "./random.ts"
import type { Seeds } from "./seeds.ts"
import type { Failure } from "./trial.ts"

/** An input as JSON, bytes in base64: what is saved, and what `--repeat` reads. */
export interface Subject {
  readonly area: string
  readonly [field: string]: unknown
}

export interface Material {
  readonly seeds: Seeds
  readonly vocabulary: Vocabulary
  readonly formats: readonly string[]
}

export interface Area {
  readonly name: string
  /** How often it is drawn, among all areas. */
  readonly weight: number
  readonly draw: (random: Random, material: Material) => Promise<Subject>
  /** `random`: to try a part of everything that could be tried. Without it, all. `failure`: only what shows this one. */
  readonly check: (subject: Subject, options?: { readonly random?: Random; readonly failure?: Failure }) => Promise<readonly Failure[]>
  readonly shrink: (subject: Subject, stillFails: (candidate: Subject) => Promise<boolean>) => Promise<Subject>
}

export const bytesOf = (base64: unknown): Buffer => Buffer.from(String(base64), "base64")
