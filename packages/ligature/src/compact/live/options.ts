/** The options of every way to compact stored conversations, and what they mean for one conversation. */
import { type Profile, type ProfileName, resolveProfile } from "../../rules/index.ts"
import type { Loaded } from "../../store/index.ts"
import type { Meter } from "../meter/meter.ts"
import { estimateMeter } from "../meter/meters.ts"
import { noSize, type Size } from "../meter/size.ts"
import type { Strategy } from "../plan/plan.ts"
import type { Protection } from "../plan/protection.ts"
import { checkTokens, type SettingsChoice, settingsFor } from "../policy/settings-for.ts"
import type { PrepareOptions } from "./ladder.ts"
import { type CompactionListener, guarded } from "./stored/events.ts"
import { lastModel } from "./stored/notes.ts"
import type { Summarise } from "./summary/ask-model.ts"
import { platform, type Surroundings } from "./platform/surroundings.ts"

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
