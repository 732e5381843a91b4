/**
 * Healthy histories of tool-calling agents, generated from choices. Every call carries a token in its arguments and every
 * result repeats the token of its call, so that after any damage and repair one can see whether a result still stands
 * with its own call.
 */
import {
  assistant,
  type Block,
  call,
  type JsonObject,
  type Message,
  result,
  system,
  thinking,
  tool,
  user,
} from "../model/index.ts"
import type { Choices } from "./choices.ts"

export interface GeneratedHistory {
  readonly messages: readonly Message[]
  /** Ids repeat from turn to turn, as some servers number them. */
  readonly recycles: boolean
}

const tools = ["read_file", "bash", "grep", "write_file", "mcp.server/search", "查询"] as const

const words = ["done", "看起来不错", "a < b && c > d", "line one\nline two", "emoji 🎉 here", "[x] Result: no", "<b>bold</b>"] as const

const idShapes: readonly [(token: number, ordinal: number) => string, ...((token: number, ordinal: number) => string)[]] = [
  (token) => `toolu_01${String(token).padStart(6, "0")}`,
  (token) => `call_${token}`,
  (token, ordinal) => `functions.tool:${token * 10 + ordinal}`,
  (token) => `call_${"x".repeat(60)}_${token}`,
  (_, ordinal) => `call_${ordinal}`,
]

/** The token that ties a result to its call. */
export const tokenOf = (text: string): string | undefined => /⟦(\d+)⟧/.exec(text)?.[1]

export const generateHistory = (choices: Choices): GeneratedHistory => {
  const messages: Message[] = []
  const idShape = choices.one(idShapes)
  const recycles = idShape === idShapes.at(-1)
  let token = 0
  if (choices.chance(3)) messages.push(system("You are a careful engineer."))
  const turns = 1 + choices.number(4)
  for (let turn = 0; turn < turns; turn++) {
    messages.push(user(`request ${turn}: ${choices.one(words)}`))
    const steps = choices.number(4)
    for (let step = 0; step < steps; step++) {
      const blocks: (Block | string)[] = []
      const results: Block[] = []
      if (choices.chance(4)) blocks.push(thinking(`thought ${token}`, `c2lnbmF0dXJl${token}`))
      if (choices.chance(2)) blocks.push(`step ${turn}.${step}: ${choices.one(words)}`)
      const parallel = 1 + (choices.chance(3) ? choices.number(3) : 0)
      for (let ordinal = 0; ordinal < parallel; ordinal++) {
        const id = idShape(token, ordinal)
        const args: JsonObject = { token, path: choices.one(words) }
        blocks.push(call(id, choices.one(tools), args))
        const failed = choices.chance(8)
        results.push(result(id, `⟦${token}⟧ ${choices.one(words)}`, failed ? { error: true } : {}))
        token++
      }
      messages.push(assistant(...blocks))
      if (choices.chance(3)) for (const block of results) messages.push(tool(block))
      else messages.push(tool(...results))
    }
    if (choices.number(4) > 0) messages.push(assistant(`answer ${turn}: ${choices.one(words)}`))
  }
  return { messages, recycles }
}
