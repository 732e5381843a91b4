import { sweAgent } from "../../../src/sessions/swe-agent/index.ts"
import { describeCorpus } from "../tau-bench/corpus-files.ts"

describeCorpus({ codec: sweAgent, folder: "swe-agent", sessionsOf: (root) => [root] })
