import { openhandsV1 } from "../../../src/sessions/openhands-v1/index.ts"
import { describeCorpus } from "../tau-bench/corpus-files.ts"

describeCorpus({ codec: openhandsV1, folder: "openhands-v1", sessionsOf: (root) => [root], writtenList: "records" })
