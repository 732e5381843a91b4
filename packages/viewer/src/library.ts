/**
 * The library, as far as the page uses it. It is loaded with the first conversation that is opened, together with the readers of
 * all formats: what is checked, repaired, converted and compacted here never leaves the machine.
 */
import "../../ligature/src/registry/sessions.ts"
import "../../ligature/src/rules/book/index.ts"

export {
  check,
  convert,
  decode,
  encode,
  fileValueOf,
  hasLines,
  findCodec,
  formats,
  isSessionCodec,
  repair,
  resumeLine,
} from "../../ligature/src/convert/index.ts"
export { checkSession } from "../../ligature/src/convert/session-check.ts"
export { openDocument } from "../../ligature/src/document/index.ts"
export { decodeOptionsOf } from "../../ligature/src/document/part-options.ts"
import { rules } from "../../ligature/src/rules/index.ts"

/** Rules about the history itself, which every provider demands. */
export const ruleIds: ReadonlySet<string> = new Set(rules.map(({ id }) => id))

export { defaultPolicies, partOf, policyNames, policyValues, profileNames, profiles, settle } from "../../ligature/src/rules/index.ts"
export { argumentsLine, blockLine, blockSize, callLine } from "../../ligature/src/cli/print/block.ts"
export { classify, locate, refusedPlace } from "../../ligature/src/rules/classify/index.ts"
export { callsOf, mediaNote, resultText, shellFile } from "../../ligature/src/model/index.ts"
