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
import type { Config } from "../config/config.ts"
import { Chains } from "../conversation/chains.ts"
import { identityOf } from "../conversation/identity.ts"
import { type Conversation, Memory } from "../conversation/memory.ts"
import { textMember } from "../conversation/slices.ts"
import type { Metrics } from "../metrics.ts"
import type { History, Recording } from "../record/history.ts"
import { readBody, Refusal } from "../server/read-body.ts"
import { chooseUpstream } from "../upstream/choose.ts"
import { Connections, Stop, UpstreamError } from "../upstream/send.ts"
import { type GatewayTracer, traceExchange } from "../telemetry.ts"
import { wires } from "../wires/index.ts"
import type { Ask, Wire } from "../wires/wire.ts"
import { Lessons } from "./lessons.ts"
import { convertExchange } from "./other-wire.ts"
import { answerModels } from "./models.ts"
import { passExchange, passQuestion } from "./same-wire.ts"
import { isForNow, type Outcome, type Turn, waitOf } from "./turn.ts"

/** One request, as a log has it: no content, no credentials. */
export interface ExchangeRecord extends Outcome {
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

export interface Surroundings {
  /** May change: every request is answered by the settings it began with. */
  readonly config: Config
  readonly metrics: Metrics
  readonly onExchange?: ((record: ExchangeRecord) => void) | undefined
  /** Undefined: nobody traces. */
  readonly tracer?: GatewayTracer | undefined
  /** Where conversations are stored, if they are. */
  readonly history?: History | undefined
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
    const body = given ?? (await readBody(request, limits.bodyBytes))
    const begun = performance.now()
    const wire = wires[ask.wire]
    const choice = chooseUpstream(config, ask.wire, () => ask.model ?? textMember(body, "model"))
    if (!choice) throw new Refusal(503, "This gateway has no upstream")
    const { upstream } = choice
    const identity = identityOf(request.headers)
    const conversation = this.#memory.find(identity, wire.name, body, wire.list)
    const held = conversation.bytes
    const recording = ask.kind === "generate" ? await this.#recording(conversation, wire, body) : undefined
    const stop = new Stop()
    const abort = (): void => stop.stop()
    const total = setTimeout(abort, limits.totalMs).unref()
    response.once("close", abort)
    const send: Turn["send"] = async (path, headers, sent) => {
      // What is asked is durable before it is asked.
      await recording?.saved
      metrics.add("ligature_added_seconds_total", {}, (performance.now() - begun) / 1000)
      try {
        const to = { upstream, method: "POST", path, headers, body: sent, idleMs: limits.idleMs, stop }
        const answer = await this.#connections.send(to)
        conversation.turnedAway = isForNow(answer.statusCode ?? 502) ? conversation.turnedAway + 1 : 0
        return answer
      } catch (error) {
        conversation.turnedAway++
        throw error instanceof UpstreamError ? error.after(waitOf(conversation)) : error
      }
    }
    const turn: Turn = {
      config,
      request,
      response,
      wire,
      ask,
      body,
      conversation,
      owner: identity.owner,
      ...choice,
      lessons: this.#lessons,
      recording,
      send,
    }
    try {
      const outcome = await (upstream.wire === wire.name ? passExchange(turn) : convertExchange(turn, this.#chains))
      this.#tell({
        ...outcome,
        conversation: conversation.id,
        model: ask.model ?? (this.#around.tracer ? textMember(body, "model") : undefined),
        wire: wire.name,
        upstream: upstream.name,
        bytes: body.length,
        ms: performance.now() - begun,
      })
    } finally {
      clearTimeout(total)
      this.#memory.settle(conversation, held)
      metrics.set("ligature_conversations", this.#memory.size)
      metrics.set("ligature_remembered_bytes", this.#memory.bytes)
    }
  }

  async #recording(conversation: Conversation, wire: Wire, body: Buffer): Promise<Recording | undefined> {
    const recording = await this.#around.history?.begin({ conversation, wire, body })
    if (!recording) return undefined
    return {
      ...recording,
      saved: recording.saved.catch((error: unknown) =>
        Promise.reject(new Refusal(503, `The conversation cannot be stored (${String(error)})`, 5)),
      ),
    }
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

  #tell(record: ExchangeRecord): void {
    const { metrics, onExchange, tracer } = this.#around
    metrics.add("ligature_requests_total", { wire: record.wire, upstream: record.upstream, status: String(record.status) })
    metrics.add("ligature_looks_total", { look: record.look })
    for (const { rule } of record.changes) metrics.add("ligature_repairs_total", { rule })
    if (record.healed !== undefined) metrics.add("ligature_healed_total", { rule: record.healed })
    if (record.ended !== "complete") metrics.add("ligature_streams_broken_total", { by: record.ended })
    if (tracer) traceExchange(tracer, record)
    onExchange?.(record)
  }
}
