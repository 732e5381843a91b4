import { tau2 } from "../../../src/sessions/tau2/index.ts"
import { describeCorpus } from "../tau-bench/corpus-files.ts"

describeCorpus({
  codec: tau2,
  folder: "tau2",
  sessionsOf: (root) => tau2.session.sessionsIn?.(root).map(({ value }) => value) ?? [],
  differences: {
    "tau2/oscaralvaro+tau2-bench-00.json": {
      ours: { messages: 184, calls: 34, results: 34 },
      why: "8 of the 42 calls and their results are the simulated user's own, told as text: the agent made none of them",
    },
  },
})
