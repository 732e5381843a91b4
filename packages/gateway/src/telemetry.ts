/**
 * A span for each request that is answered, in the conventions for generative AI of OpenTelemetry. `@opentelemetry/api` is
 * optional: where the process has it and an SDK is registered, spans go there; else nothing happens. Spans have numbers and
 * names, never content and no credentials, and whatever a tracer throws is ignored.
 */
import type { ExchangeRecord } from "./exchange/exchange.ts"

type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** What is used of a `Tracer`. */
export interface GatewayTracer {
  startSpan(
    name: string,
    options: { readonly kind: number; readonly startTime: number; readonly attributes: Attributes },
  ): { setStatus(status: { readonly code: number }): unknown; end(endTime: number): unknown }
}

/** Values of enumerations of @opentelemetry/api: a client's span; an error. */
const clientKind = 2
const errorStatus = 2

/** Upstreams that the conventions call by another name. */
const providers: Readonly<Record<string, string>> = { gemini: "gcp.gemini", "openai-chat": "openai", mistral: "mistral_ai", xai: "x_ai" }

export const traceExchange = (tracer: GatewayTracer, record: ExchangeRecord): void => {
  const { changes, model, status, usage, ended, healed } = record
  const end = Date.now()
  const attributes: Attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": providers[record.upstream] ?? record.upstream,
    "gen_ai.conversation.id": record.conversation,
    ...(model !== undefined && { "gen_ai.request.model": model }),
    ...(usage?.inputTokens !== undefined && { "gen_ai.usage.input_tokens": usage.inputTokens }),
    ...(usage?.outputTokens !== undefined && { "gen_ai.usage.output_tokens": usage.outputTokens }),
    ...(usage?.cacheReadTokens !== undefined && { "gen_ai.usage.cache_read.input_tokens": usage.cacheReadTokens }),
    "http.response.status_code": status,
    "http.request.body.size": record.bytes,
    "ligature.upstream": record.upstream,
    "ligature.look": record.look,
    ...(changes.length > 0 && { "ligature.repaired": [...new Set(changes.map(({ rule }) => rule))] }),
    ...(healed !== undefined && { "ligature.healed": healed }),
    ...(ended !== "complete" && { "error.type": ended }),
    ...(ended === "complete" && status >= 400 && { "error.type": String(status) }),
  }
  try {
    const name = model === undefined ? "chat" : `chat ${model}`
    const span = tracer.startSpan(name, { kind: clientKind, startTime: end - record.ms, attributes })
    if (status >= 400 || ended !== "complete") span.setStatus({ code: errorStatus })
    span.end(end)
  } catch {
    // Tracing never decides anything.
  }
}

/** The tracer of the process; undefined where the API is not installed. */
export const findTracer = async (): Promise<GatewayTracer | undefined> => {
  // Not a literal: nothing has to be installed for the types.
  const name = "@opentelemetry/api"
  try {
    const { trace } = (await import(name)) as { readonly trace: { getTracer(name: string): GatewayTracer } }
    return trace.getTracer("ligature-gateway")
  } catch {
    return undefined
  }
}
