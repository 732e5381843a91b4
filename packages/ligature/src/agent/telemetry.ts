/**
 * Spans of a run for OpenTelemetry, named and described by its conventions for generative AI:
 *
 *   invoke_agent            the whole run
 *     compact               each compaction
 *     chat {model}          each request, retries included
 *     execute_tool {name}   each tool that ran
 *
 * The API is described by the few methods that are used, so nothing has to be installed. Tracing never decides anything:
 * whatever a tracer throws is ignored, and every span that was started is ended, at the latest with the run. Nothing that
 * was said leaves the process unless `content` is true; messages of errors may quote it, so they count as content.
 */
import { encode, writePart } from "../formats/otel-messages/encode.ts"
import { type CallBlock, type Conversation, outcomeKind, resultText, type ResultBlock } from "../model/index.ts"
import type { Recorded } from "../record/index.ts"
import type { LoopEvent } from "./events.ts"
import { type Model, profileOf, providerNameOf } from "./request/model.ts"

export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[]>>

/** A `Span` of @opentelemetry/api. */
export interface TelemetrySpan {
  setAttributes(attributes: SpanAttributes): unknown
  recordException(exception: { readonly name: string; readonly code: string; readonly message?: string }): unknown
  setStatus(status: { readonly code: number; readonly message?: string }): unknown
  end(): unknown
}

/** A `Tracer` of @opentelemetry/api. */
export interface TelemetryTracer {
  startSpan(name: string, options?: { readonly kind?: number; readonly attributes?: SpanAttributes }, context?: unknown): TelemetrySpan
}

export interface TelemetryOptions {
  /** `trace.getTracer("my-agent")` */
  readonly tracer: TelemetryTracer
  /**
   * `context` of @opentelemetry/api. With `trace`, the spans of a run are children of one another and of the span that is
   * active when the run starts, and what a tool or a request traces on its own is a child of theirs.
   */
  readonly context?: { active(): unknown; with(context: unknown, work: () => void): unknown }
  /** `trace` of @opentelemetry/api. */
  readonly trace?: { setSpan(context: unknown, span: TelemetrySpan): unknown }
  /** Whether spans have messages, arguments, results and error messages. Default false. */
  readonly content?: boolean
}

/** Which span: there is one run, one request and one compaction at a time, and one for each tool call. */
export type SpanKey = "run" | "request" | "compaction" | `tool ${string}`

interface OpenSpan {
  readonly span: TelemetrySpan
  readonly context: unknown
}

interface SpanFailure {
  readonly type: string
  readonly message?: string | undefined
}

/** Values of the enumerations of @opentelemetry/api. */
const kinds = { internal: 0, client: 2 } as const
const errorStatus = 2

const ignoringErrors = <Value>(work: () => Value): Value | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}

const usageAttributes = ({
  inputTokens,
  outputTokens,
}: {
  readonly inputTokens?: number
  readonly outputTokens?: number
}): SpanAttributes => ({
  ...(inputTokens !== undefined && { "gen_ai.usage.input_tokens": inputTokens }),
  ...(outputTokens !== undefined && { "gen_ai.usage.output_tokens": outputTokens }),
})

export class Telemetry {
  readonly #options: TelemetryOptions
  readonly #model: Model
  readonly #conversation: string
  readonly #open = new Map<SpanKey, OpenSpan>()
  #input: Conversation | undefined

  constructor(options: TelemetryOptions, model: Model, conversation: string) {
    this.#options = options
    this.#model = model
    this.#conversation = conversation
  }

  #start(key: SpanKey, operation: string, subject: string | undefined, attributes: SpanAttributes): void {
    ignoringErrors(() => {
      const { tracer, context, trace } = this.#options
      const name = subject === undefined ? operation : `${operation} ${subject}`
      const parent = this.#open.get("run")?.context ?? ignoringErrors(() => context?.active())
      const all = { "gen_ai.operation.name": operation, "gen_ai.conversation.id": this.#conversation, ...attributes }
      const kind = operation === "chat" ? kinds.client : kinds.internal
      const span = tracer.startSpan(name, { kind, attributes: all }, parent)
      this.#open.set(key, { span, context: ignoringErrors(() => trace?.setSpan(parent, span)) })
    })
  }

  #describe(key: SpanKey, attributes: () => SpanAttributes): void {
    ignoringErrors(() => this.#open.get(key)?.span.setAttributes(attributes()))
  }

  #end(key: SpanKey, failure?: SpanFailure): void {
    const span = this.#open.get(key)?.span
    if (!span) return
    this.#open.delete(key)
    if (failure) {
      const { type, message } = failure
      const said = this.#options.content === true && message !== undefined ? { message } : {}
      ignoringErrors(() => span.setAttributes({ "error.type": type }))
      ignoringErrors(() => span.recordException({ name: type, code: type, ...said }))
      ignoringErrors(() => span.setStatus({ code: errorStatus, ...said }))
    }
    ignoringErrors(() => span.end())
  }

  get #requestAttributes(): SpanAttributes {
    return { "gen_ai.provider.name": providerNameOf(profileOf(this.#model).name), "gen_ai.request.model": this.#model.model }
  }

  #startTool({ id, name, arguments: given }: CallBlock): void {
    this.#start(`tool ${id}`, "execute_tool", name, {
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.type": "function",
    })
    if (this.#options.content) this.#describe(`tool ${id}`, () => ({ "gen_ai.tool.call.arguments": JSON.stringify(given) }))
  }

  #endTool({ id }: CallBlock, result: ResultBlock): void {
    const [outcome, text] = [outcomeKind(result), resultText(result)]
    if (this.#options.content) this.#describe(`tool ${id}`, () => ({ "gen_ai.tool.call.result": text }))
    this.#end(`tool ${id}`, outcome === "done" ? undefined : { type: outcome, message: text })
  }

  #startRequest(): void {
    this.#start("request", "chat", this.#model.model, {
      ...this.#requestAttributes,
      "server.address": new URL(this.#model.url).hostname,
    })
    const input = this.#input
    if (!input || !this.#options.content) return
    this.#describe("request", () => {
      const attributes = Object.entries(encode(input))
      return Object.fromEntries(attributes.map(([name, value]) => [name, JSON.stringify(value)]))
    })
  }

  readonly listen = (event: LoopEvent): void => {
    switch (event.type) {
      case "run-start":
        return this.#start("run", "invoke_agent", undefined, this.#requestAttributes)
      case "request-start":
        return this.#startRequest()
      case "request-end": {
        const { failure, stop } = event
        const type = failure ? String(failure.status ?? failure.kind) : stop === undefined || stop === "aborted" ? "aborted" : undefined
        return this.#end("request", type === undefined ? undefined : { type, message: failure?.message })
      }
      case "compaction-start":
        return this.#start("compaction", "compact", undefined, { "ligature.compaction.reason": event.reason })
      case "compaction-end": {
        const { entries, error } = event
        this.#describe("compaction", () => ({ "ligature.compaction.entries": entries }))
        const failed = error instanceof Error ? { type: error.name, message: error.message } : { type: "_OTHER" }
        return this.#end("compaction", error === undefined ? undefined : failed)
      }
      case "tool-start":
        return this.#startTool(event.call)
      case "tool-end":
        return this.#endTool(event.call, event.result)
      case "run-end": {
        const { usage, finish } = event.result
        this.#describe("run", () => ({ ...usageAttributes(usage), ...(finish && { "gen_ai.response.finish_reasons": [finish] }) }))
        return this.close()
      }
      case "run-error": {
        const { reason, message, partial } = event.error
        this.#describe("run", () => usageAttributes(partial.usage))
        return this.close({ type: reason, message })
      }
      default:
        return undefined
    }
  }

  /** What the next requests say to the model. */
  sends(conversation: Conversation): void {
    this.#input = conversation
  }

  /** What came back. */
  received({ message, stop, said, responseId, origin, usage }: Recorded): void {
    const reason = said ?? stop
    this.#describe("request", () => ({
      ...(origin.model !== undefined && { "gen_ai.response.model": origin.model }),
      ...(responseId !== undefined && { "gen_ai.response.id": responseId }),
      "gen_ai.response.finish_reasons": [reason],
      ...(usage && usageAttributes(usage)),
    }))
    if (!this.#options.content) return
    this.#describe("request", () => {
      const output = [{ role: "assistant", parts: message.blocks.flatMap(writePart), finish_reason: reason }]
      return { "gen_ai.output.messages": JSON.stringify(output) }
    })
  }

  /** Does something in the context of a span: what it traces on its own becomes a child of it. */
  within<Value>(key: SpanKey, work: () => Value): Value {
    const inside = this.#open.get(key)?.context
    const { context } = this.#options
    if (!context || inside === undefined) return work()
    let outcome: { readonly value: Value } | { readonly error: unknown } | undefined
    const once = (): void => {
      if (outcome) return
      try {
        outcome = { value: work() }
      } catch (error) {
        outcome = { error }
      }
    }
    ignoringErrors(() => context.with(inside, once))
    once()
    const done = outcome as { readonly value: Value } | { readonly error: unknown }
    if ("error" in done) throw done.error
    return done.value
  }

  /** Ends every span: those of tools and requests that never came to an end, then that of the run. */
  close(failure?: SpanFailure): void {
    for (const key of [...this.#open.keys()].reverse()) this.#end(key, key === "run" ? failure : { type: "aborted" })
  }
}
