import { describe, expect, it } from "vitest"
import { tauBench } from "../../../src/sessions/tau-bench/index.ts"
import { crush } from "../../../src/sessions/crush/index.ts"
import { langgraph } from "../../../src/sessions/langgraph/index.ts"
import { openhandsV0 } from "../../../src/sessions/openhands-v0/index.ts"
import { openhandsV1 } from "../../../src/sessions/openhands-v1/index.ts"
import { sweAgent } from "../../../src/sessions/swe-agent/index.ts"
import { tau2 } from "../../../src/sessions/tau2/index.ts"
import { describeCorpus, filesOf, folders, hasCorpus, sampleOf } from "./corpus-files.ts"

describeCorpus({
  codec: tauBench,
  folder: "tau-bench",
  sessionsOf: (root) => tauBench.session.sessionsIn?.(root).map(({ value }) => value) ?? [],
})

describe.skipIf(!hasCorpus)("codecs of benchmarks and databases", () => {
  it.each(folders())("take no file of %s for one of theirs, but for their own folder", (folder) => {
    for (const file of filesOf(folder)) {
      if (file.endsWith(".db")) continue
      const sample = sampleOf(file)
      for (const codec of [tauBench, tau2, sweAgent, openhandsV0, openhandsV1, crush, langgraph]) {
        if (codec.format !== folder) expect(codec.session.recognise(sample), `${file} as ${codec.format}`).toBeUndefined()
      }
    }
  })
})
