/** Chooses the settings that hold for a model, and checks every name and value before anything depends on it. */
import { isWire, LigatureError } from "../../model/index.ts"
import { makePlan, refusedPlan } from "../plan/make-plan.ts"
import type { Strategy } from "../plan/plan.ts"
import { recallToolName } from "../recall/recall.ts"
import { cap, dedupe, mask } from "../strategies/edit-results.ts"
import { pipeline } from "../strategies/combine.ts"
import { digest } from "../strategies/digest/digest.ts"
import { generations } from "../strategies/generations.ts"
import { window } from "../strategies/window.ts"
import { type CompactSettings, type Setting, type SettingName, settingsTable } from "./settings.ts"

/** Any of the settings; what is missing has its default. */
export type SomeSettings = {
  readonly [Group in keyof CompactSettings]?: CompactSettings[Group] extends string
    ? CompactSettings[Group]
    : Partial<CompactSettings[Group]>
}

export interface SettingsChoice extends SomeSettings {
  /** Settings for single models, by name or by the beginning of it; the longest one that fits wins. */
  readonly models?: Readonly<Record<string, SomeSettings>>
}

export const settingNames = Object.keys(settingsTable) as readonly SettingName[]

type Values = Readonly<Record<string, unknown>>

/** Settings by their name in the table → in groups, as people write them. */
const grouped = (valueOf: (name: SettingName) => unknown): CompactSettings => {
  const settings: Record<string, unknown> = {}
  for (const name of settingNames) {
    const [group = "", field] = name.split(".")
    if (field === undefined) settings[group] = valueOf(name)
    else settings[group] = { ...(settings[group] as Values | undefined), [field]: valueOf(name) }
  }
  return settings as unknown as CompactSettings
}

export const defaultSettings: CompactSettings = grouped((name) => settingsTable[name].default)

const unknownSetting = (name: string): LigatureError => {
  const [group] = name.split(".")
  const near = settingNames.filter((each) => each.startsWith(`${group}.`))
  const choices = near.length > 0 ? near : [...new Set(settingNames.map((each) => each.split(".")[0])), "models"]
  return new LigatureError("bad-option", `Unknown setting ${name}. Expected one of ${choices.join(", ")}`)
}

/** The groups of a choice → values by their name in the table. Undefined is the default, as if it were not there. */
const namedValues = (choice: unknown): Values => {
  const values: Record<string, unknown> = {}
  if (!isWire(choice)) throw new LigatureError("bad-option", `Expected settings as an object, got ${JSON.stringify(choice)}`)
  for (const [group, given] of Object.entries(choice)) {
    const isGroup = settingNames.some((name) => name.startsWith(`${group}.`))
    if (!isGroup && !Object.hasOwn(settingsTable, group)) throw unknownSetting(group)
    if (given === undefined) continue
    if (!isGroup) values[group] = given
    else if (!isWire(given)) throw new LigatureError("bad-option", `Expected an object as ${group}, got ${JSON.stringify(given)}`)
    else
      for (const [field, value] of Object.entries(given)) {
        const name = `${group}.${field}`
        if (!Object.hasOwn(settingsTable, name)) throw unknownSetting(name)
        if (value !== undefined) values[name] = value
      }
  }
  return values
}

const checkValue = (
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

/** Throws for an option that is not a number of tokens, as for a setting. */
export const checkTokens = (name: string, value: number | undefined): void => {
  if (value !== undefined) checkValue(name, value, { default: 0, range: [0, Number.MAX_SAFE_INTEGER] })
}

/** The same for a time, which may be infinite. */
export const checkMs = (name: string, value: number | undefined, least = 0): void => {
  if (value !== undefined) checkValue(name, value, { default: 0, range: [least, Number.POSITIVE_INFINITY] })
}

const checkOrder = ({ target, trigger }: CompactSettings): void => {
  if (!(target.share < trigger.share && trigger.share <= trigger.hardShare)) {
    const shares = `${target.share}, ${trigger.share}, ${trigger.hardShare}`
    throw new LigatureError("bad-option", `Expected target.share < trigger.share <= trigger.hardShare, got ${shares}`)
  }
  if (trigger.tokens > 0 && target.tokens >= trigger.tokens) {
    const tokens = `${target.tokens}, ${trigger.tokens}`
    throw new LigatureError("bad-option", `Expected target.tokens < trigger.tokens, got ${tokens}`)
  }
}

const settingsOf = (values: Values): CompactSettings => {
  for (const name of settingNames) if (values[name] !== undefined) checkValue(name, values[name], settingsTable[name])
  const settings = grouped((name) => values[name] ?? settingsTable[name].default)
  checkOrder(settings)
  return settings
}

/** The settings that hold for a model. Throws for a name that does not exist and for a value that can never work. */
export const settingsFor = (choice: SettingsChoice = {}, model = ""): CompactSettings => {
  const { models = {}, ...given } = choice
  const common = namedValues(given)
  // Those of other models too: a mistake there would only show when that model is used.
  const ofModels = Object.entries(models).map(([name, own]) => ({ name, values: { ...common, ...namedValues(own) } }))
  for (const { values } of ofModels) settingsOf(values)
  const [best] = ofModels.filter(({ name }) => model.startsWith(name)).sort((a, b) => b.name.length - a.name.length)
  return settingsOf(best?.values ?? common)
}

/** A name people know, for a pipeline that has a long one. */
const named = (name: string, strategy: Strategy): Strategy => ({
  name,
  plan: (conversation, limit, context) => {
    const { outcome, reason, decisions, summaries } = strategy.plan(conversation, limit, context)
    return makePlan(conversation, context.meter, { strategy: name, outcome, decisions, summaries, ...(reason !== undefined && { reason }) })
  },
})

/** A strategy that throws has refused like any other. */
export const careful = (strategy: Strategy): Strategy => ({
  name: strategy.name,
  plan: (conversation, limit, context) => {
    try {
      return strategy.plan(conversation, limit, context)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return refusedPlan(strategy.name, conversation, context.meter, reason)
    }
  },
})

const rungs = ["generations", "digest", "mask", "window"] as const

/** `canRecall`: whether the model can read back what a result loses. */
export const strategiesFor = (settings: CompactSettings, canRecall = true): readonly Strategy[] => {
  const {
    strategy,
    keep,
    results: { maxTokens },
  } = settings
  // What recall answers bounds itself, and shortened it would point at itself.
  const trimmed = { tokens: maxTokens, canRecall, all: true, excludeTools: [recallToolName] }
  const trim = maxTokens > 0 ? [cap(trimmed)] : []
  const ways = {
    generations: [...trim, generations()],
    digest: [...trim, digest()],
    mask: [...trim, dedupe(), mask({ keep: keep.last }), window({ keepFirst: keep.first })],
    window: [...trim, window({ keepFirst: keep.first })],
  } as const
  const first = rungs.indexOf(strategy === "summary" ? "digest" : strategy)
  return rungs.slice(first).map((name) => named(name, pipeline(...ways[name])))
}
