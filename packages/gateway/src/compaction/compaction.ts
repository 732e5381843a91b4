/**
 * Compacts conversations that have grown too large for their model. The client keeps sending everything; the store has
 * everything; the provider is sent a view. When it is due is for the library's policy to say. It is asked only where the
 * size of the body makes it likely, because it reads the whole conversation.
 */
import { declareTools } from "ligature/agent"
import { type CompactionOutcome, type Compactor, compactor, recall, type Summarise } from "ligature/compact"
import type { Conversation } from "../conversation/memory.ts"
import type { Metrics } from "../metrics.ts"
import type { ConversationRecord } from "../record/conversation-record.ts"
import type { History } from "../record/history.ts"
import { viewBody } from "../record/view.ts"
import type { Json, Wire } from "../wires/wire.ts"
import type { CompactionSettings } from "./settings.ts"

/** A token has at least so many bytes, in almost any text; the policy counts better. */
const leastBytesPerToken = 2
/** And about so many in what agents say. */
const usualBytesPerToken = 3.5

export interface Prepared {
  /** What is to be sent instead of the client's body. */
  readonly bytes: Buffer
  /** The model has the recall tool. */
  readonly canRecall: boolean
}

export interface CompactionOptions {
  readonly settings: CompactionSettings
  readonly history: History
  readonly summarise: Summarise | undefined
  readonly metrics: Metrics
  readonly onError: (error: unknown) => void
}

interface Limits {
  readonly triggerTokens: number
  readonly hardTokens: number
}

const numberIn = (value: unknown, ...path: readonly string[]): number | undefined => {
  let at: unknown = value
  for (const name of path) at = typeof at === "object" && at !== null ? (at as Json)[name] : undefined
  return typeof at === "number" ? at : undefined
}

/** The smallest limits of any model: the policy knows which one it is. */
const limitsOf = ({ settings }: CompactionSettings): Limits => {
  const each = [settings, ...Object.values(settings.models ?? {}).map((own) => ({ ...settings, ...own }))].map((one) => {
    const window = numberIn(one, "window", "tokens") ?? 128_000
    const room = window - (numberIn(one, "window", "reserveTokens") ?? 8_192)
    const tokens = numberIn(one, "trigger", "tokens") ?? 0
    const byShare = room * (numberIn(one, "trigger", "share") ?? 0.8)
    const hard = room * (numberIn(one, "trigger", "hardShare") ?? 0.95)
    return { trigger: tokens > 0 ? Math.min(tokens, byShare) : byShare, hard }
  })
  return { triggerTokens: Math.min(...each.map(({ trigger }) => trigger)), hardTokens: Math.min(...each.map(({ hard }) => hard)) }
}

interface OnceTerms {
  readonly force?: boolean
  readonly signal?: AbortSignal
  /** How long others wait for a process that died while it worked on it. */
  readonly leaseMs?: number
}

export class Compaction {
  readonly #options: CompactionOptions
  /** Takes a compaction between requests away from this process: set where there are jobs. */
  later: ((conversation: string, besideTokens: number) => Promise<void>) | undefined
  readonly #limits: Limits
  /** Bodies that were found small enough, by conversation: the next look is due when they have grown. */
  readonly #seen = new WeakMap<ConversationRecord, number>()

  constructor(options: CompactionOptions) {
    this.#options = options
    this.#limits = limitsOf(options.settings)
  }

  #compactor(besideTokens: number, leaseMs: number | undefined): Compactor {
    const { settings, history, summarise } = this.#options
    const lease = leaseMs !== undefined && { leaseMs }
    return compactor({ store: history.store, settings: settings.settings, besideTokens, ...lease, ...(summarise && { summarise }) })
  }

  #tools(wire: Wire, body: Buffer): readonly unknown[] {
    // One that the client has by that name is the client's.
    if (!this.#options.settings.recall || body.includes('"name":"recall"')) return []
    const { tools } = declareTools(wire.name, [recall.tool()]) as { readonly tools?: readonly unknown[] }
    return tools ?? []
  }

  /** What is sent now. Undefined: the client's own body. */
  #view(record: ConversationRecord, body: Buffer, wire: Wire): (Prepared & { readonly besideBytes: number }) | undefined {
    if (!record.view) return undefined
    const tools = this.#tools(wire, body)
    const viewed = viewBody(record, body, wire, tools)
    return viewed && { ...viewed, canRecall: tools.length > 0 }
  }

  /** Before a request. `overflow`: its provider refused it as too long. */
  async prepare(conversation: Conversation, body: Buffer, wire: Wire, overflow = false): Promise<Prepared | undefined> {
    const { settings, history, onError } = this.#options
    const { record } = conversation
    if (record?.id === undefined) return undefined
    const viewed = this.#view(record, body, wire)
    const list = record.body?.slices?.list
    const besideBytes = viewed?.besideBytes ?? (list ? body.length - (list.end - list.start) : 0)
    const bytes = viewed?.bytes.length ?? body.length
    const isSeen = bytes < (this.#seen.get(record) ?? 0) * 1.02
    if (!overflow && (isSeen || bytes / leastBytesPerToken < this.#limits.triggerTokens)) return viewed
    if (!overflow && settings.background && bytes / usualBytesPerToken < this.#limits.hardTokens) {
      this.#seen.set(record, bytes)
      void this.#between(record.id, Math.ceil(besideBytes / usualBytesPerToken)).catch((error: unknown) => {
        this.#seen.delete(record)
        onError(error)
      })
      return viewed
    }
    try {
      const outcome = await this.once(record.id, Math.ceil(besideBytes / usualBytesPerToken), { force: overflow })
      if (outcome.outcome !== "compacted") {
        this.#seen.set(record, bytes)
        return viewed
      }
      await history.refresh(conversation)
      const after = this.#view(record, body, wire) ?? viewed
      if (after) this.#seen.set(record, after.bytes.length)
      return after
    } catch (error) {
      onError(error)
      return viewed
    }
  }

  async once(id: string, besideTokens = 0, { leaseMs, ...terms }: OnceTerms = {}): Promise<CompactionOutcome> {
    const { metrics } = this.#options
    const outcome = await this.#compactor(besideTokens, leaseMs).once(id, terms)
    metrics.add("ligature_compactions_total", { outcome: outcome.outcome })
    if (outcome.outcome === "compacted") {
      const { before, after } = outcome.statistics
      metrics.add("ligature_tokens_saved_total", {}, Math.max(0, before.tokens - after.tokens))
    }
    return outcome
  }

  /** Between requests. What is written moves the tip, so that the next request reads it. */
  async #between(id: string, besideTokens: number): Promise<void> {
    if (this.later) return this.later(id, besideTokens)
    await this.once(id, besideTokens)
  }
}
