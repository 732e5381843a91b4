import { expect, it } from "vitest"
import { runCampaign } from "../../../../../scripts/fuzz/campaign.ts"
import { root } from "../../../../../scripts/source-files.ts"
import { hasEngine } from "./engine.ts"

/** The fuzzer's logs include databases only where Node has the engine. */
it.skipIf(!hasEngine)(
  "opens damaged logs and databases or says why not, and loses nothing undamaged without a word",
  async () => {
    const { found } = await runCampaign({ root, seed: 7, inputs: 250, seconds: 30, areas: ["logs"] })
    expect(found.map(({ name, subject }) => `${name}: ${JSON.stringify(subject).slice(0, 4000)}`)).toEqual([])
  },
  600_000,
)
