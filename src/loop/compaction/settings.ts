/**
 * Everything that can be set about compaction, in one table: name, default, unit, what it does and why the default is
 * what it is. The guide prints this table; nothing is set anywhere else.
 */
import { LigatureError } from "../../model/index.ts"
import { type SummaryStyle, summaryStyles } from "../../compact/summary/index.ts"

export interface CompactionSettings {
  readonly windowTokens: number
  readonly requestBytes: number
  readonly triggerShare: number
  readonly triggerTokens: number
  readonly targetShare: number
  readonly targetTokens: number
  readonly hardShare: number
  readonly reserveTokens: number
  readonly minimumGainShare: number
  readonly minimumGainTokens: number
  readonly expectedRequests: number
  readonly strategy: "summary" | "generations" | "digest" | "mask" | "window"
  readonly keepFirst: number
  readonly keepLast: number
  readonly trimResultTokens: number
  readonly thinking: "keep" | "strip"
  readonly summaryModel: string
  readonly summaryWindowTokens: number
  readonly summaryTokens: number
  readonly temperature: number
  readonly timeoutMs: number
  readonly attempts: number
  readonly failureCap: number
  readonly failMode: "fall-back" | "wait"
  readonly style: SummaryStyle
  readonly guard: "append" | "retry" | "off"
  readonly guardNames: number
  readonly cacheReadPrice: number
  readonly cacheWritePrice: number
  readonly outputPrice: number
  readonly summaryPrice: number
}

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
export const settingsTable: Readonly<Record<keyof CompactionSettings, Setting>> = {
  windowTokens: {
    default: 128_000,
    unit: "tokens",
    range: [1_000, Number.MAX_SAFE_INTEGER],
    what: "Window of the model that is spoken to, input and output together.",
    why: "The smallest window of today's common models; too small is safe, too large is an error of the provider.",
  },
  requestBytes: {
    default: 20_000_000,
    unit: "bytes",
    range: [10_000, Number.MAX_SAFE_INTEGER],
    what: "The largest body of a request that the provider takes. Shares of it trigger and bound a compaction like those of the window.",
    why: "The smallest limit of today's common providers. Pictures are few tokens and many bytes, so the window alone does not see them.",
  },
  triggerShare: {
    default: 0.8,
    unit: "of the window",
    range: share,
    what: "The view is compacted when it fills more of it than this, where reserve, system prompt and tools are taken off first; also of `requestBytes`.",
    why: "Every compaction costs the prompt cache, so as late as is safe: an answer and one large result still fit.",
  },
  triggerTokens: {
    default: 0,
    unit: "tokens",
    range: many,
    what:
      "The same as a number of tokens; where both apply, the smaller holds. It lowers the least gain by as much, and the " +
      "target where `targetTokens` is 0. 0: by share.",
    why: "A share suits every model. A number is for budgets in money or time, which a larger window does not raise.",
  },
  targetShare: {
    default: 0.4,
    unit: "of the window",
    range: share,
    what: "The size it is compacted to, counted like the trigger. Above 150,000 tokens of window, at most 0.25 of it.",
    why:
      "Far enough below the trigger that the next compaction is many requests away; long views make models worse, " +
      "so large windows are not filled.",
  },
  targetTokens: {
    default: 0,
    unit: "tokens",
    range: many,
    what: "The same as a number of tokens, below `triggerTokens`; where both apply, the smaller holds. 0: by share.",
    why: "As for `triggerTokens`.",
  },
  hardShare: {
    default: 0.95,
    unit: "of the window",
    range: share,
    what:
      "Above this, the view is compacted whatever gain and cost say, and without waiting for a summariser that " +
      "failed.",
    why: "The next request would be refused.",
  },
  reserveTokens: {
    default: 8_192,
    unit: "tokens",
    range: many,
    what: "Room for the answer, taken off the window.",
    why: "What most models answer at most by default.",
  },
  minimumGainShare: {
    default: 0.25,
    unit: "of the view",
    range: share,
    what: "A compaction that saves less is not made.",
    why: "A small gain is used up after a few requests, and the cache is lost each time.",
  },
  minimumGainTokens: {
    default: 20_000,
    unit: "tokens",
    range: many,
    what: "The same in tokens; never more than a quarter of what the reserve leaves of the window.",
    why: "As above; the quarter keeps small windows usable.",
  },
  expectedRequests: {
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
      "What is tried first. Each falls back to those behind it; `summary` goes on at `digest`. `generations` is a digest " +
      "in chunks that stay, for providers with dear prompt caches.",
    why: "A summary keeps goals and decisions, the digest below it keeps the evidence; neither does the other's work.",
  },
  keepFirst: {
    default: 1,
    unit: "user messages",
    isWhole: true,
    range: many,
    what: "The first so many user messages stay verbatim where they fit.",
    why: "The first request is what the agent works on.",
  },
  keepLast: {
    default: 2,
    unit: "items",
    isWhole: true,
    range: many,
    what: "The last so many items stay verbatim where they fit, on top of the tail that the strategy keeps.",
    why: "What the agent did last it needs next; strategies keep more where there is room.",
  },
  trimResultTokens: {
    default: 20_000,
    unit: "tokens",
    range: many,
    what:
      "Results larger than this are shortened to head and tail: before any request holds them, and first of all in every " +
      "compaction; those of `recall` are not, which bound themselves. The store keeps them whole. 0: none is.",
    why:
      "What was never sent whole need not be edited later. Tools of coding agents give 8,000 to 25,000 tokens at most, so " +
      "that only what got out of hand is shortened: a digest keeps more of a result than head and tail do.",
  },
  thinking: {
    default: "keep",
    values: ["keep", "strip"],
    what: "`strip` takes signed thinking out of what stays behind the first change.",
    why:
      "Most providers do not bind thinking to what stands in front of it. For models that do, `strip` is right, and " +
      "the hook sets it.",
  },
  summaryModel: {
    default: "",
    what: "Handed to the summariser: which model to use. Empty: its own choice.",
    why: "A small model is enough for most summaries, and only the caller knows which ones there are.",
  },
  summaryWindowTokens: {
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
  summaryTokens: {
    default: 2_000,
    unit: "tokens",
    range: [100, Number.MAX_SAFE_INTEGER],
    what: "The most tokens of a summary; never more than a quarter of the target, nor than a fifth of `summaryWindowTokens`.",
    why:
      "Recorded summaries of coding agents have about 3,000 tokens; at equal size a digest keeps more names, so it " +
      "gets the rest.",
  },
  temperature: {
    default: 0.1,
    range: [0, 2],
    what: "Handed to the summariser.",
    why: "Notes should not be creative.",
  },
  timeoutMs: {
    default: 60_000,
    unit: "ms",
    range: [1, Number.MAX_SAFE_INTEGER],
    what: "How long one answer of the summariser is waited for.",
    why: "Longer than any healthy answer of 2,000 tokens takes.",
  },
  attempts: {
    default: 2,
    isWhole: true,
    range: [1, 10],
    what: "How often one question is put to the summariser, the first time included.",
    why: "A second try with the reason of the refusal often helps, a third one rarely.",
  },
  failureCap: {
    default: 3,
    isWhole: true,
    range: many,
    what:
      "After so many compactions in a row whose summariser failed, it is no longer asked for this conversation " +
      "until a summary has been made elsewhere.",
    why: "A summariser that fails on a history fails on it again, and each try costs money and time.",
  },
  failMode: {
    default: "fall-back",
    values: ["fall-back", "wait"],
    what: "When the summariser fails: use the next strategy at once, or leave the view alone until the hard limit.",
    why: "The agent must go on, and the digest keeps most of what it needs.",
  },
  style: {
    default: "structured",
    values: summaryStyles,
    what: "Under fixed headings, or a few sentences.",
    why: "Headings make a summary checkable and the next one able to build on it.",
  },
  guard: {
    default: "append",
    values: ["append", "retry", "off"],
    what:
      "Important names that neither summary nor digest holds are appended with their handles, or the summariser is " +
      "asked once more.",
    why: "Appending costs a few tokens and no time.",
  },
  guardNames: {
    default: 40,
    unit: "names",
    isWhole: true,
    range: many,
    what: "How many names the guard looks for.",
    why: "About 400 tokens when all of them are missing.",
  },
  cacheReadPrice: {
    default: 0.1,
    unit: "of the price of input",
    range: [0, 10],
    what: "What a cached token costs.",
    why: "The price of the providers that publish one.",
  },
  cacheWritePrice: {
    default: 1.25,
    unit: "of the price of input",
    range: [0, 10],
    what: "What a token costs that goes into the cache.",
    why: "As above.",
  },
  outputPrice: {
    default: 5,
    unit: "of the price of input",
    range: [0, 100],
    what: "What a token of an answer costs.",
    why: "As above.",
  },
  summaryPrice: {
    default: 1,
    unit: "of the price of input",
    range: [0, 100],
    what: "What a token costs that the summariser reads.",
    why: "Its prompt shares no beginning with the agent's, so nothing of it is cached. A cheaper model costs less.",
  },
}

export const settingNames = Object.keys(settingsTable) as readonly (keyof CompactionSettings)[]

export const defaultSettings: CompactionSettings = Object.fromEntries(
  settingNames.map((name) => [name, settingsTable[name].default]),
) as unknown as CompactionSettings

export interface SettingsChoice extends Partial<CompactionSettings> {
  /** Settings for single models, by name or by the beginning of it; the longest one that fits wins. */
  readonly models?: Readonly<Record<string, Partial<CompactionSettings>>>
}

const checked = (
  name: string,
  value: unknown,
  { default: usual, values, range, isWhole }: Pick<Setting, "default" | "values" | "range" | "isWhole">,
): void => {
  const fits =
    typeof value === typeof usual &&
    (values === undefined || values.includes(String(value))) &&
    (range === undefined || (Number(value) >= range[0] && Number(value) <= range[1])) &&
    (isWhole === undefined || Number.isInteger(value))
  if (fits) return
  const number = `a ${isWhole ? "whole " : ""}number`
  const expected = values?.join(" | ") ?? (range ? `${number} from ${range[0]} to ${range[1]}` : `a ${typeof usual}`)
  const got = typeof value === "number" ? value : JSON.stringify(value)
  throw new LigatureError("bad-option", `Expected ${expected} as ${name}, got ${got}`)
}

/** Throws for an option that is no amount of tokens, as for a setting. */
export const checkTokens = (name: string, value: number | undefined): void => {
  if (value !== undefined) checked(name, value, { default: 0, range: many })
}

/** The same for a time, which may be for ever. */
export const checkMs = (name: string, value: number | undefined, least = 0): void => {
  if (value !== undefined) checked(name, value, { default: 0, range: [least, Number.POSITIVE_INFINITY] })
}

/** The settings that hold for a model. Throws for a value that can never work. */
export const settingsFor = (choice: SettingsChoice = {}, model = ""): CompactionSettings => {
  const { models = {}, ...common } = choice
  // Those of other models too: a mistake there would only show when that model is spoken to.
  for (const own of Object.values(models)) settingsFor({ ...common, ...own })
  const [best] = Object.keys(models)
    .filter((name) => model.startsWith(name))
    .sort((a, b) => b.length - a.length)
  const chosen = { ...common, ...(best !== undefined && models[best]) }
  const unknown = Object.keys(chosen).find((name) => !Object.hasOwn(settingsTable, name))
  if (unknown !== undefined) {
    throw new LigatureError("bad-option", `There is no setting ${unknown}. Expected one of ${settingNames.join(", ")}`)
  }
  for (const name of settingNames) if (chosen[name] !== undefined) checked(name, chosen[name], settingsTable[name])
  const known = Object.fromEntries(settingNames.flatMap((name) => (chosen[name] === undefined ? [] : [[name, chosen[name]]])))
  const settings = { ...defaultSettings, ...known } as CompactionSettings
  checkOrder(settings)
  return settings
}

const checkOrder = (settings: CompactionSettings): void => {
  const { targetShare, triggerShare, hardShare, targetTokens, triggerTokens } = settings
  if (!(targetShare < triggerShare && triggerShare <= hardShare)) {
    const shares = `${targetShare}, ${triggerShare}, ${hardShare}`
    throw new LigatureError("bad-option", `Expected targetShare < triggerShare <= hardShare, got ${shares}`)
  }
  if (triggerTokens > 0 && targetTokens >= triggerTokens) {
    const tokens = `${targetTokens}, ${triggerTokens}`
    throw new LigatureError("bad-option", `Expected targetTokens < triggerTokens, got ${tokens}`)
  }
}
