/**
 * Asks the model once, however many attempts that takes: the view of the conversation is written for the provider and
 * sent; failures that may pass are tried again after a wait; a refusal is traced back to the stored entry it is about.
 */
import { estimateMeter } from "../compact/index.ts"
import {
  type CompactContext,
  type CompactionReason,
  defaultSettings,
  mediaHandles,
  recallToolName,
  trimResults,
} from "../compact/internal.ts"
import { decode, encode, resolveCodec } from "../convert/index.ts"
import { inOneStyle } from "../formats/xml-text/style.ts"
import {
  addressWithoutCredentials,
  type Block,
  type Conversation,
  type MediaBlock,
  type Message,
  type ReportEntry,
  system,
  type Transcript,
  withoutSecretsIn,
} from "../model/index.ts"
import type { Recorded } from "../record/index.ts"
import { classify, locate, type Refused, refusedPlace } from "../rules/classify/index.ts"
import { settle } from "../rules/index.ts"
import type { NewEntry } from "../store/index.ts"
import { callerFailed, LoopError } from "./run-options.ts"
import { type AttemptOutcome, attemptRequest, type AttemptRequest } from "./request/attempt.ts"
import { type Model, profileOf, shapeOf } from "./request/model.ts"
import { delayBefore, hidingSecrets, overflowOf, type RequestFailure } from "./request/retry.ts"
import type { RunState } from "./run-state.ts"

// What happens to the view between two requests, when no call is open: a compaction, and the shortening of new results.
// What to hide or summarise is the hook's business. One that fails changes nothing: the run goes on with the history as it is.

const canRecall = ({ tools }: RunState): boolean => tools.has(recallToolName)

/** Shows new results that are too large shortened, before any request holds them. */
export const trim = async (state: RunState): Promise<void> => {
  const { options, log, iteration, emit } = state
  const tokens = options.trimResultTokens ?? options.compact?.trimResultTokens ?? defaultSettings.results.maxTokens
  const terms = { tokens, meter: estimateMeter, canRecall: canRecall(state) }
  const { entries, elided } = trimResults(log.path, () => log.loaded, terms)
  if (entries.length === 0) return
  await log.append(entries)
  emit({ type: "results-trimmed", iteration, elided })
}

/** How many entries the hook appended. */
export const compact = async (
  state: RunState,
  conversation: Conversation,
  reason: CompactionReason,
  over?: CompactContext["over"],
): Promise<number> => {
  const { options, log, signal, iteration, emit, lastUsage: usage } = state
  const { compact: hook } = options
  if (!hook) return 0
  emit({ type: "compaction-start", reason, iteration })
  let entries = 0
  const append = async (added: readonly NewEntry[]): Promise<readonly string[]> => {
    const ids = await log.append(added, { durable: true })
    entries += ids.length
    return ids
  }
  let failed: { readonly error: unknown } | undefined
  try {
    const { lease } = log
    const { beside } = state.around
    const known = { conversation, usage, reason, ...(over && { over }), beside, store: options.store }
    const profile = profileOf(options.model)
    const context = { ...known, profile, signal, append, current: () => log.loaded, lease, canRecall: canRecall(state) }
    await state.within("compaction", () => hook(log.loaded, context))
    // What was appended beside us is seen before the next request, not when the next append finds out.
    await log.refresh()
  } catch (error) {
    failed = { error }
  }
  emit({ type: "compaction-end", reason, iteration, entries, ...failed })
  return entries
}

type Answer = { readonly type: "answered"; readonly recorded: Recorded } | { readonly type: "aborted"; readonly recorded?: Recorded }

/** What the model is about to see. */
export const validView = ({ log, policies }: RunState): Conversation => settle(log.view.transcript, { policies }).conversation

const prepare = (state: RunState): SentRequest => {
  const { policies, around, declarations: tools } = state
  const { model } = state.options
  const { style, instructions, declared } = around
  const { transcript: said, sources } = state.log.view
  const front = instructions === undefined ? [] : [system(instructions)]
  // Calls that an earlier agent kept as text are calls like the others where those are blocks.
  const { messages } = style === "json" ? inOneStyle(said).transcript : said
  const transcript = { ...said, messages: [...front, ...messages] }
  const { conversation } = settle(transcript, { policies })
  state.telemetry?.sends(conversation)
  const hasRecall = tools.some(({ name }) => name === recallToolName)
  const { value: request, report } = encode(conversation, profileOf(model), {
    policies,
    style,
    tools,
    ...(hasRecall && { mediaHandle: mediaHandles(() => state.log.loaded) }),
  })
  const body = { ...shapeOf(model.format).fields(model.model), ...declared, ...model.request, ...request }
  return { format: model.format, body, changes: report.entries, transcript, sources: [...front.map(() => ""), ...sources] }
}

/** Headers that cannot be sent are no fault of the network: trying again would change nothing. */
const headersFor = async ({ url, headers, format }: Model): Promise<Readonly<Record<string, string>>> => {
  try {
    const own = typeof headers === "function" ? await headers() : headers
    return Object.fromEntries(new Headers({ "content-type": "application/json", ...shapeOf(format).headers, ...own }))
  } catch (error) {
    const hide = hidingSecrets(url, typeof headers === "object" ? headers : {})
    throw callerFailed("The headers of the model", withoutSecretsIn(error, hide))
  }
}

const attempt = async (state: RunState, body: string, changes: SentRequest["changes"], number: number): Promise<AttemptOutcome> => {
  const { options, surroundings, signal, iteration, emit } = state
  const { model, silenceMs = 120_000, recorder } = options
  const headers = await headersFor(model)
  emit({
    type: "request-start",
    iteration,
    attempt: number,
    url: addressWithoutCredentials(model.url),
    bytes: body.length,
    ...(changes.length > 0 && { changes }),
  })
  const request: AttemptRequest = {
    format: model.format,
    url: model.url,
    headers,
    body,
    signal,
    silenceMs,
    fetch: surroundings.fetch,
    now: surroundings.now,
    recorder,
    onEvent: (event) => emit({ ...event, iteration, attempt: number }),
  }
  const outcome = await state.within("request", () => attemptRequest(request))
  const recorded = outcome.recorded
  if (recorded) state.telemetry?.received(recorded)
  state.count(recorded?.usage)
  emit({
    type: "request-end",
    iteration,
    attempt: number,
    ...(recorded && { stop: recorded.stop }),
    ...(recorded?.usage && { usage: recorded.usage }),
    ...(outcome.type === "failed" && { failure: outcome.failure }),
  })
  return outcome
}

const explain = (failure: RequestFailure, sent: SentRequest, attempts: number): LoopError => {
  const { status, body, cause } = failure
  const details = { ...(status !== undefined && { status }), ...(body !== undefined && { body }), cause }
  if (failure.retryable) {
    const waits = failure.retryAfterMs === undefined ? "" : `; it asks to wait ${failure.retryAfterMs} ms`
    return new LoopError("unavailable", `No answer after ${attempts} attempts: ${failure.message}${waits}`, details)
  }
  const refusal = { status, body: body ?? failure.message }
  const classification = classify(refusal)
  const place = classification ? undefined : refusedPlace(refusal)
  const refused = classification ?? (place && { place, ids: [] })
  const entry = refused && faultEntry(refused, sent)
  const known = [classification?.rule.id, entry === undefined ? undefined : `in the stored entry ${entry}`]
  const remarks = known.filter((remark) => remark !== undefined)
  return new LoopError("rejected", `${failure.message}${remarks.length === 0 ? "" : ` (${remarks.join(", ")})`}`, {
    ...details,
    ...(classification && { classification }),
    ...(entry !== undefined && { entry }),
  })
}

export const ask = async (state: RunState): Promise<Answer> => {
  const { signal, surroundings, iteration } = state
  let sent = prepare(state)
  let text = JSON.stringify(sent.body)
  let compacted = false
  for (let number = 1; ; number++) {
    const outcome = await attempt(state, text, sent.changes, number)
    if (outcome.type === "recorded") return { type: "answered", recorded: outcome.recorded }
    if (outcome.type === "aborted") return outcome
    const { failure } = outcome
    const over = overflowOf(failure)
    if (over && !compacted && state.options.compact) {
      compacted = true
      if ((await compact(state, validView(state), "overflow", over)) > 0) {
        sent = prepare(state)
        text = JSON.stringify(sent.body)
        continue
      }
    }
    const delayMs = delayBefore(failure, number, state.retries, state.retry, surroundings.random)
    if (delayMs === undefined) throw explain(failure, sent, number)
    state.retries++
    state.emit({ type: "retry-start", iteration, attempt: number, delayMs, failure })
    await surroundings.sleep(delayMs, signal)
    if (signal.aborted) return { type: "aborted" }
  }
}

// From a provider's refusal to the stored entry it is about. The refusal speaks of the request: of ids as they were
// written there, or of a position in its list. Requests are rewritten for each provider (ids are shortened, messages
// joined and split), but never drop or reorder calls, so the n-th call of the request is the n-th call of the view.

interface SentRequest {
  readonly format: string
  readonly body: unknown
  /** What was changed for the provider. */
  readonly changes: readonly ReportEntry[]
  /** What the request was made of. */
  readonly transcript: Transcript
  /** The entry of each message; "" for one that is not stored. */
  readonly sources: readonly string[]
}

const idOf = (block: Block | undefined): string | undefined =>
  block?.type === "call" ? block.id : block?.type === "result" ? block.callId : undefined

/** The ordinal of each call, by id; ids that are used again count where they first are. */
const ordinalsOf = ({ messages }: Transcript): ReadonlyMap<string, number> => {
  const ordinals = new Map<string, number>()
  let ordinal = 0
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.type !== "call") continue
      if (!ordinals.has(block.id)) ordinals.set(block.id, ordinal)
      ordinal++
    }
  }
  return ordinals
}

const textOf = ({ blocks }: Message): string => blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")

/** The message with the n-th call, or with its result. */
const messageOfCall = ({ messages }: Transcript, ordinal: number, type: "call" | "result"): number => {
  let id: string | undefined
  let seen = 0
  for (const [index, { blocks }] of messages.entries()) {
    for (const block of blocks) {
      if (block.type === "call" && seen++ === ordinal) {
        if (type === "call") return index
        id = block.id
      } else if (block.type === "result" && id !== undefined && block.callId === id) return index
    }
  }
  return -1
}

/** All media of a history, with the message it is in: in its blocks, or inside its results. */
const mediaOf = ({ messages }: Transcript): readonly { readonly message: number; readonly media: MediaBlock }[] =>
  messages.flatMap(({ blocks }, message) =>
    blocks
      .flatMap((block): readonly Block[] => (block.type === "result" ? block.content : [block]))
      .flatMap((media) => (media.type === "media" ? [{ message, media }] : [])),
  )

const addressOf = ({ source }: MediaBlock): string =>
  source.type === "base64" ? source.data : source.type === "url" ? source.url : source.id

/**
 * The stored message with the media of the request. The same image may be there several times, and old ones may have
 * been left out of the request: they are counted from the end.
 */
const messageOfMedia = (wire: Transcript, transcript: Transcript, media: MediaBlock): number => {
  const address = addressOf(media)
  const same = (history: Transcript): ReturnType<typeof mediaOf> => mediaOf(history).filter((each) => addressOf(each.media) === address)
  const sent = same(wire)
  const fromEnd = sent.length - sent.findIndex((each) => each.media === media)
  return same(transcript).at(-fromEnd)?.message ?? -1
}

/** The message whose text is in the request; of messages that were joined for it, the last. */
const messageOfText = ({ messages }: Transcript, role: Message["role"], words: string): number => {
  if (words === "") return -1
  const whole = messages.findLastIndex((each) => each.role === role && textOf(each).includes(words))
  if (whole >= 0) return whole
  return messages.findLastIndex((each) => each.role === role && textOf(each) !== "" && words.includes(textOf(each)))
}

/** The block a refusal is about, and the message of the request it is in. */
const refusedBlock = (refused: Refused, wire: Transcript) => {
  const located = locate(refused, wire)
  const message = located?.place.message === undefined ? undefined : wire.messages[located.place.message]
  if (!located || !message) return undefined
  const outer = located.place.block === undefined ? undefined : message.blocks[located.place.block]
  const inner = outer?.type === "result" && located.inside !== undefined ? outer.content[located.inside] : undefined
  return { message, outer, media: [inner, outer].find((block) => block?.type === "media") }
}

const faultEntry = (refused: Refused, sent: Omit<SentRequest, "changes">): string | undefined => {
  const { transcript, sources } = sent
  const wire = decode(resolveCodec(sent.format), sent.body)
  const found = refusedBlock(refused, wire)
  if (!found) return undefined
  const { message, outer, media } = found
  const sourceOf = (index: number): string | undefined => (index < 0 ? undefined : sources[index] || undefined)
  if (media?.type === "media") {
    const entry = sourceOf(messageOfMedia(wire, transcript, media))
    if (entry !== undefined) return entry
  }
  const block = idOf(outer) === undefined ? message.blocks.find((each) => idOf(each) !== undefined) : outer
  const id = outer && idOf(outer) === undefined ? undefined : idOf(block)
  if (id !== undefined && block) {
    const ordinal = ordinalsOf(wire).get(id)
    const type = block.type === "result" ? "result" : "call"
    const entry = ordinal === undefined ? undefined : sourceOf(messageOfCall(transcript, ordinal, type))
    if (entry !== undefined) return entry
  }
  return sourceOf(messageOfText(transcript, message.role, outer?.type === "text" ? outer.text : textOf(message)))
}
