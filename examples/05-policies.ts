/**
 * Choosing between repairs. Where agents disagree, the choice is a policy with a default.
 */
import { decode, flatten, policyValues, settle } from "ligature"

// Two parallel calls; only the first was answered.
const messages = [
  { role: "user", content: "Look at both." },
  {
    role: "assistant",
    content: [
      { type: "text", text: "I look." },
      { type: "tool_use", id: "a", name: "ls", input: {} },
      { type: "tool_use", id: "b", name: "git_log", input: {} },
    ],
  },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "a", content: "a.ts" },
      { type: "text", text: "Stop." },
    ],
  },
]

export const run = () => {
  const transcript = decode("anthropic", messages)
  return Object.fromEntries(
    policyValues.unansweredCall.map((unansweredCall) => {
      const { conversation } = settle(transcript, { policies: { unansweredCall } })
      const blocks = flatten(conversation).messages.flatMap((message) => message.blocks)
      return [unansweredCall, blocks.map((block) => (block.type === "text" ? block.text : block.type))]
    }),
  )
}
