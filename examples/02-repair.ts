/**
 * A valid request, and a report of what was done to get there.
 */
import { decode, encode, settle } from "ligature"

// The result of `a` comes late, after the user's words; the result of `b` never came.
const request = {
  model: "gpt-4o",
  messages: [
    { role: "user", content: "Look at both." },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "a", type: "function", function: { name: "ls", arguments: "{}" } },
        { id: "b", type: "function", function: { name: "git_log", arguments: "{}" } },
      ],
    },
    { role: "user", content: "And hurry." },
    { role: "tool", tool_call_id: "a", content: "a.ts b.ts" },
  ],
}

export const run = () => {
  // The only door from a transcript, which may be damaged, to a conversation, which cannot be.
  const { conversation, report } = settle(decode("openai-chat", request))

  // Only a conversation can be encoded. The envelope (model, tools, …) comes back with it.
  const { value: repaired } = encode(conversation, "openai-chat")

  return { repaired, done: report.entries.map(({ rule, kind, what }) => `${rule} (${kind}): ${what}`) }
}
