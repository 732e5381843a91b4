/** What providers reported of their answers, wherever an agent keeps it in its session. */
import { isWire, type Wire } from "../../model/index.ts"

/** As providers reported them, over all requests of a session. */
export interface ReportedUsage {
  requests: number
  /** Tokens sent, those from the cache among them. */
  input: number
  cached: number
  output: number
  /** Tokens sent with the largest of them. */
  largest: number
}

const numberIn = (usage: Wire, ...names: readonly string[]): number => {
  for (const name of names) if (typeof usage[name] === "number") return usage[name]
  return 0
}

/** `input_tokens` of some agents counts what came from the cache, that of others does not. */
const usageIn = (usage: Wire): Omit<ReportedUsage, "requests" | "largest"> | undefined => {
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
  const sum: ReportedUsage = { requests: 0, input: 0, cached: 0, output: 0, largest: 0 }
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
      sum.largest = Math.max(sum.largest, usage.input)
    }
    if (usage === undefined)
      for (const [key, each] of Object.entries(inner)) if (key !== "content" && key !== "parts") look(each, depth + 1)
  }
  look(value, 0)
  return sum.requests === 0 ? undefined : sum
}
