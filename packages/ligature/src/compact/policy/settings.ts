/**
 * Everything that can be set about compaction, in one table: name, default, unit, what it does and why the default is
 * what it is. The guide prints this table; nothing is set anywhere else.
 */
import { type SummaryStyle, summaryStyles } from "../summary/instructions.ts"

export interface CompactSettings {
  /** What one request may hold. */
  readonly window: { readonly tokens: number; readonly reserveTokens: number; readonly requestBytes: number }
  /** When a view is compacted. */
  readonly trigger: { readonly share: number; readonly tokens: number; readonly hardShare: number }
  /** The size a view is compacted to. */
  readonly target: { readonly share: number; readonly tokens: number }
  /** The least a compaction has to save. */
  readonly gain: { readonly share: number; readonly tokens: number; readonly requests: number }
  readonly strategy: "summary" | "generations" | "digest" | "mask" | "window"
  /** What stays verbatim at both ends. */
  readonly keep: { readonly first: number; readonly last: number }
  /** Tool results. */
  readonly results: { readonly maxTokens: number }
  readonly thinking: "keep" | "strip"
  /** Summaries by a model. */
  readonly summary: {
    readonly model: string
    readonly windowTokens: number
    readonly maxTokens: number
    readonly temperature: number
    readonly timeoutMs: number
    readonly attempts: number
    readonly maxFailures: number
    readonly onFailure: "fall-back" | "wait"
    readonly style: SummaryStyle
    readonly names: "append" | "retry" | "off"
    readonly nameCount: number
  }
  /** What tokens cost, relative to input. */
  readonly prices: {
    readonly cacheRead: number
    readonly cacheWrite: number
    readonly output: number
    readonly summary: number
  }
}

type Group = keyof CompactSettings

/** `strategy`, `window.tokens`, … */
export type SettingName = {
  [Each in Group]: CompactSettings[Each] extends string ? Each : `${Each}.${keyof CompactSettings[Each] & string}`
}[Group]

export interface Setting {
  readonly default: number | string
  readonly unit?: string
  /** The values a text may have. */
  readonly values?: readonly string[]
  /** Bounds of a number, both included. */
  readonly range?: readonly [least: number, most: number]
  /** Of a number: it counts something. */
  readonly isWhole?: true
  readonly what: string
  readonly why: string
}

const share = [0, 1] as const
const many = [0, Number.MAX_SAFE_INTEGER] as const

/** A setting that is missing here does not compile. */
export const settingsTable: Readonly<Record<SettingName, Setting>> = {
  "window.tokens": {
    default: 128_000,
    unit: "tokens",
    range: [1_000, Number.MAX_SAFE_INTEGER],
    what: "Context window of the model, input and output together.",
    why: "The smallest window of today's common models; too small is safe, too large is an error of the provider.",
  },
  "window.reserveTokens": {
    default: 8_192,
    unit: "tokens",
    range: many,
    what: "Room for the answer, taken off the window.",
    why: "What most models answer at most by default.",
  },
  "window.requestBytes": {
    default: 20_000_000,
    unit: "bytes",
    range: [10_000, Number.MAX_SAFE_INTEGER],
    what: "The largest request body that the provider accepts. Shares of it trigger and bound a compaction like those of the window.",
    why: "The smallest limit of today's common providers. Images are few tokens and many bytes, so a limit in tokens alone misses them.",
  },
  "trigger.share": {
    default: 0.8,
    unit: "of the window",
    range: share,
    what: "The view is compacted when it is larger than this, where reserve, system prompt and tools are taken off first; also of `window.requestBytes`.",
    why: "Every compaction costs the prompt cache, so as late as is safe: an answer and one large result still fit.",
  },
  "trigger.tokens": {
    default: 0,
    unit: "tokens",
    range: many,
    what:
      "The same as a number of tokens; where both apply, the smaller holds. It lowers the least gain by as much, and the " +
      "target where `target.tokens` is 0. 0: by share.",
    why: "A share suits every model. A number is for budgets in money or time, which a larger window does not raise.",
  },
  "trigger.hardShare": {
    default: 0.95,
    unit: "of the window",
    range: share,
    what: "Above this, the view is compacted whatever gain and cost are, and without waiting for a summariser that " + "failed.",
    why: "The next request would be rejected.",
  },
  "target.share": {
    default: 0.4,
    unit: "of the window",
    range: share,
    what: "The size it is compacted to, counted like the trigger. Above 150,000 tokens of window, at most 0.25 of it.",
    why:
      "Far enough below the trigger that the next compaction is many requests away; long views make models worse, " +
      "so large windows are not filled.",
  },
  "target.tokens": {
    default: 0,
    unit: "tokens",
    range: many,
    what: "The same as a number of tokens, below `trigger.tokens`; where both apply, the smaller holds. 0: by share.",
    why: "As for `trigger.tokens`.",
  },
  "gain.share": {
    default: 0.25,
    unit: "of the view",
    range: share,
    what: "A compaction that saves less is not made.",
    why: "A small gain is used up after a few requests, and the cache is lost each time.",
  },
  "gain.tokens": {
    default: 20_000,
    unit: "tokens",
    range: many,
    what: "The same in tokens; never more than a quarter of what the reserve leaves of the window.",
    why: "As above; the quarter keeps small windows usable.",
  },
  "gain.requests": {
    default: 50,
    unit: "requests",
    range: many,
    what:
      "How many more requests are expected. A compaction that pays back later than this is not made below the hard limit, " +
      "and a summariser is not asked where that holds with what it reads and writes.",
    why:
      "Long recorded sessions had about a hundred requests, so fifty are ahead. From trigger to target a digest pays " +
      "after 13 requests, a summary after 25 (window of 128,000) or 12 (200,000), in windows of 32,000 and less after 45.",
  },
  strategy: {
    default: "summary",
    values: ["summary", "generations", "digest", "mask", "window"],
    what:
      "What is tried first. Each falls back to those after it; `summary` falls back to `digest`. `generations` is a digest " +
      "in chunks that stay the same, for providers with expensive prompt caches.",
    why: "A summary keeps goals and decisions, the digest below it keeps the evidence; neither does the other's work.",
  },
  "keep.first": {
    default: 1,
    unit: "user messages",
    isWhole: true,
    range: many,
    what: "The first user messages that stay verbatim where they fit.",
    why: "The first request is what the agent works on.",
  },
  "keep.last": {
    default: 2,
    unit: "items",
    isWhole: true,
    range: many,
    what: "The last items that stay verbatim where they fit, on top of the tail that the strategy keeps.",
    why: "What the agent did last it needs next; strategies keep more where there is room.",
  },
  "results.maxTokens": {
    default: 20_000,
    unit: "tokens",
    range: many,
    what:
      "Tool results larger than this are shortened to head and tail: before any request has them, and first of all in every " +
      "compaction; those of `recall` are not, which have a limit of their own. The store keeps them whole. 0: none is.",
    why:
      "What was never sent whole need not be edited later. Tools of coding agents return 8,000 to 25,000 tokens at most, so " +
      "that only what got out of hand is shortened: a digest keeps more of a result than head and tail do.",
  },
  thinking: {
    default: "keep",
    values: ["keep", "strip"],
    what: "`strip` removes signed thinking that comes after the first change.",
    why:
      "Most providers do not bind thinking to the messages before it. For models that do, `strip` is right, and " +
      "it is set from the model's profile.",
  },
  "summary.model": {
    default: "",
    what: "Passed to the summariser: which model to use. Empty: its own choice.",
    why: "A small model is enough for most summaries, and only the caller knows which ones there are.",
  },
  "summary.windowTokens": {
    default: 64_000,
    unit: "tokens",
    range: [4_000, Number.MAX_SAFE_INTEGER],
    what:
      "Window of the summariser, answer included; at least 4,000. A longer history is shortened fairly, then " +
      "summarised in parts that are joined.",
    why:
      "Models get worse with the length of what they read, also where their window would hold it. In less than the " +
      "least, instructions and answer leave too little of a record.",
  },
  "summary.maxTokens": {
    default: 2_000,
    unit: "tokens",
    range: [100, Number.MAX_SAFE_INTEGER],
    what: "The most tokens of a summary; never more than a quarter of the target, nor than a fifth of `summary.windowTokens`.",
    why: "Recorded summaries of coding agents have about 3,000 tokens; at equal size a digest keeps more names, so it " + "gets the rest.",
  },
  "summary.temperature": {
    default: 0.1,
    range: [0, 2],
    what: "Passed to the summariser.",
    why: "Notes should not be creative.",
  },
  "summary.timeoutMs": {
    default: 60_000,
    unit: "ms",
    range: [1, Number.MAX_SAFE_INTEGER],
    what: "How long to wait for one answer of the summariser.",
    why: "Longer than any healthy answer of 2,000 tokens takes.",
  },
  "summary.attempts": {
    default: 2,
    isWhole: true,
    range: [1, 10],
    what: "How often the summariser is asked one question, the first time included.",
    why: "A second attempt with the reason of the rejection often helps, a third one rarely.",
  },
  "summary.maxFailures": {
    default: 3,
    isWhole: true,
    range: many,
    what:
      "After this many compactions in a row whose summariser failed, it is no longer asked for this conversation " +
      "until a summary has been made elsewhere. 0: it is always asked.",
    why: "A summariser that fails on a history fails on it again, and each attempt costs money and time.",
  },
  "summary.onFailure": {
    default: "fall-back",
    values: ["fall-back", "wait"],
    what: "When the summariser fails: use the next strategy at once, or leave the view alone until the hard limit.",
    why: "The agent must go on, and the digest keeps most of what it needs.",
  },
  "summary.style": {
    default: "structured",
    values: summaryStyles,
    what: "Under fixed headings, or a few sentences.",
    why: "Headings make a summary checkable and the next one able to build on it.",
  },
  "summary.names": {
    default: "append",
    values: ["append", "retry", "off"],
    what:
      "Important names that are in neither summary nor digest are appended with their handles, or the summariser is " + "asked once more.",
    why: "Appending costs a few tokens and no time.",
  },
  "summary.nameCount": {
    default: 40,
    unit: "names",
    isWhole: true,
    range: many,
    what: "How many important names are looked for.",
    why: "About 400 tokens when all of them are missing.",
  },
  "prices.cacheRead": {
    default: 0.1,
    unit: "of the price of input",
    range: [0, 10],
    what: "What a cached token costs.",
    why: "The price of the providers that publish one.",
  },
  "prices.cacheWrite": {
    default: 1.25,
    unit: "of the price of input",
    range: [0, 10],
    what: "What a token costs that is written to the cache.",
    why: "As above.",
  },
  "prices.output": {
    default: 5,
    unit: "of the price of input",
    range: [0, 100],
    what: "What a token of an answer costs.",
    why: "As above.",
  },
  "prices.summary": {
    default: 1,
    unit: "of the price of input",
    range: [0, 100],
    what: "What a token costs that the summariser reads.",
    why: "Its prompt shares no beginning with the agent's, so nothing of it is cached. A cheaper model costs less.",
  },
}
