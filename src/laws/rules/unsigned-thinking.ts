/** L10: a thinking block with neither text nor signature. */
import { assistant, thinking, user } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { Spot } from "../survey.ts"

export const unsignedThinking = defineRule<Spot>({
  id: "unsigned-thinking",
  law: "L10",
  severity: "warning",
  title: "A thinking block with neither text nor signature",
  doc: `Gateways emit empty thinking blocks. A block with a signature is complete even without text and must stay; one with neither
says nothing to anyone. Settle leaves it out.`,
  why: "Anthropic rejects a thinking block without signature.",
  help: "Repair leaves the block out.",
  examples: [
    {
      title: "nothing at all",
      before: [user("hi"), assistant(thinking(""), "Hello.")],
      finds: 1,
      after: [user("hi"), assistant("Hello.")],
    },
    {
      title: "a signature without text is complete",
      before: [user("hi"), assistant(thinking("", "c2ln"), "Hello.")],
      finds: 0,
      after: [user("hi"), assistant(thinking("", "c2ln"), "Hello.")],
    },
  ],
  find: (survey) => survey.hollowThinking,
  describe: (spot) => ({
    spot,
    what: "A thinking block has neither text nor signature",
    ids: [],
    repair: { kind: "drop", what: "left out the empty thinking block" },
  }),
  repair: (spot, draft, description) => {
    draft.replace(spot)
    draft.record("unsigned-thinking", description)
  },
})
