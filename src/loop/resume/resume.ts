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
import { encodePlainly } from "../../codecs/convert.ts"
import {
  codecs,
  defaultProfile,
  encode,
  type Encoded,
  findLosses,
  isSessionCodec,
  resolveCodec,
} from "../../codecs/index.ts"
import { type ToolStyle, toolStyle, type ToolStyleQuestion } from "../../codecs/xml-text/index.ts"
import { type Policies, type Profile, resolveProfile, settle } from "../../laws/index.ts"
import {
  type Conversation,
  LigatureError,
  type Message,
  type Report,
  syntheticResult,
  type Transcript,
  user,
  type Wire,
} from "../../model/index.ts"
import { type Loaded, type NewEntry, type OpenCall, recoveryPlan, type RecoveryPlan, type Store } from "../../store/index.ts"
import { keptRequest, withKeptRequest } from "./kept-request.ts"
import { inOneStyle } from "./one-style.ts"
import { withSharedValues } from "./shared-values.ts"

export interface ResumeOptions {
  /** The format of the next request. Default: that of the profile. */
  readonly format?: string
  /** The provider it goes to. Default: the one the format is named after. */
  readonly profile?: Profile | string
  /**
   * How calls are written, all of them alike: as blocks (`json`, the default) or as text in tags (`xml`). A question is
   * answered by `toolStyle`: by provider, setting and model.
   */
  readonly style?: ToolStyle | ToolStyleQuestion
  /** Names of the tools there are: lets calls that were stored as text be read where nothing in the history proves them. */
  readonly tools?: readonly string[]
  /** What the user says next. Without it the request ends with what is there. */
  readonly user?: string | Message
  /** Calls that wait for approval: `refuse` (default) makes no request, `close` tells the model that they never ran. */
  readonly waiting?: "refuse" | "close"
  readonly policies?: Partial<Policies>
  /** The path that ends here. Default: the tip. */
  readonly at?: string | null
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
  /** The lawful history; its last exchange is pending where calls wait. */
  readonly conversation: Conversation
  /** What the request says beyond the log: outcomes of open calls, then the user's words. Append it before sending. */
  readonly append: readonly NewEntry[]
}

export type Resumed =
  | (Opened & { readonly ready: true; readonly request: Wire; readonly report: Report })
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
  const target = asked ?? defaultProfile(codec.format)
  return { format: codec.format, ...(target?.format === codec.format && { profile: target }) }
}

const styleOf = (style: ResumeOptions["style"]): ToolStyle => {
  if (style === undefined) return "json"
  return typeof style === "string" ? style : toolStyle(style)
}

const namesOf = (calls: readonly OpenCall[]): string => calls.map(({ name, id }) => `${name} (${id})`).join(", ")

const waitingSentence = (calls: readonly OpenCall[], closed: boolean): string => {
  const names = namesOf(calls)
  if (closed) return `The request says that ${names} never ran`
  return `No request until ${names} is decided: append its result, or resume with waiting "close", which says that it never ran`
}

/** The results that close calls, as the log takes them. */
const closing = (calls: readonly OpenCall[]): readonly NewEntry[] =>
  calls.map(({ id, name, becomes }) => ({
    kind: "result",
    result: syntheticResult(id, name, becomes === "waits" ? "not-run" : becomes),
  }))

/** What is added to a path that is not the active one starts with the way there. */
const behind = (loaded: Loaded, at: string | null | undefined, entries: readonly NewEntry[]): readonly NewEntry[] =>
  at === undefined || at === loaded.tip || entries.length === 0 ? entries : [{ kind: "tip", to: at }, ...entries]

const messageOf = (entry: NewEntry): readonly Message[] => {
  if (entry.kind === "message") return [entry.message]
  return entry.kind === "result" ? [{ role: "tool", blocks: [entry.result] }] : []
}

const write = (conversation: Conversation, target: Target, style: ToolStyle, options: ResumeOptions): Encoded => {
  const { format, profile } = target
  const writing = { style, ...(options.policies && { policies: options.policies }) }
  return profile ? encode(conversation, profile, writing) : encodePlainly(conversation, format, writing)
}

/**
 * A log may hold messages of many formats: what stood around them does not tell where each came from. So losses are
 * looked for in any case, when somebody asks.
 */
const reportOf = (entries: Report["entries"], conversation: Conversation, format: string): Report => ({
  entries,
  get losses() {
    return findLosses(conversation, resolveCodec(format), codecs)
  },
})

/** Resumes what was loaded already. Pure: the same path gives the same request. */
export const resumeFrom = (loaded: Loaded, options: ResumeOptions): Resumed => {
  const target = targetOf(options)
  const style = styleOf(options.style)
  const { transcript, fromText } = inOneStyle(loaded.transcript, options.tools)
  const recovered = recoveryPlan({ ...loaded, transcript })
  const waits = recovered.openCalls.filter(({ becomes }) => becomes === "waits")
  const refuses = waits.length > 0 && options.waiting !== "close"
  const closed = recovered.openCalls.filter(({ becomes }) => becomes !== "waits" || !refuses)
  const said: readonly NewEntry[] =
    options.user === undefined || refuses
      ? []
      : [{ kind: "message", message: typeof options.user === "string" ? user(options.user) : options.user }]
  // A call that is text in the log has no id there that a result could name: each view closes it alike.
  const isStored = (entry: NewEntry): boolean => entry.kind !== "result" || !fromText.has(entry.result.callId)
  const plan: ResumePlan = {
    ...recovered,
    append: recovered.append.filter(isStored),
    waiting: waits.length === 0 ? "none" : refuses ? "refused" : "closed",
    reasons: waits.length === 0 ? recovered.reasons : [...recovered.reasons, waitingSentence(waits, !refuses)],
  }
  const base = withKeptRequest(withSharedValues(transcript), keptRequest(loaded.entries), target.format)
  const added = [...closing(closed), ...said]
  const view: Transcript = { ...base, messages: [...base.messages, ...added.flatMap(messageOf)] }
  const { conversation, report } = settle(view, { tip: refuses ? "open" : "closed", ...options.policies })
  const opened: Opened = {
    plan,
    loaded,
    format: target.format,
    ...(target.profile && { profile: target.profile.name }),
    style,
    conversation,
    append: behind(loaded, options.at, added.filter(isStored)),
  }
  if (refuses) return { ...opened, ready: false, waiting: waits, report }
  const written = write(conversation, target, style, options)
  const entries = [...report.entries, ...written.report.entries]
  return { ...opened, ready: true, request: written.request, report: reportOf(entries, conversation, target.format) }
}

/**
 * Opens a conversation for its next turn.
 *
 *     const resumed = await resume(store, id, { profile: "mistral", user: "Go on." })
 *     if (resumed.ready) {
 *       await store.append(id, resumed.append, { expectedTip: resumed.loaded.tip })
 *       await send(resumed.request)
 *     } else ask(resumed.waiting)
 */
export const resume = async (store: Pick<Store, "load">, id: string, options: ResumeOptions): Promise<Resumed> =>
  resumeFrom(await store.load(id, options.at === undefined ? {} : { at: options.at }), options)
