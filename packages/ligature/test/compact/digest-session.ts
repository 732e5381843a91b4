/** Histories to digest, and what their digests say. */
import { expect } from "vitest"
import { compact, digest } from "../../src/compact/index.ts"
import { settle } from "../../src/rules/index.ts"
import { assistant, call, type Conversation, type Message, result, tool, transcript, user } from "../../src/model/index.ts"

export const filler = (seed: number, count: number): string =>
  Array.from({ length: count }, (_, line) => {
    const name = `value${seed}n${line}`
    return `  const ${name} = compute(${seed * 1000 + line}, "nothing of note here")`
  }).join("\n")

export const conversationOf = (...messages: readonly Message[]): Conversation => settle(transcript(...messages)).conversation

/** Reads files; the agent itself speaks of `retryBudget` again and again, the rest was seen once. */
export const session = (exchanges: number, ...more: readonly Message[]): Conversation =>
  conversationOf(
    user("Make the uploader in src/upload/uploader.ts retry.\nNever touch src/billing."),
    ...Array.from({ length: exchanges }, (_, index) => [
      assistant(`Checking retryBudget, part ${index}.`, call(`call_${index}`, "read", { path: `src/part${index}.ts` })),
      tool(result(`call_${index}`, `${filler(index, 40)}\nexport const retryBudget${index} = limitOf(retryBudget)`)),
    ]).flat(),
    ...more,
  )

export const digestOf = (conversation: Conversation, budget: number | `${number}%`, goal?: string): string => {
  const { plan } = compact(conversation, { budget, strategy: digest(), ...(goal !== undefined && { goal }) })
  expect(plan.outcome).toBe("compacted")
  const blocks = plan.summaries.flatMap(({ message }) => message.blocks)
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
}
