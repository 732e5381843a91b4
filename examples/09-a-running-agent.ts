/**
 * While an agent runs, calls of the last exchange have no result yet, and that is no damage: the tip is open. When the
 * process dies, the history is closed with an honest outcome; and if the real result turns up after all, it takes the
 * place of the generated one.
 */
import { check, convert, decode, type Wire } from "ligature"

const running = [
  { role: "user", content: "Deploy it." },
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_01", name: "deploy", input: {} }] },
]

const sameFormat = { from: "anthropic", to: "anthropic" } as const

const messagesOf = (value: Wire) => value["messages"] as readonly unknown[]

export const run = () => {
  const transcript = decode("anthropic", running)
  const whileRunning = check(transcript, { tip: "open" })
  const afterCrash = check(transcript, { tip: "closed" })

  // What is stored after the crash: the call with an outcome that says that nobody knows how far it got.
  const stored = messagesOf(convert(running, sameFormat).value)

  // The worker had finished: its result arrives. It replaces the generated one.
  const late = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_01", content: "deployed" }] }
  const { value, report } = convert([...stored, late], sameFormat)

  return {
    whileRunning: whileRunning.length,
    afterCrash: afterCrash.map((finding) => finding.rule),
    stored,
    final: messagesOf(value),
    done: report.entries.map(({ rule, kind, what }) => `${rule} (${kind}): ${what}`),
  }
}
