/** Wire and session values of every format, damaged in their structure. */
import { profileNames } from "../../../packages/ligature/src/rules/index.ts"
import type { Area } from "../area.ts"
import { cloned } from "../json-tree.ts"
import { mutatedJson } from "../mutate-json.ts"
import type { Random } from "../random.ts"
import { allCodecs, writesAnything } from "../seeds.ts"
import { shrunkJson } from "../shrink.ts"
import type { Failure } from "../trial.ts"
import { type Trials, tryValue } from "./value-properties.ts"

const everything: Trials = { profiles: profileNames, targets: allCodecs.filter(writesAnything).map(({ format }) => format) }

const some = (random: Random, names: readonly string[], count: number): readonly string[] =>
  Array.from({ length: count }, () => random.among(names) ?? "")

const partOf = (random: Random): Trials => ({
  profiles: some(random, everything.profiles, 2),
  targets: some(random, everything.targets, 1),
})

/** Only the trials that show this failure, so that shrinking is fast. */
const trialsFor = ({ detail }: Failure): Trials => ({
  profiles: profileNames.filter((name) => detail.includes(name)),
  targets: everything.targets.filter((format) => detail.includes(`to ${format}`) || detail.startsWith(`${format}:`)),
})

export const values: Area = {
  name: "values",
  weight: 80,
  draw: async (random, { seeds, vocabulary, formats }) => {
    const format = random.among(formats) ?? ""
    return { area: "values", format, value: mutatedJson(random.among(seeds.get(format) ?? []), random, vocabulary) }
  },
  check: async ({ format, value }, { random, failure } = {}) =>
    tryValue(String(format), cloned(value), failure ? trialsFor(failure) : random ? partOf(random) : everything),
  shrink: async (subject, stillFails) => ({
    ...subject,
    value: await shrunkJson(subject["value"], (value) => stillFails({ ...subject, value })),
  }),
}
