/** The command line of the fuzzer: reads options, prints what was found, saves inputs and repeats saved ones. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import type { Subject } from "./area.ts"
import { type CampaignOptions, checkSubject, type Found, runCampaign } from "./campaign.ts"
import { jsonOf } from "./json-tree.ts"
import { nameOf } from "./trial.ts"

const usage = `npm run fuzz -- [--seconds 60] [--seed 1] [--inputs N] [--area NAME]… [--format NAME]… [--known] [--out DIR]
npm run fuzz -- --repeat FILE…

  --area     values, places, files, logs or commands (default: all)
  --known    also show failures that scripts/fuzz/known.ts lists
  --out      where inputs are saved (default: fuzz-failures)
  --repeat   check saved inputs again
LIGATURE_CORPUS=FOLDER takes pieces of real files as well.`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const fileName = (name: string): string => `${name.replace(/[^\w.-]+/g, "-").slice(0, 100)}.json`

const show = (found: Found, folder: string): void => {
  const path = join(folder, fileName(found.name))
  const input = jsonOf(found.subject)
  writeFileSync(path, input)
  say(`\n${found.times} × ${found.name}${found.known ? " (known)" : ""}`)
  say(`  ${found.failure.text.split("\n").slice(0, 6).join("\n  ").slice(0, 900)}`)
  say(`  input: ${input.slice(0, 1500)}`)
  say(`  npm run fuzz -- --repeat ${path}`)
}

const repeat = async (paths: readonly string[]): Promise<number> => {
  let failed = 0
  for (const path of paths) {
    const failures = await checkSubject(JSON.parse(readFileSync(path, "utf8")) as Subject)
    say(`${path}: ${failures.length === 0 ? "nothing fails" : ""}`)
    for (const failure of failures) say(`  ${nameOf(failure)}\n    ${failure.text.split("\n").slice(0, 12).join("\n    ")}`)
    failed += failures.length
  }
  return failed === 0 ? 0 : 1
}

/** The exit code. `root` is the repository. */
export const main = async (root: string, parameters: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      seconds: { type: "string" },
      seed: { type: "string" },
      inputs: { type: "string" },
      area: { type: "string", multiple: true },
      format: { type: "string", multiple: true },
      known: { type: "boolean" },
      out: { type: "string" },
      repeat: { type: "boolean" },
      help: { type: "boolean" },
    },
  })
  if (values.help === true) return (say(usage), 0)
  if (values.repeat === true) return repeat(positionals)
  const corpus = process.env["LIGATURE_CORPUS"]
  const options: CampaignOptions = {
    root,
    seed: Number(values.seed ?? 1),
    ...(values.inputs === undefined ? { seconds: Number(values.seconds ?? 60) } : { inputs: Number(values.inputs) }),
    ...(values.format && { formats: values.format }),
    ...(values.area && { areas: values.area }),
    ...(corpus !== undefined && corpus !== "" && { corpus }),
    includeKnown: values.known === true,
    onFound: (name) => void process.stderr.write(`${name}\n`),
  }
  const { inputs, found, slow } = await runCampaign(options)
  const folder = values.out ?? "fuzz-failures"
  if (found.length > 0) mkdirSync(folder, { recursive: true })
  for (const each of found) show(each, folder)
  for (const { area, ms, characters } of slow) say(`slow (a hint, no failure): ${area}, ${characters} characters, ${Math.round(ms)} ms`)
  say(`\n${inputs} inputs, seed ${options.seed}: ${found.length === 0 ? "nothing failed" : `${found.length} kinds of failure`}`)
  return found.length === 0 ? 0 : 1
}
