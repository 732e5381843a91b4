/**
 * Where the tokens of a history are, and what the provider said it was charged. Estimates are those of `compact`; what providers said
 * is noted by agents beside their messages, under names that differ little.
 */
import { estimateMeter } from "../../compact/index.ts"
import { type Block, type Conversation, isWire, type Wire } from "../../model/index.ts"

export const shareNames = ["system", "tools", "summaries", "user", "assistant", "thinking", "calls", "results", "media"] as const
export type ShareName = (typeof shareNames)[number]
export type TokenShares = Record<ShareName, number>

export const noShares = (): TokenShares => ({
  system: 0,
  tools: 0,
  summaries: 0,
  user: 0,
  assistant: 0,
  thinking: 0,
  calls: 0,
  results: 0,
  media: 0,
})

const shareOf = (block: Block, otherwise: ShareName): ShareName => {
  if (block.type === "call") return "calls"
  if (block.type === "thinking") return "thinking"
  return block.type === "media" ? "media" : otherwise
}

export const addShares = (into: TokenShares, from: TokenShares): void => {
  for (const name of shareNames) into[name] += from[name]
}

export const sharesOf = ({ items }: Conversation, tools: unknown): TokenShares => {
  const shares = noShares()
  const add = (block: Block, otherwise: ShareName): void => {
    // Media in a result count as media: they are what makes it large.
    if (block.type === "result")
      for (const part of block.content) shares[shareOf(part, "results")] += estimateMeter.sizeOfBlock(part).tokens
    else shares[shareOf(block, otherwise)] += estimateMeter.sizeOfBlock(block).tokens
  }
  if (tools !== undefined) shares.tools += estimateMeter.sizeOfTools(tools).tokens
  for (const item of items) {
    if (item.role === "exchange") {
      for (const message of [item.message, ...(item.reply ? [item.reply] : [])]) for (const block of message.blocks) add(block, "assistant")
      for (const { result } of item.outcomes) if (result) add(result, "results")
    } else
      for (const block of item.blocks)
        add(block, item.role === "system" ? "system" : item.role === "user" && item.summary === true ? "summaries" : "user")
  }
  return shares
}

/** As providers reported them, over all requests of a session. */
export interface ReportedUsage {
  requests: number
  /** Tokens sent, those from the cache among them. */
  input: number
  cached: number
  output: number
}

const numberIn = (usage: Wire, ...names: readonly string[]): number => {
  for (const name of names) if (typeof usage[name] === "number") return usage[name]
  return 0
}

/** `input_tokens` of some agents counts what came from the cache, that of others does not. */
const usageIn = (usage: Wire): Omit<ReportedUsage, "requests"> | undefined => {
  const apart = numberIn(usage, "cache_read_input_tokens", "cacheRead", "cache_read")
  const written = numberIn(usage, "cache_creation_input_tokens", "cacheWrite", "cache_write")
  const among = numberIn(usage, "cached_input_tokens", "cachedContentTokenCount", "cached")
  const input = numberIn(usage, "input_tokens", "input", "prompt_tokens", "promptTokenCount") + apart + written
  const output = numberIn(usage, "output_tokens", "output", "completion_tokens", "candidatesTokenCount")
  return input + output === 0 ? undefined : { input, cached: apart + among, output }
}

const usageFields = ["usage", "last_token_usage", "tokens", "usageMetadata"] as const

/** record → payload → info → usage */
const deepest = 4

/** One response may be spread over several records, each with the same usage. */
export const reportedUsage = (value: unknown): ReportedUsage | undefined => {
  const sum: ReportedUsage = { requests: 0, input: 0, cached: 0, output: 0 }
  const seen = new Set<unknown>()
  const look = (inner: unknown, depth: number): void => {
    if (depth > deepest) return
    if (Array.isArray(inner)) return inner.forEach((each) => look(each, depth))
    if (!isWire(inner)) return
    const field = usageFields.find((name) => isWire(inner[name]))
    const usage = field === undefined ? undefined : usageIn(inner[field] as Wire)
    const id = inner["id"]
    if (usage && !(typeof id === "string" && seen.has(id))) {
      if (typeof id === "string") seen.add(id)
      sum.requests++
      sum.input += usage.input
      sum.cached += usage.cached
      sum.output += usage.output
    }
    if (usage === undefined)
      for (const [key, each] of Object.entries(inner)) if (key !== "content" && key !== "parts") look(each, depth + 1)
  }
  look(value, 0)
  return sum.requests === 0 ? undefined : sum
}
