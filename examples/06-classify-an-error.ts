/**
 * From a provider's error text to the rule that was broken, what to do, and the place in the history.
 */
import { decode } from "ligature"
import { classify, locate } from "ligature/rules"

const request = {
  messages: [
    { role: "user", content: "Run the tests." },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_01", name: "bash", input: { command: "npm test" } }],
    },
    { role: "user", content: "Are you still there?" },
  ],
}

// A body, an Error, a log line, or wrapped by a gateway: only the provider's words matter.
const error = {
  status: 400,
  body: {
    type: "error",
    error: {
      type: "invalid_request_error",
      message:
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. Each " +
        "`tool_use` " +
        "block must have a corresponding `tool_result` block in the next message.",
    },
  },
}

export const run = () => {
  const found = classify(error)
  if (!found) return undefined

  // With the history at hand: the very block, and the damage after the refusal, with its repair.
  const location = locate(found, decode("anthropic", request))

  return {
    rule: found.rule.id,
    action: found.action,
    ids: found.ids,
    place: location?.place,
    damage: location?.diagnostics.map(({ rule, repair }) => `${rule}: ${repair?.what}`),
    // Errors that are not about the conversation are none of its business.
    rateLimit: classify("429 Too Many Requests: rate limit exceeded"),
  }
}
