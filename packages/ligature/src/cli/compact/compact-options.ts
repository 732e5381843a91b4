/** The options of `ligature compact`: budget, strategy, what to keep, and what to write. */
import { formatProfile, findCodec, isSessionCodec } from "../../convert/index.ts"
import {
  type Budget,
  cap,
  dedupe,
  digest,
  generations,
  mask,
  type Percentage,
  pipeline,
  type Protection,
  type Strategy,
  truncate,
  window,
} from "../../compact/index.ts"
import { type Profile, profiles } from "../../rules/index.ts"
import { type Item, phrase } from "../../model/index.ts"
import type { DocumentPart } from "../../document/index.ts"
import type { Context } from "../frame/command.ts"
import { targetOf } from "../output/target.ts"
import { formatNamed } from "../output/visit-sources.ts"
import { suggestion } from "../../model/nearest.ts"
import { profileNamed } from "../frame/settings.ts"
import { UsageError } from "../frame/usage-error.ts"

const makers: Readonly<Record<string, (keep: Keep) => Strategy>> = {
  digest: () => digest(),
  generations: () => generations(),
  window: ({ first, last }) => window({ ...(first !== undefined && { keepFirst: first }), ...(last !== undefined && { keepLast: last }) }),
  mask: ({ last }) => mask(last === undefined ? {} : { keep: last }),
  cap: () => cap(),
  dedupe: () => dedupe(),
  truncate: () => truncate({ fraction: 0.5 }),
}

export const strategyNames: readonly string[] = Object.keys(makers)

interface Keep {
  readonly first?: number
  readonly last?: number
}

const wholeNumber = (context: Context, name: string): number | undefined => {
  const given = context.arguments.text(name)
  if (given === undefined) return undefined
  if (/^\d{1,9}$/.test(given)) return Number(given)
  throw new UsageError(phrase`${`--${name}`} is a whole number, not ${given}`)
}

const keepOf = (context: Context): Keep => {
  const [first, last] = [wholeNumber(context, "keep-first"), wholeNumber(context, "keep-last")]
  return { ...(first !== undefined && { first }), ...(last !== undefined && { last }) }
}

const units: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 }

const byteUnits: Readonly<Record<string, number>> = { b: 1, kb: 1_000, mb: 1_000_000 }

/** Leaves room for the agent's own prompt, its tools and the next turns in every window of today. */
export const usualBudget = 64_000

/** `32000`, `32k`, `10%`, `20MB`. Sessions have a default. */
export const budgetOf = (context: Context, part?: Pick<DocumentPart, "container">): Budget => {
  const given = context.arguments.text("budget")
  if (given === undefined && part?.container === "session") return usualBudget
  if (given === undefined)
    throw new UsageError(
      phrase`compact needs --budget N or --budget P%`,
      phrase`For example --budget 32k, --budget 10%, or --budget 20MB for requests that are too large.`,
    )
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(given)
  if (percent && Number(percent[1]) > 0 && Number(percent[1]) <= 100) return given as Percentage
  const tokens = /^(\d+(?:\.\d+)?)([km]?)$/i.exec(given)
  const number = tokens ? Math.floor(Number(tokens[1]) * (units[tokens[2]?.toLowerCase() ?? ""] ?? 1)) : 0
  if (number > 0) return number
  const size = /^(\d+(?:\.\d+)?)(k?b|mb)$/i.exec(given)
  const bytes = size ? Math.floor(Number(size[1]) * (byteUnits[size[2]?.toLowerCase() ?? ""] ?? 1)) : 0
  if (bytes > 0) return { bytes }
  throw new UsageError(
    phrase`--budget is a number of tokens (32000, 32k), a percentage of the conversation (10%) or a size (20MB), not ${given}`,
  )
}

/** `digest`, or several, left to right: `dedupe+mask+window`. Undefined: the default. */
export const strategyOf = (context: Context): Strategy | undefined => {
  const given = context.arguments.text("strategy")
  const keep = keepOf(context)
  if (given === undefined) return undefined
  const chosen = given.split("+").map((name) => {
    const make = Object.hasOwn(makers, name) ? makers[name] : undefined
    if (make) return make(keep)
    const all = phrase`Strategies: ${strategyNames.join(", ")}. Chain with +; they run left to right.`
    throw new UsageError(phrase`Unknown strategy ${name}`, [suggestion(name, strategyNames) ?? [], all].flat().join(" "))
  })
  const [only] = chosen
  return only !== undefined && chosen.length === 1 ? only : pipeline(...chosen)
}

/** These select lines by relevance; the others go by position and size. */
const choosing: ReadonlySet<string> = new Set(["digest", "generations"])

/** The chosen strategy, if --goal has no effect on it. */
export const goallessStrategy = (context: Context): string | undefined => {
  const given = context.arguments.text("strategy")
  if (given === undefined || !context.arguments.flag("goal")) return undefined
  return given.split("+").some((name) => choosing.has(name)) ? undefined : given
}

/** For strategies that do not keep the first and last items themselves, these are protected. */
export const protectionFor = (context: Context, items: readonly Item[]): Protection => {
  // The window counts messages itself, and drops what does not fit.
  if (strategyOf(context)?.name === "window") return {}
  const { first = 0, last = 0 } = keepOf(context)
  const lead = items.findIndex(({ role }) => role !== "system")
  const headEnd = Math.max(0, lead) + first
  return { items: (_, index) => index < headEnd || index >= items.length - last }
}

export interface CompactTarget {
  readonly format: string
  readonly profile?: Profile
}

/** What `--to` or `--for` names; undefined: depends on the source. */
export const namedTarget = (context: Context): CompactTarget | undefined => {
  const named = context.arguments.text("to")
  if (context.arguments.flag("for")) {
    const { to: format, profile } = targetOf(context, "compact")
    return { format, ...(profile && { profile }) }
  }
  if (named === undefined) return undefined
  if (findCodec(named) === undefined && Object.hasOwn(profiles, named)) {
    const profile = profileNamed(named, "--to")
    return { format: profile.format, profile }
  }
  const format = formatNamed(named, "--to") ?? named
  const profile = formatProfile(format)
  return { format, ...(profile && { profile }) }
}

/** For sessions of agents that use many providers: the format that most servers accept. */
const commonProfile = "openai-chat"

/** A request in the format of the source; for a session, in the format of the provider of its agent. */
export const targetFor = (format: string, named: CompactTarget | undefined): CompactTarget => {
  if (named !== undefined) return named
  const codec = findCodec(format)
  if (codec === undefined || !isSessionCodec(codec)) {
    const profile = formatProfile(format)
    return profile === undefined ? { format } : { format: profile.format, profile }
  }
  const profile = profileNamed(codec.session.profile ?? commonProfile)
  return { format: profile.format, profile }
}
