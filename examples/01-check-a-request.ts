/**
 * What is wrong with a request, and where.
 */
import { check, decode } from "ligature"

// The tool was killed, the user wrote again: the call has no result, and any provider refuses the request.
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

export const run = () => {
  // Decoding never fails on data: a transcript says what the request said, damage included.
  const transcript = decode("anthropic", request)

  // Each finding says what, where, why, what to do, and which repair would be applied. Nothing is changed.
  const findings = check(transcript)
  return findings.map(({ rule, place, what, repair }) => ({ rule, message: place.message, what, repair: repair?.kind }))
}
