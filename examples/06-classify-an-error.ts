/**
 * From a provider's error text to the rule that was broken, what to do, and the place it names.
 *
 * In your own code: import { classify } from "ligature"
 */
import { classify } from "../src/laws/classify/index.ts"

// The text may be a body, an Error, a log line, or wrapped by a gateway; only the provider's words matter.
const body = {
  type: "error",
  error: {
    type: "invalid_request_error",
    message:
      "messages.14: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. Each `tool_use` " +
      "block must have a corresponding `tool_result` block in the next message.",
  },
}

export const run = () => {
  const found = classify({ status: 400, body })
  return {
    rule: found?.rule.id,
    action: found?.action,
    message: found?.place?.message,
    ids: found?.ids,
    keptBy: found?.rule.enforcedBy,
    // Errors that are not about the conversation are none of its business.
    rateLimit: classify("429 Too Many Requests: rate limit exceeded"),
  }
}
