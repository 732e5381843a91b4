/**
 * `npm run simulate`: simulated lives of stores that several processes share, more of them than the tests have time for. Ends at
 * the first one in which something is told to a client that is not true, with the seed and the shortest schedule that leads there.
 *
 *   npm run simulate -- --seeds 1000000     as many, from seed 1
 *   npm run simulate -- --seeds 500 --from 7000
 *   npm run simulate -- --seed 4711         one of them again
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const root = fileURLToPath(new URL("..", import.meta.url))
const number = { type: "string" }
const { values } = parseArgs({ options: { seeds: number, from: number, seed: number } })
const from = values.seed ?? values.from ?? "1"
const seeds = values.seed === undefined ? (values.seeds ?? "100000") : "1"
for (const [name, value] of Object.entries({ from, seeds })) {
  if (/^[1-9]\d*$/.test(value)) continue
  console.error(`Expected a whole number greater than 0 for --${name}, got ${value}`)
  process.exit(2)
}

const vitest = join(root, "node_modules/vitest/vitest.mjs")
const env = { ...process.env, LIGATURE_SIMULATE_FROM: from, LIGATURE_SIMULATE_SEEDS: seeds }
const { status } = spawnSync(process.execPath, [vitest, "run", "packages/ligature/test/store/simulation", "--disable-console-intercept"], {
  cwd: root,
  stdio: "inherit",
  env,
})
process.exit(status ?? 1)
