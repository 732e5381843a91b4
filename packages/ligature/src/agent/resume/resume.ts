/**
 * Opening a conversation again, after whatever happened to it: a plan that says what was going on, and a request for the
 * next turn that its provider takes, all calls in one style. Writes nothing; `append` is what the request says and the log
 * does not say yet, to be written before it is sent.
 *
 *   load -> calls in text read as calls -> recovery plan -> open calls closed honestly -> encode for the provider
 *
 * A call that waits for approval has not run, and nobody has decided about it. A provider takes no request in which a call
 * has no result, so that there are two honest ways on: somebody decides (append the real result, or a denied one), or the
 * model is told that the call never ran (`waiting: "close"`). The default is neither: no request until one is chosen.
 */
import { encodePlainly } from "../../convert/encode.ts"
import {
  codecs,
  formatProfile,
  encode,
  type Encoded,
  findLosses,
  isSessionCodec,
  type RequestOf,
  resolveCodec,
  type WireFormat,
} from "../../convert/index.ts"
import { type KnownTool, knownTools } from "../../formats/engine/tools.ts"
import { inOneStyle } from "../../formats/xml-text/style.ts"
import type { ToolStyle, ToolStyleQuestion } from "../../formats/xml-text/index.ts"
import { estimateMeter } from "../../compact/index.ts"
import { checkTokens, defaultSettings, recallToolName, trimResults } from "../../compact/internal.ts"
import { type PolicyOptions, type Profile, type ProfileName, resolvePolicies, resolveProfile, settle } from "../../rules/index.ts"
import {
  assertOptions,
  type OptionNames,
  type Conversation,
  debugFor,
  type DebugWriter,
  LigatureError,
  type Message,
  type Report,
  type Transcript,
  user,
  type Wire,
} from "../../model/index.ts"
import { closeCalls } from "../../store/recovery.ts"
import { type Entry, type Loaded, type NewEntry, type OpenCall, type RecoveryPlan, type Store, viewOf } from "../../store/index.ts"
import { recoveryPlan } from "../../store/recovery.ts"
import { chooseStyle } from "../run-state.ts"
import { placeUnsaved, type Unsaved } from "../log/unsaved.ts"
import { keptRequest, withKeptRequest, withSharedValues } from "./exported.ts"

/**
 * The policies decide how the history is settled, calls that a crash left open at the tip included: `drop-message` and
 * `drop-call` take them off the path, and `append` writes that down.
 */
export interface ResumeOptions extends PolicyOptions {
  /** The format of the next request. Default: that of the profile. */
  readonly format?: WireFormat
  /** The provider it goes to. Default: the one the format is named after. */
  readonly profile?: Profile | ProfileName
  /**
   * How calls are written, all of them alike: as blocks (`json`) or as text in tags (`xml`). A question is answered by
   * `toolStyle`: by provider, setting and model. Default: as in the conversation so far, else `json`. A choice that
   * differs from it is among what to `append`, so that the conversation goes on in that style.
   */
  readonly style?: ToolStyle | ToolStyleQuestion
  /** Names of the tools there are: lets calls that were stored as text be read where nothing in the history proves them. */
  readonly tools?: readonly KnownTool[]
  /** What the user says next. Without it the request ends with what is there. */
  readonly user?: string | Message
  /** Calls that wait for approval: `refuse` (default) makes no request, `close` tells the model that they never ran. */
  readonly waiting?: "refuse" | "close"
  /**
   * Results that no request has had yet, and have more tokens than this, are shown with head and tail; `append` keeps that, so
   * that later requests show the same. The log keeps them whole; with `recall` among `tools`, the model is told how to read the
   * rest. Default 20,000; 0: none is shortened.
   */
  readonly trimResultTokens?: number
  /** What a run could not store (`RunResult.unsaved`): used as far as it still has a place, and part of `append`. */
  readonly unsaved?: Unsaved
  /** The path that ends here. Default: the tip. */
  readonly at?: string | null
}

const resumeNames: OptionNames<ResumeOptions> = {
  policies: true,
  format: true,
  profile: true,
  style: true,
  tools: true,
  user: true,
  waiting: ["refuse", "close"],
  trimResultTokens: true,
  unsaved: true,
  at: true,
}

export interface ResumePlan extends RecoveryPlan {
  /** What becomes of calls that wait for approval: there are none, they stop the request, or it says that they never ran. */
  readonly waiting: "none" | "refused" | "closed"
}

interface Opened {
  readonly plan: ResumePlan
  /** What was loaded, for `expectedTip: loaded.tip` and its entries. */
  readonly loaded: Loaded
  readonly format: string
  /** Whose demands the request meets; absent where the format has no provider. */
  readonly profile?: string
  readonly style: ToolStyle
  /** The valid history; its last exchange is pending where calls wait. */
  readonly conversation: Conversation
  /**
   * What the request has beyond the log: results shown shortened, outcomes of open calls, then the user's message. Append
   * it before sending.
   */
  readonly append: readonly NewEntry[]
}

export type Resumed<Value = Wire> =
  | (Opened & {
      readonly ready: true
      /** The body of the next request. */
      readonly value: Value
      readonly report: Report
    })
  | (Opened & {
      readonly ready: false
      /** The calls somebody has to decide about. */
      readonly waiting: readonly OpenCall[]
      readonly report: Report
    })

interface Target {
  readonly format: string
  readonly profile?: Profile
}

const targetOf = ({ format, profile }: ResumeOptions): Target => {
  if (format === undefined && profile === undefined) {
    throw new LigatureError("bad-option", "Expected a format or a profile to resume for, got neither")
  }
  const asked = profile === undefined ? undefined : resolveProfile(profile)
  const codec = resolveCodec(format ?? asked?.format ?? "")
  if (isSessionCodec(codec)) {
    const message = `${codec.title} is a file of an agent, not a request; export the conversation to it instead`
    throw new LigatureError("not-expressible", message)
  }
  if (asked && asked.format !== codec.format) {
    throw new LigatureError("bad-option", `Profile ${asked.name} is of the format ${asked.format}, not ${codec.format}`)
  }
  const target = asked ?? formatProfile(codec.format)
  return { format: codec.format, ...(target?.format === codec.format && { profile: target }) }
}

const namesOf = (calls: readonly OpenCall[]): string => calls.map(({ name, id }) => `${name} (${id})`).join(", ")

const waitingSentence = (calls: readonly OpenCall[], closed: boolean, dropped: boolean): string => {
  const names = namesOf(calls)
  if (dropped) return `The request leaves out ${names}, which never ran`
  if (closed) return `The request says that ${names} never ran`
  return `No request until ${names} is decided: append its result, or resume with waiting "close", which says that it never ran`
}

/** What is added to a path that is not the active one starts with the way there. */
const after = (loaded: Loaded, at: string | null | undefined, entries: readonly NewEntry[]): readonly NewEntry[] =>
  at === undefined || at === loaded.tip || entries.length === 0 ? entries : [{ kind: "tip", to: at }, ...entries]

const messageOf = (entry: NewEntry): readonly Message[] => {
  if (entry.kind === "message") return [entry.message]
  return entry.kind === "result" ? [{ role: "tool", blocks: [entry.result] }] : []
}

const write = (conversation: Conversation, target: Target, style: ToolStyle, options: ResumeOptions): Encoded => {
  const { format, profile } = target
  const { policies, tools } = options
  const writing = { style, ...(policies && { policies }), ...(tools && { tools }) }
  return profile ? encode(conversation, profile, writing) : encodePlainly(conversation, format, writing)
}

/**
 * A log may hold messages of many formats: what was around them does not tell where each came from. So losses are
 * looked for in any case, when somebody asks.
 */
const reportOf = (entries: Report["entries"], conversation: Conversation, format: string): Report => ({
  entries,
  get losses() {
    return findLosses(conversation, resolveCodec(format), codecs)
  },
})

/** The summaries that show new results of the path shortened. */
const trimmedFor = (loaded: Loaded, options: ResumeOptions): readonly NewEntry[] => {
  const { trimResultTokens: tokens = defaultSettings.results.maxTokens, tools = [] } = options
  checkTokens("trimResultTokens", tokens)
  if (!loaded.whole) return []
  const terms = { tokens, meter: estimateMeter, canRecall: knownTools(tools).names.includes(recallToolName) }
  return trimResults(loaded.entries, () => loaded, terms).entries
}

/** The path with entries that are not in the log yet. */
const extended = (loaded: Loaded, added: readonly NewEntry[]): Loaded => {
  if (added.length === 0) return loaded
  const at = loaded.updated
  const entries = added.map((entry, index): Entry => ({ ...entry, id: `added ${index}`, parent: null, operation: "", at }))
  const { transcript, sources, stale } = viewOf([...loaded.entries, ...entries], { partial: !loaded.whole })
  return { ...loaded, transcript: { ...loaded.transcript, messages: transcript.messages }, sources, stale }
}

const tell = (debug: DebugWriter, { plan, loaded, profile, format, append }: Opened, refuses: boolean): void => {
  const open = plan.openCalls.map(({ id, becomes }) => `${id} ${becomes}`).join(", ")
  debug(`[resume] ${loaded.id}: ${plan.state}${open === "" ? "" : `, open calls: ${open}`}`)
  const request = refuses ? "no request" : `request for ${profile ?? format}`
  debug(`[resume] ${loaded.id}: ${request}, ${append.length} entries to append`)
}

/** Resumes what was loaded already. Pure: the same path gives the same request. */
export const resumeFrom = (stored: Loaded, options: ResumeOptions): Resumed => {
  resolvePolicies(options)
  assertOptions(options, resumeNames)
  const unsaved = options.unsaved ? placeUnsaved(stored, options.unsaved).fits.flatMap(({ entries }) => entries) : []
  const late = [...trimmedFor(stored, options), ...unsaved]
  const loaded = extended(stored, late)
  const target = targetOf(options)
  const { style, append: noted } = chooseStyle(options.style, loaded.entries, loaded.transcript, options.tools)
  const { transcript, fromText } = inOneStyle(loaded.transcript, options.tools)
  const policies = resolvePolicies(options)
  const recovered = recoveryPlan({ ...loaded, transcript }, { policies })
  const waits = recovered.openCalls.filter(({ becomes }) => becomes === "waits")
  const refuses = waits.length > 0 && options.waiting !== "close"
  const closed = recovered.openCalls.filter(({ becomes }) => becomes !== "waits" || !refuses)
  const closing = closeCalls({ ...loaded, transcript }, closed, policies, !refuses)
  const isDropped = closing[0]?.kind === "tip"
  const said: readonly NewEntry[] =
    options.user === undefined || refuses
      ? []
      : [{ kind: "message", message: typeof options.user === "string" ? user(options.user) : options.user }]
  // A call that is text in the log has no id there that a result could name: each view closes it alike.
  const isText = isDropped && closed.some(({ id }) => fromText.has(id))
  const storable = (entries: readonly NewEntry[]): readonly NewEntry[] =>
    isText ? [] : entries.filter((entry) => entry.kind !== "result" || !fromText.has(entry.result.callId))
  const plan: ResumePlan = {
    ...recovered,
    append: storable(recovered.append),
    waiting: waits.length === 0 ? "none" : refuses ? "refused" : "closed",
    reasons: waits.length === 0 ? recovered.reasons : [...recovered.reasons, waitingSentence(waits, !refuses, isDropped)],
  }
  const base = withKeptRequest(withSharedValues(transcript), keptRequest(loaded.entries), target.format)
  const added = isDropped ? said : [...closing, ...said]
  const view: Transcript = { ...base, messages: [...base.messages, ...added.flatMap(messageOf)] }
  const { conversation, report } = settle(view, { tip: refuses ? "open" : "closed", policies })
  const opened: Opened = {
    plan,
    loaded: stored,
    format: target.format,
    ...(target.profile && { profile: target.profile.name }),
    style,
    conversation,
    append: after(loaded, options.at, [...late, ...storable(closing), ...noted, ...said]),
  }
  const debug = debugFor("resume")
  if (debug) tell(debug, opened, refuses)
  if (refuses) return { ...opened, ready: false, waiting: waits, report }
  const written = write(conversation, target, style, options)
  const entries = [...report.entries, ...written.report.entries]
  return { ...opened, ready: true, value: written.value, report: reportOf(entries, conversation, target.format) }
}

/**
 * Opens a conversation for its next turn.
 *
 *     const resumed = await resume(store, id, { profile: "mistral", user: "Go on." })
 *     if (resumed.ready) {
 *       await store.append(id, resumed.append, { expectedTip: resumed.loaded.tip })
 *       await send(resumed.value)
 *     } else ask(resumed.waiting)
 */
export const resume = async <For extends WireFormat | undefined = undefined>(
  store: Pick<Store, "load">,
  id: string,
  options: ResumeOptions & { readonly format?: For },
): Promise<Resumed<RequestOf<For>>> => {
  resolvePolicies(options)
  assertOptions(options, resumeNames)
  const loaded = await store.load(id, options.at === undefined ? {} : { at: options.at })
  return resumeFrom(loaded, options) as Resumed<RequestOf<For>>
}
