/** What the parts of one run share: the options with their defaults, the log, and what has been counted so far. */
import { checkTokens, iterationNote, lastUsage } from "../compact/internal.ts"
import { type KnownTool, type KnownTools, knownTools } from "../formats/engine/tools.ts"
import { historyStyle } from "../formats/xml-text/style.ts"
import { type ToolStyle, type ToolStyleQuestion } from "../formats/xml-text/index.ts"
import { toolStyle } from "../formats/xml-text/style.ts"
import {
  addressWithoutCredentials,
  type CallBlock,
  isWire,
  type JsonValue,
  LigatureError,
  type Message,
  type Transcript,
} from "../model/index.ts"
import type { Recorded, Usage } from "../record/index.ts"
import { type Policies, type Profile, resolvePolicies } from "../rules/index.ts"
import type { Entry, NewEntry } from "../store/index.ts"
import { debugLog, type Listener, type LoopEvent } from "./events.ts"
import type { ConversationLog } from "./log/conversation-log.ts"
import { joinUnsaved, platform, type Surroundings, type Unsaved } from "./log/unsaved.ts"
import { callerFailed, nothingUsed, type RunOptions, type UsageSum } from "./run-options.ts"
import { profileOf, type RequestShape, shapeOf } from "./request/model.ts"
import { defaultRetry, type RetryOptions } from "./request/retry.ts"
import { type SpanKey, Telemetry } from "./telemetry.ts"
import { type Declaration, declarationOf, type Tool, toolsByName, withToolsInWords } from "./tools/tool.ts"

// The style in which a conversation's calls are written, kept with the conversation: a note on its path, written when
// somebody chooses a style that the history does not show by itself. So whoever opens it next goes on in that style.

const noteName = "style"

const isStyle = (value: unknown): value is ToolStyle => value === "xml" || value === "json"

const keptStyle = (path: readonly Entry[]): ToolStyle | undefined => {
  const note = path.findLast((entry) => entry.kind === "note" && entry.name === noteName && isStyle(entry.value))
  return note?.kind === "note" && isStyle(note.value) ? note.value : undefined
}

interface ChosenStyle {
  readonly style: ToolStyle
  /** What to append, so that the choice is known the next time; empty where it is known. */
  readonly append: readonly NewEntry[]
}

const asked = (style: ToolStyle | ToolStyleQuestion): ToolStyle => {
  const found = typeof style === "object" ? toolStyle(style) : style
  if (isStyle(found)) return found
  throw new LigatureError("bad-option", `Expected the style "xml" or "json", got ${JSON.stringify(found)}`)
}

/** The style that was asked for; else that of the note, else that of the calls in the history, else `json`. */
export const chooseStyle = (
  wanted: ToolStyle | ToolStyleQuestion | undefined,
  path: readonly Entry[],
  transcript: Transcript,
  tools?: readonly KnownTool[],
): ChosenStyle => {
  const known = keptStyle(path) ?? historyStyle(transcript, tools) ?? "json"
  const style = wanted === undefined ? known : asked(wanted)
  return { style, append: style === known ? [] : [{ kind: "note", name: noteName, value: style }] }
}

/** The note that is stored next to each answer: how it ended and what it cost. Compaction and later runs read it again. */
export const noteOf = ({ stop, said, responseId, usage, origin }: Recorded, { boundThinking }: Profile): NewEntry => {
  const { native: _, ...counts } = usage ?? { native: {} }
  const value: Record<string, JsonValue> = { stop }
  if (origin.model !== undefined) value["model"] = origin.model
  if (said !== undefined) value["said"] = said
  if (responseId !== undefined) value["responseId"] = responseId
  if (boundThinking) value["boundThinking"] = true
  if (usage) value["usage"] = { ...counts }
  return { kind: "note", name: iterationNote, value }
}

/** What was counted for the last answer of the conversation. */
export const lastCount = (path: readonly Entry[]): Usage | undefined => {
  const usage = lastUsage(path)
  return usage && { ...usage, native: {} }
}

/** Whether an answer to this message continues a turn of the model: it follows tool results, or a pause. */
export const isInsideTurn = (last: Message | undefined): boolean => last?.role === "tool" || last?.paused === true

/**
 * Whether the model ended its turn without any further content. Claude does that after tool results when nothing is left
 * to be said. No message is stored for it, only the note about the iteration, so a later run does not ask again.
 */
export const endedWithoutContent = (path: readonly Entry[], messages: readonly Message[]): boolean => {
  const last = path.at(-1)
  if (last?.kind !== "note" || last.name !== iterationNote || !isInsideTurn(messages.at(-1))) return false
  return isWire(last.value) && last.value["stop"] === "end"
}

export const callsIn = ({ blocks }: Message): readonly CallBlock[] => blocks.filter((block): block is CallBlock => block.type === "call")

const positive = (name: string, value: number): number => {
  if (value > 0) return value
  throw new LigatureError("bad-option", `Expected a positive ${name}, got ${value}`)
}

/** What every request of a run carries around the conversation. */
interface Around {
  readonly style: ToolStyle
  /** The system prompt; where tools are called in text, with the tools in words. */
  readonly instructions: string | undefined
  /** The tools, as the API declares them. */
  readonly declared: object
  /** Both, as they are sent: the same object for a whole run. */
  readonly beside: object
}

export class RunState {
  readonly options: RunOptions
  readonly conversation: string
  readonly tools: ReadonlyMap<string, Tool>
  /** What providers are told of the tools. */
  readonly declarations: readonly Declaration[]
  readonly surroundings: Surroundings
  readonly retry: Required<RetryOptions>
  readonly policies: Policies
  readonly maxIterations: number
  readonly concurrency: number
  /** Aborted by the caller, and when the run cannot go on. */
  readonly signal: AbortSignal
  readonly #own = new AbortController()
  readonly #listeners: readonly Listener[]
  readonly telemetry: Telemetry | undefined
  readonly #takenIds = new Set<string>()
  /** Names and schemas of the tools. */
  readonly known: KnownTools
  readonly #shape: RequestShape
  #log: ConversationLog | undefined
  #around: Around | undefined
  #usage: UsageSum = nothingUsed
  /** The first thing that went wrong for good. */
  failure: unknown
  /** What has to be stored before anybody speaks. */
  noted: readonly NewEntry[] = []
  /** What an earlier run could not store, and this one has not stored yet. */
  carried: Unsaved | undefined
  iteration = 0
  retries = 0
  lastUsage: Usage | undefined
  /** Ids of the entries that were stored. */
  readonly saved: string[] = []

  /** Throws for options that can never work. */
  constructor(options: RunOptions, conversation: string) {
    const { signal, onEvent, tools = [], maxIterations = 50, concurrency = 8 } = options
    const shape = shapeOf(options.model.format)
    profileOf(options.model)
    if (!URL.canParse(options.model.url)) {
      const given = JSON.stringify(addressWithoutCredentials(String(options.model.url)))
      throw new LigatureError("bad-option", `Expected the address of a model, got ${given}`)
    }
    this.options = options
    this.policies = resolvePolicies(options)
    this.carried = options.unsaved
    this.conversation = conversation
    this.tools = toolsByName(tools)
    this.#shape = shape
    this.declarations = tools.map(declarationOf)
    this.known = knownTools(this.declarations)
    this.surroundings = { ...platform, ...options.surroundings }
    this.retry = { ...defaultRetry, ...options.retry }
    this.maxIterations = positive("maxIterations", maxIterations)
    this.concurrency = positive("concurrency", concurrency)
    checkTokens("trimResultTokens", options.trimResultTokens)
    this.signal = signal ? AbortSignal.any([signal, this.#own.signal]) : this.#own.signal
    const log = debugLog(this.surroundings.now)
    this.telemetry = options.telemetry && new Telemetry(options.telemetry, options.model, conversation)
    this.#listeners = [...(this.telemetry ? [this.telemetry.listen] : []), ...(onEvent ? [onEvent] : []), ...(log ? [log] : [])]
  }

  get log(): ConversationLog {
    if (!this.#log) throw new LigatureError("bad-option", "Expected an open conversation")
    return this.#log
  }

  get tip(): string | null | undefined {
    return this.#log?.tip
  }

  get unsaved(): Unsaved | undefined {
    return joinUnsaved(this.carried, this.#log?.unsaved)
  }

  get usage(): UsageSum {
    return this.#usage
  }

  /** How calls are written, and what every request says of the tools. */
  get around(): Around {
    if (!this.#around) throw new LigatureError("bad-option", "Expected an open conversation")
    return this.#around
  }

  open(log: ConversationLog, style: ToolStyle): void {
    const { declarations: tools } = this
    const { system } = this.options
    const instructions = style === "xml" ? withToolsInWords(system, tools) : system
    const declared = style === "json" && tools.length > 0 ? this.#shape.tools(tools) : {}
    const beside = { ...(instructions !== undefined && { system: instructions }), ...declared }
    this.#around = { style, instructions, declared, beside }
    this.#log = log
    for (const entry of log.path) if (entry.kind === "message") this.learnIds(entry.message)
  }

  /** Stops everything. The first failure is the one that is told. */
  fail(error: unknown): void {
    this.failure ??= error
    this.#own.abort()
  }

  /** Tells the listeners. One that throws ends the run, but takes nothing away from what is being stored. */
  readonly emit = (event: LoopEvent): void => {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (error) {
        this.fail(callerFailed("The listener of the run", error))
      }
    }
  }

  /** Does something inside a span, where the run is traced. */
  within<Value>(key: SpanKey, work: () => Value): Value {
    return this.telemetry ? this.telemetry.within(key, work) : work()
  }

  count(usage: Usage | undefined): void {
    const sum = this.#usage
    const more = (name: Exclude<keyof UsageSum, "requests">): number => sum[name] + (usage?.[name] ?? 0)
    this.#usage = {
      requests: sum.requests + 1,
      inputTokens: more("inputTokens"),
      outputTokens: more("outputTokens"),
      cacheReadTokens: more("cacheReadTokens"),
      cacheWriteTokens: more("cacheWriteTokens"),
      thinkingTokens: more("thinkingTokens"),
    }
    if (usage) this.lastUsage = usage
  }

  learnIds(message: Message): void {
    for (const { id } of callsIn(message)) this.#takenIds.add(id)
  }

  /** For the ids of a new message: servers use theirs again. */
  get ids(): { readonly prefix: string; readonly isTaken: (id: string) => boolean } {
    return { prefix: `call_${this.#takenIds.size}`, isTaken: (id) => this.#takenIds.has(id) }
  }
}
