/**
 * The work of a compaction that writes nothing: decides whether a loaded path is to be compacted, and gives the entries
 * that compact it, or the reason why there are none.
 */
import { type Profile, type ProfileName, resolveProfile, settle } from "../../rules/index.ts"
import type { Loaded } from "../../store/index.ts"
import { addSizes, estimateMeter, fitsIn, type Meter, noSize, scaledMeter, type Size } from "../meter/meter.ts"
import { type Context, isRequest, namedOf, type Protection, protectionOf, type Strategy } from "../plan/plan.ts"
import { checkTokens, type SettingsChoice, settingsFor } from "../policy/settings-for.ts"
import { limitsOf, shouldCompact, type Verdict } from "../policy/when-to-compact.ts"
import { type Due, Ladder, type Prepared, type PrepareOptions, scaledTokens, sizeOf } from "./ladder.ts"
import { type Archive, archiveOf } from "./stored/archive.ts"
import { type CompactionListener, guarded, lastModel, pastOf, providerFactor } from "./stored/notes.ts"
import { platform, type Surroundings } from "./stored/surroundings.ts"
import type { Summarise } from "./summary/ask-model.ts"

/** The options of every way to compact stored conversations, and what they mean for one conversation. */
export interface CompactStoredOptions {
  /** Asks a model for a summary. Default: none is asked, and the digest keeps what it can. */
  readonly summarise?: Summarise
  readonly settings?: SettingsChoice
  /**
   * The model: its name, or what `run` is given. Chooses among `settings.models`. Default: the one that answered last, where
   * `run` noted it.
   */
  readonly model?: string | { readonly model: string; readonly profile?: Profile | ProfileName }
  /** The provider: decides whether thinking is bound. Default: that of the model, or as `run` noted it last; else it is not. */
  readonly profile?: Profile | ProfileName
  /** What the agent is about to do: text about it is kept first. The newest request counts by itself. */
  readonly goal?: string
  /** What stays verbatim in addition to the default. */
  readonly protect?: Protection
  /** Default: the estimator. */
  readonly meter?: Meter
  /**
   * Tokens of every request that are not in the conversation: system prompt, tools. Default: what the requests of a run carry,
   * where a run asks; else 0.
   */
  readonly besideTokens?: number
  /** Instead of the strategies that the settings name; the first that fits is used. */
  readonly strategies?: readonly Strategy[]
  readonly onEvent?: CompactionListener
  readonly surroundings?: Partial<Surroundings>
}

export const modelName = ({ model }: Pick<CompactStoredOptions, "model">): string | undefined =>
  typeof model === "object" ? model.model : model

const profileOf = ({ profile, model }: CompactStoredOptions): Profile | undefined => {
  const named = profile ?? (typeof model === "object" ? model.profile : undefined)
  return named === undefined ? undefined : resolveProfile(named)
}

/** The options of the preparation for a conversation, with defaults filled in; `carried`: what requests carry beside it. */
export const prepareOptions = (
  options: CompactStoredOptions,
  { entries }: Pick<Loaded, "entries">,
  signal: AbortSignal,
  carried: Size = noSize,
): PrepareOptions => {
  const last = lastModel(entries)
  const { summarise, settings, goal, protect, meter = estimateMeter, besideTokens, strategies, onEvent, surroundings } = options
  checkTokens("besideTokens", besideTokens)
  const profile = profileOf(options)
  const isBound = profile?.boundThinking ?? last.boundThinking
  return {
    settings: settingsFor({ ...(isBound && { thinking: "strip" }), ...settings }, modelName(options) ?? last.model),
    meter,
    signal,
    now: surroundings?.now ?? platform.now,
    emit: onEvent ? guarded(onEvent) : () => undefined,
    ...(summarise && { summarise }),
    ...(goal !== undefined && { goal }),
    ...(protect && { protect }),
    ...(profile && { profile }),
    beside: { ...carried, ...(besideTokens !== undefined && { tokens: besideTokens }) },
    ...(strategies && { strategies }),
  }
}

/** What strategies are given: what stays verbatim, positions in the whole history, and the provider. */
const contextFor = (archive: Archive, options: PrepareOptions): Context => {
  const { settings, meter, goal, protect = {}, profile } = options
  const { items } = archive.conversation
  const places = new Map(items.map((item, index) => [item, archive.positions[index] ?? index]))
  const requests = items.flatMap((item, index) => (isRequest(item) ? [index] : []))
  const kept = new Set(requests.slice(0, settings.keep.first))
  const wishes: Protection = {
    ...protect,
    items: (item, index) => kept.has(index) || index >= items.length - settings.keep.last || protect.items?.(item, index) === true,
  }
  const isProtected = protectionOf(archive.conversation, wishes)
  const isNamed = namedOf(wishes)
  return {
    meter,
    isProtected,
    ...(isNamed && { isNamed }),
    positionOf: (item) => places.get(item) ?? 0,
    canRecall: options.canRecall ?? true,
    ...(goal !== undefined && { goal }),
    ...(profile && { profile }),
  }
}

const forced = ({ settings, targetTokens, beside }: PrepareOptions): Due => {
  const limits = limitsOf(settings, beside)
  const target = { ...limits.target, ...(targetTokens !== undefined && { tokens: targetTokens }) }
  return { compact: true, reason: "hard-limit", over: ["tokens"], target, limits }
}

/** Decides, plans and, where a summary is wanted, asks for it. Writes nothing. Needs the whole path. */
export const prepareCompaction = async (loaded: Loaded, options: PrepareOptions): Promise<Prepared> => {
  const { settings, meter, force = false, overflow, signal, emit } = options
  const before = settle(loaded.transcript, { tip: "open" }).conversation
  // Not by reports that were wrong about what fits.
  const factor = overflow ? 1 : providerFactor(loaded, before, meter, options.beside ?? noSize)
  const beside = scaledTokens(options.beside ?? noSize, factor)
  const counted = scaledTokens(sizeOf(before.items, meter, options.beside ?? noSize), factor)
  const view = { ...counted, tokens: Math.max(options.tokens ?? 0, counted.tokens) }
  const past = pastOf(loaded)
  const lastAfter = past.lastAfter && addSizes(past.lastAfter, beside)
  const verdict = force
    ? forced({ ...options, beside })
    : shouldCompact({ view, beside, ...(overflow && { overflow }), ...(lastAfter && { lastAfter }) }, settings)
  const unchanged = (reason: "fits" | Extract<Verdict, { readonly compact: false }>["reason"]): Prepared => ({
    ready: false,
    result: { outcome: "unchanged", reason, ...view },
  })
  if (!verdict.compact) return unchanged(verdict.reason)
  if (force && fitsIn(view, verdict.target)) return unchanged("fits")
  emit({ type: "compaction-start", conversation: loaded.id, view, target: verdict.target, why: verdict.reason })
  // A meter of its own has nothing counted yet, so it is made only now.
  const terms = { ...options, beside, meter: scaledMeter(meter, factor) }
  const archive = archiveOf(loaded)
  const ladder = new Ladder({ archive, context: contextFor(archive, terms), before, verdict, options: terms, factor })
  const prepared = await ladder.climb(past)
  const { failed } = ladder
  if (signal.aborted)
    return {
      ready: false,
      result: { outcome: "refused", reason: "cancelled", detail: "The compaction was cancelled", failed },
    }
  if (prepared) return prepared
  const tried = failed.map(({ strategy, reason }) => `${strategy}: ${reason}`).join(", ")
  const isUsedUp = beside.tokens >= verdict.target.tokens
  const besideIt = `What is sent beside the conversation has ${beside.tokens} tokens and leaves no room for it`
  const detail = `${tried}. ${isUsedUp ? besideIt : (failed.at(-1)?.detail ?? "")}`
  const note = ladder.noteOfFailure()
  return { ready: false, result: { outcome: "refused", reason: "nothing-fits", detail, failed }, ...(note && { note }) }
}
