/**
 * The cheat: rare strings without anything around them. It is here to show that the measure in context and the gates
 * catch it; nobody should send this to a model.
 */
import { textOf } from "../../canonical.mjs"
import { itemsOf } from "../../metric/items.mjs"
import { o200k } from "../../tokens.mjs"

export const bagOfStrings = (messages, budget) => {
  const seen = new Map()
  for (const [index, message] of messages.entries()) {
    for (const item of itemsOf(textOf(message)).keys()) {
      const before = seen.get(item)
      const used = (before?.used ?? 0) + (message.role === "assistant" ? 1 : 0)
      seen.set(item, { count: (before?.count ?? 0) + 1, used, last: index })
    }
  }
  const value = ({ count, used, last }) => (1 + 3 * used) / count + last / messages.length
  const order = [...seen].sort((a, b) => value(b[1]) - value(a[1]))
  const words = []
  let left = budget - 8
  for (const [item] of order) {
    const cost = o200k(` ${item}`) + 1
    if (cost > left) continue
    left -= cost
    words.push(item)
  }
  return [{ role: "user", content: words.join(" "), summary: true }]
}
