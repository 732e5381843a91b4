import { expect, it } from "vitest"
import { runCampaign } from "../../../../scripts/fuzz/campaign.ts"
import { root } from "../../../../scripts/source-files.ts"

/** The same inputs in every run; a slow machine tries fewer of them. `npm run fuzz` looks further. */
const seed = 20_261_115
const inputs = 12_000
const seconds = 60

it("keeps every promise for generated and damaged histories, files, logs and command lines", async () => {
  const { found, inputs: tried } = await runCampaign({ root, seed, inputs, seconds })
  expect(tried).toBeGreaterThan(0)
  expect(found.map(({ name, subject }) => `${name}: ${JSON.stringify(subject).slice(0, 4000)}`)).toEqual([])
}, 600_000)
