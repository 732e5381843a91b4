/** L7: arguments that are not a JSON object. */
import { phrase, translated } from "../../model/index.ts"
import { rawArgumentsKey } from "../survey/raw-arguments.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot } from "../survey/index.ts"
import { idOrNone, idsOf, nameOf } from "./wording.ts"

const faults = {
  unparsable: "are not valid JSON",
  "not-object": "are not a JSON object",
  empty: "are empty",
  encoded: "are JSON inside a JSON string",
} as const

export const invalidArguments = defineRule<CallSlot>({
  id: "invalid-arguments",
  invariant: "L7",
  severity: "error",
  title: "Tool call arguments that are not a JSON object",
  why: "Anthropic, Gemini and Bedrock accept only objects; compatible servers parse the text and fail.",
  help: "Repair wraps the text without loss.",
  find: (survey) => survey.faulty,
  describe: ({ call: { fault, ...broken }, message, block }) => ({
    spot: { message, block },
    what: phrase`The arguments of ${nameOf(broken)} (${idOrNone(broken.id)}) ${translated(faults[fault ?? "unparsable"])}`,
    ids: idsOf(broken.id),
    repair:
      fault === "unparsable" || fault === "not-object"
        ? { kind: "demote", what: phrase`carried the text as {"${rawArgumentsKey}": …}` }
        : { kind: "safe", what: fault === "empty" ? "wrote {}" : "parsed the text" },
  }),
  repair: (slot, draft, description) => {
    draft.amendCall(slot, (broken) => {
      const { fault, raw, ...sound } = broken
      if (fault === "empty" || fault === "encoded") return sound
      return { ...broken, arguments: { [rawArgumentsKey]: raw ?? "" } }
    })
    draft.record("invalid-arguments", description)
  },
})
