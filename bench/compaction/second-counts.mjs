/** Other ways to count the same view: against undercounting. Shares of the context, each in its own count. */
import { toWire } from "./canonical.mjs"
import { loadCl100k, o200k, tokensOfAll } from "./tokens.mjs"

const wireTokens = (messages) => toWire(messages).reduce((sum, message) => sum + o200k(JSON.stringify(message)), 0)

export const secondCounts = async () => {
  const cl100k = await loadCl100k()
  return (cut, messages) => {
    const { messages: context } = cut.context
    const whole = (cut.secondCounts ??= { wire: wireTokens(context), cl100k: tokensOfAll(context, cl100k) })
    return { usedWire: wireTokens(messages) / whole.wire, usedCl100k: tokensOfAll(messages, cl100k) / whole.cl100k }
  }
}
