/**
 * Shortening a plain list of messages, in whatever format, without parting a call from its result.
 */
import { alignHeadEnd, alignTailStart, atomicGroups } from "ligature/messages"
import { check, decode } from "ligature"

const callOf = (id: string) => ({ id, type: "function", function: { name: "read", arguments: "{}" } })

const messages = [
  { role: "user", content: "Compare a.ts and b.ts." },
  { role: "assistant", content: null, tool_calls: [callOf("a"), callOf("b")] },
  { role: "tool", tool_call_id: "a", content: "one" },
  { role: "tool", tool_call_id: "b", content: "two" },
  { role: "assistant", content: "They differ." },
  { role: "user", content: "And c.ts?" },
  { role: "assistant", content: null, tool_calls: [callOf("c")] },
  { role: "tool", tool_call_id: "c", content: "three" },
]

const findings = (list: readonly unknown[]) => check(decode("openai-chat", list)).map(({ rule }) => rule)

export const run = () => {
  // Keep the first message and the last five: the cut falls between two results of one message.
  const naive = [...messages.slice(0, 1), ...messages.slice(-5)]

  const head = alignHeadEnd(messages, 1)
  const tail = alignTailStart(messages, messages.length - 5, { protectedPrefix: head, toward: "drop" })
  const aligned = [...messages.slice(0, head), ...messages.slice(tail)]

  return { groups: atomicGroups(messages), naive: findings(naive), aligned: findings(aligned), kept: aligned.length }
}
