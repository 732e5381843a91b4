/**
 * The compactor of a store: one set of options, and four ways to use it.
 *
 *     const compact = compactor({ store, model, summarise, settings: { window: { tokens: 200_000 } } })
 *     await run({ model, store, prompt, tools: [...tools, recall.tool(store)], compact: compact.hook() })
 *     await compact.once("conversation-1", { force: true })   // one conversation, now
 *     compact.start()                                         // all conversations, in the background
 *     await compact.stop()
 *     compact.statistics()
 */
import { assertOptions } from "../../model/index.ts"
import type { Store } from "../../store/index.ts"
import type { CompactionStatistics } from "../policy/compaction-statistics.ts"
import { checkTokens, settingsFor } from "../policy/settings-for.ts"
import { BackgroundCompactor, type BackgroundOptions, compactConversation, type OnceOptions } from "./background.ts"
import { type Compact, hookOf, type HookOptions } from "./hook.ts"
import { modelName } from "./prepare.ts"
import { type CompactionListener, type CompactionOutcome, type CompactionRefusal, guarded } from "./stored/notes.ts"

export interface CompactorOptions extends HookOptions, BackgroundOptions {
  readonly store: Store
}

/** What a compactor has done so far, in all its ways. */
export interface CompactorStatistics {
  readonly compacted: number
  /** Compactions that came to nothing, by reason. */
  readonly refused: Readonly<Partial<Record<CompactionRefusal, number>>>
  /** Compactions by the strategy that made them. */
  readonly strategies: Readonly<Record<string, number>>
  /** Of all views before and after. */
  readonly tokens: { readonly before: number; readonly after: number }
  /** What summarisers read and wrote for compactions that were made. */
  readonly summary: CompactionStatistics["summary"]
}

const nothingDone: CompactorStatistics = {
  compacted: 0,
  refused: {},
  strategies: {},
  tokens: { before: 0, after: 0 },
  summary: { requests: 0, inputTokens: 0, outputTokens: 0 },
}

const added = (sum: CompactorStatistics, result: CompactionOutcome): CompactorStatistics => {
  if (result.outcome === "unchanged") return sum
  if (result.outcome === "refused") {
    return { ...sum, refused: { ...sum.refused, [result.reason]: (sum.refused[result.reason] ?? 0) + 1 } }
  }
  const {
    strategy,
    statistics: { before, after, summary },
  } = result
  return {
    ...sum,
    compacted: sum.compacted + 1,
    strategies: { ...sum.strategies, [strategy]: (sum.strategies[strategy] ?? 0) + 1 },
    tokens: { before: sum.tokens.before + before.tokens, after: sum.tokens.after + after.tokens },
    summary: {
      requests: sum.summary.requests + summary.requests,
      inputTokens: sum.summary.inputTokens + summary.inputTokens,
      outputTokens: sum.summary.outputTokens + summary.outputTokens,
    },
  }
}

export class Compactor {
  readonly #options: CompactorOptions
  readonly #background: BackgroundCompactor
  #hook: Compact | undefined
  #statistics = nothingDone

  constructor(options: CompactorOptions) {
    assertOptions(options, {
      store: true,
      summarise: true,
      settings: true,
      model: true,
      profile: true,
      goal: true,
      protect: true,
      meter: true,
      besideTokens: true,
      strategies: true,
      onEvent: true,
      surroundings: true,
      background: true,
      owner: true,
      concurrency: true,
      pollMs: true,
      leaseMs: true,
      heldWaitMs: true,
      writeLease: true,
      watches: true,
    })
    // A run goes on without a hook that fails, so what can never work is an error here.
    settingsFor(options.settings, modelName(options))
    checkTokens("besideTokens", options.besideTokens)
    const listener = options.onEvent && guarded(options.onEvent)
    const onEvent: CompactionListener = (event) => {
      if (event.type === "compaction-end") this.#statistics = added(this.#statistics, event.result)
      listener?.(event)
    }
    this.#options = { ...options, onEvent }
    this.#background = new BackgroundCompactor(this.#options)
  }

  /**
   * For the `compact` option of `run`. The same one each time: in the background it remembers what it is preparing. It works
   * on the store of its run.
   */
  hook(): Compact {
    return (this.#hook ??= hookOf(this.#options))
  }

  /** Compacts one stored conversation if that is due, or with `force` in any case. */
  async once(id: string, options: OnceOptions = {}): Promise<CompactionOutcome> {
    assertOptions(options, { force: true, targetTokens: true, lease: true, heldWaitMs: true, signal: true })
    const { heldWaitMs: _, ...common } = this.#options
    return compactConversation({ ...common, ...options, id })
  }

  /** Starts to watch the store. Does not keep the process alive. */
  start(): void {
    this.#background.start()
  }

  /** Stops watching and cancels what runs. */
  stop(): Promise<void> {
    return this.#background.stop()
  }

  /** Searches the store once for conversations that have changed. */
  look(): Promise<void> {
    return this.#background.look()
  }

  /** Reports that a conversation has changed, for stores that are searched rarely or never. */
  notice(id: string): void {
    this.#background.notice(id)
  }

  /** Cancels the background work on a conversation, or all of it. Nothing half-done is left. */
  cancel(id?: string): void {
    this.#background.cancel(id)
  }

  /** Resolves when nothing waits and nothing runs in the background. */
  idle(): Promise<void> {
    return this.#background.idle()
  }

  statistics(): CompactorStatistics {
    return this.#statistics
  }
}

/** Throws for options that can never work: names that do not exist, values out of range. */
export const compactor = (options: CompactorOptions): Compactor => new Compactor(options)
