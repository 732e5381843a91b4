/**
 * The path of one request:
 *
 *   read the body → find its conversation → choose the upstream
 *     same wire     compare with the last body → check what is new → its own bytes, or repaired ones → pass the answer on
 *     other wire    decode, restore, settle, encode → convert the answer back
 *
 * What the gateway itself cannot do it says as a 5xx: to some clients a 400 means that they asked for too much.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Recorded, Usage } from "ligature/record"
import type { Config } from "../config/config.ts"
import { Chains } from "../conversation/chains.ts"
import { identityOf } from "../conversation/identity.ts"
import { type Conversation, Memory } from "../conversation/memory.ts"
import { RequestBody } from "../conversation/request-body.ts"
import { textMember } from "../conversation/slices.ts"
import type { Metrics } from "../metrics.ts"
import type { History, Recording } from "../record/history.ts"
import { readBody, Refusal } from "../server/read-body.ts"
import type { Feed } from "../live/feed.ts"
import { chooseUpstream } from "../upstream/choose.ts"
import { Connections, Stop, UpstreamError } from "../upstream/send.ts"
import { type GatewayTracer, traceExchange } from "../telemetry.ts"
import { wires } from "../wires/index.ts"
import type { Ask, Wire } from "../wires/wire.ts"
import { type Compaction, type Prepared } from "../compaction/compaction.ts"
import { bodyToGoOn, readBack } from "../compaction/go-on.ts"
import { answeringRecall } from "../compaction/recall-answer.ts"
import { failureOf } from "../answer/refused.ts"
import { Lessons } from "./lessons.ts"
import { convertExchange } from "./other-wire.ts"
import { answerModels } from "./models.ts"
import { passExchange, passQuestion } from "./same-wire.ts"
import { isForNow, type Outcome, type Refused, type Turn, waitOf } from "./turn.ts"

/** One request, as a log has it: no content, no credentials. */
export interface ExchangeRecord extends Omit<Outcome, "refused"> {
  /** As the client named it; undefined where nobody had to look for it. */
  readonly model?: string | undefined
  readonly conversation: string
  readonly wire: string
  readonly upstream: string
  /** Of the request. */
  readonly bytes: number
  /** From the end of the request to the end of the answer. */
  readonly ms: number
}

/** Looked for only where it may be: to walk over a body is not free. */
const previousIn = (body: Buffer, { name }: Wire): string | undefined =>
  name === "openai-responses" && body.includes('"previous_response_id"') ? textMember(body, "previous_response_id") : undefined

export interface Surroundings {
  /** May change: every request is answered by the settings it began with. */
  readonly config: Config
  readonly metrics: Metrics
  readonly onExchange?: ((record: ExchangeRecord) => void) | undefined
  /** Undefined: nobody traces. */
  readonly tracer?: GatewayTracer | undefined
  /** Shown to those who watch. */
  readonly feed: Feed
  /** Where conversations are stored, if they are. */
  readonly history?: History | undefined
  /** Makes conversations fit, where that is configured. */
  readonly compaction?: Compaction | undefined
}

/** Where it takes longer to send a request than to wait for its last byte. */
const fromBytes = 1 << 16

/** The provider refused the request as too long: thrown before anything was answered. */
class TooLong extends Error {
  readonly refused: Refused

  constructor(refused: Refused) {
    super(refused.text)
    this.refused = refused
  }
}

export class Exchanges {
  readonly #connections = new Connections()
  readonly #memory: Memory
  readonly #chains = new Chains()
  readonly #lessons = new Lessons()
  readonly #around: Surroundings

  constructor(around: Surroundings) {
    this.#around = around
    this.#memory = new Memory(around.config.limits.memoryBytes)
  }

  close(): void {
    this.#connections.close()
  }

  /** Answers a request for an answer of a model. `given`: its body, where that was read already. Throws a `Refusal` or an `UpstreamError` before anything was answered. */
  async answer(request: IncomingMessage, response: ServerResponse, ask: Ask, given?: Buffer): Promise<void> {
    const { config, metrics } = this.#around
    const { limits } = config
    const bytes = given ?? (await readBody(request, limits.bodyBytes))
    const begun = performance.now()
    const wire = wires[ask.wire]
    const body = new RequestBody(bytes, wire.list)
    const choice = chooseUpstream(config, ask.wire, () => ask.model ?? textMember(bytes, "model"))
    if (!choice) throw new Refusal(503, "This gateway has no upstream")
    const { upstream } = choice
    const identity = identityOf(request.headers, body)
    const conversation = this.#memory.find(identity, wire.name, body, previousIn(bytes, wire))
    const held = conversation.bytes
    const redact = config.store?.redact ?? []
    const shown = this.#around.feed.begin({ conversation, wire, ask, upstream: upstream.name, body: bytes, redact }, identity.owner)
    const took = (): number => performance.now() - begun
    const stop = new Stop()
    const abort = (): void => stop.stop()
    const total = setTimeout(abort, limits.totalMs).unref()
    response.once("close", abort)
    let recording: Recording | undefined
    let usage: Usage | undefined
    const once = async (path: string, headers: readonly (readonly [string, string])[], sent: Buffer): Promise<IncomingMessage> => {
      // What is asked is durable before it is asked: a small request waits for it, of a large one the last byte.
      const hold = recording && sent.length > fromBytes ? recording.saved : undefined
      const isOut = (): void => metrics.observe("ligature_added_seconds", (performance.now() - begun) / 1000)
      if (hold) void hold.then(isOut, () => undefined)
      else {
        await recording?.saved
        isOut()
      }
      try {
        const to = { upstream, method: "POST", path, headers, body: sent, hold, idleMs: limits.idleMs, stop }
        const answer = await this.#connections.send(to)
        await recording?.ready
        conversation.turnedAway = isForNow(answer.statusCode ?? 502) ? conversation.turnedAway + 1 : 0
        return answer
      } catch (error) {
        conversation.turnedAway++
        throw error instanceof UpstreamError ? error.after(waitOf(conversation)) : error
      }
    }
    const turnFor = (prepared: Prepared | undefined, refused?: Turn["refused"]): Turn => ({
      config,
      request,
      response,
      wire,
      ask,
      body: prepared ? new RequestBody(prepared.bytes, wire.list) : body,
      conversation,
      owner: identity.owner,
      ...choice,
      lessons: this.#lessons,
      recording,
      ...(refused && { refused }),
      send: prepared?.canRecall === true && recording ? this.#recalling(once, { conversation, upstream, recording, ask }) : once,
    })
    try {
      recording = ask.kind === "generate" ? this.#recording(conversation, wire, body, (recorded) => (usage = recorded.usage)) : undefined
      const done = await this.#fitting(conversation, wire, bytes, recording, async (prepared, refused) => {
        const turn = turnFor(prepared, refused)
        if (upstream.wire === wire.name) return passExchange(turn)
        // What the client's wire could not carry is in the store.
        await recording?.ready
        return convertExchange(turn, this.#chains)
      })
      // Of an answer that only passed, the recording knows it.
      const outcome = { ...done, usage: done.usage ?? usage }
      shown.end(outcome, took())
      const { refused: _, ...said } = outcome
      this.#tell({
        ...said,
        conversation: conversation.id,
        model: ask.model ?? (this.#around.tracer ? textMember(bytes, "model") : undefined),
        wire: wire.name,
        upstream: upstream.name,
        bytes: bytes.length,
        ms: took(),
      })
    } catch (error) {
      const isKnown = error instanceof Refusal || error instanceof UpstreamError
      shown.failed(isKnown ? error.status : 500, isKnown ? error.message : "The gateway failed", took())
      throw error
    } finally {
      clearTimeout(total)
      body.release()
      this.#memory.settle(conversation, held)
      metrics.set("ligature_conversations", this.#memory.size)
      metrics.set("ligature_remembered_bytes", this.#memory.bytes)
    }
  }

  /**
   * The exchange with what fits into the window of the model: the client's own body while that fits. Where the provider says
   * that it is too long, it is compacted and sent once more.
   */
  async #fitting(
    conversation: Conversation,
    wire: Wire,
    body: Buffer,
    recording: Recording | undefined,
    exchange: (prepared: Prepared | undefined, refused?: Turn["refused"]) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { compaction } = this.#around
    if (!compaction || !recording) return exchange(undefined)
    await recording.saved
    const prepared = await compaction.prepare(conversation, body, wire)
    try {
      return await exchange(prepared, (status, text) => {
        if (failureOf(status, text).code === "context") throw new TooLong({ status, text })
      })
    } catch (error) {
      if (!(error instanceof TooLong)) throw error
      // Where nothing can be made smaller, the same refusal comes again and goes on to the client.
      const outcome = await exchange(await compaction.prepare(conversation, body, wire, true))
      return outcome.status < 400 ? { ...outcome, healed: "context-length", refused: error.refused } : outcome
    }
  }

  /** Sends so that calls of recall are answered here. */
  #recalling(
    send: Turn["send"],
    { conversation, upstream, recording, ask }: Pick<Turn, "conversation" | "upstream" | "ask"> & { readonly recording: Recording },
  ): Turn["send"] {
    const { history, metrics } = this.#around
    return async (path, given, sent) => {
      const headers = given.map(([name, value]): readonly [string, string] =>
        name.toLowerCase() === "accept-encoding" ? [name, "identity"] : [name, value],
      )
      return answeringRecall(await send(path, headers, sent), {
        wire: upstream.wire,
        usageEvent: sent.includes('"include_usage":true'),
        isArray: upstream.wire === ask.wire && ask.array === true,
        read: async (calls) => {
          metrics.add("ligature_recalls_total", {}, calls.length)
          return readBack((history as History).store, conversation.id, calls)
        },
        goOn: (rounds) => send(path, headers, bodyToGoOn(sent, upstream, rounds)),
        onEnd: (rounds, last) => recording.inRounds(rounds, last),
      })
    }
  }

  #recording(conversation: Conversation, wire: Wire, body: RequestBody, told: (recorded: Recorded) => void): Recording | undefined {
    const recording = this.#around.history?.begin({ conversation, wire, body })
    if (!recording) return undefined
    const saved = recording.saved.catch((error: unknown) =>
      Promise.reject(new Refusal(503, `The conversation cannot be stored (${String(error)})`, 5)),
    )
    // A request that is refused before it is sent waits for nothing.
    saved.catch(() => undefined)
    const answered: Recording["answered"] = (answer) => {
      told(answer.recorded)
      return recording.answered(answer)
    }
    return { ...recording, saved, answered }
  }

  /** The models there are: asked of an upstream that speaks the wire, else listed here from what another one says. */
  async models(request: IncomingMessage, response: ServerResponse, wire: Wire): Promise<void> {
    const { config } = this.#around
    const stop = new Stop()
    response.once("close", () => stop.stop())
    const own = config.upstreams.find((each) => each.wire === wire.name)
    const upstream = own ?? config.upstreams[0]
    if (!upstream) throw new Refusal(503, "This gateway has no upstream")
    const { idleMs } = config.limits
    const send = (path: string, headers: readonly (readonly [string, string])[]): Promise<IncomingMessage> =>
      this.#connections.send({ upstream, method: "GET", path, headers, body: Buffer.alloc(0), idleMs, stop })
    if (own) return passQuestion({ request, response, config, upstream, wire }, send)
    await answerModels(request, response, { config, upstream, wire }, send)
  }

  #count(upstream: string, { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): void {
    const kinds = { input: inputTokens, output: outputTokens, cache_read: cacheReadTokens, cache_write: cacheWriteTokens }
    for (const [kind, tokens] of Object.entries(kinds))
      if (tokens !== undefined) this.#around.metrics.add("ligature_tokens_total", { upstream, kind }, tokens)
  }

  /** Takes a conversation out of the memory of this process. */
  forget(id: string): void {
    this.#memory.forget(id)
  }

  #tell(record: ExchangeRecord): void {
    const { metrics, onExchange, tracer } = this.#around
    metrics.add("ligature_requests_total", { wire: record.wire, upstream: record.upstream, status: String(record.status) })
    metrics.add("ligature_looks_total", { look: record.look })
    for (const { rule } of record.changes) metrics.add("ligature_repairs_total", { rule })
    if (record.usage) this.#count(record.upstream, record.usage)
    if (record.healed !== undefined) metrics.add("ligature_healed_total", { rule: record.healed })
    if (record.ended !== "complete") metrics.add("ligature_streams_broken_total", { by: record.ended })
    if (tracer) traceExchange(tracer, record)
    onExchange?.(record)
  }
}
