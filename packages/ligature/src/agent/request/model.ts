/**
 * How to talk to a model: an address, a format, and what the provider behind it demands. Plain data; four makers know
 * the addresses and headers of the usual ones, and `baseUrl` points them at anything that speaks the same format.
 */
import { type Profile, type ProfileName, resolveProfile } from "../../rules/index.ts"
import { LigatureError, type Wire } from "../../model/index.ts"
import { endpointOf } from "./endpoints.ts"
import { type RequestShape, requestShapes } from "./request-shapes.ts"

type HeaderFields = Readonly<Record<string, string>>

export interface Model {
  /** Format of requests and answers. */
  readonly format: string
  /** The full address requests are sent to. */
  readonly url: string
  /** Name of the model. */
  readonly model: string
  /** Headers beside those of the format; a function is asked for each request, for keys that change. */
  readonly headers?: HeaderFields | (() => HeaderFields | Promise<HeaderFields>)
  /** What the provider demands of a history. Default: as the address says, else what the format's inventor demands. */
  readonly profile?: Profile | ProfileName
  /** Fields of the request beside the history and the tools: `max_tokens`, `temperature`, …. They win over ours. */
  readonly request?: Wire
}

export interface ModelOptions {
  readonly model: string
  /** The key; goes into the header in which the format carries it. */
  readonly key?: string
  /** Where another server speaks the same format. */
  readonly baseUrl?: string
  readonly headers?: HeaderFields
  readonly profile?: Profile | ProfileName
  readonly request?: Wire
}

const maker =
  (format: string, defaultBase: string, path: (model: string) => string) =>
  ({ model, key, baseUrl = defaultBase, headers, profile, request }: ModelOptions): Model => ({
    format,
    model,
    url: `${baseUrl.replace(/\/+$/, "")}${path(model)}`,
    headers: { ...(key !== undefined && shapeOf(format).keyHeaders(key)), ...headers },
    ...(profile !== undefined && { profile }),
    ...(request && { request }),
  })

/** Everything that speaks Chat Completions: `baseUrl` ends in `/v1`, as a rule. */
export const chatModel = maker("openai-chat", "https://api.openai.com/v1", () => "/chat/completions")

export const responsesModel = maker("openai-responses", "https://api.openai.com/v1", () => "/responses")

export const anthropicModel = maker("anthropic", "https://api.anthropic.com/v1", () => "/messages")

export const geminiModel = maker(
  "gemini",
  "https://generativelanguage.googleapis.com/v1beta",
  (model) => `/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
)

export const shapeOf = (format: string): RequestShape => {
  const shape = Object.hasOwn(requestShapes, format) ? requestShapes[format] : undefined
  if (shape) return shape
  const known = Object.keys(requestShapes).join(", ")
  throw new LigatureError("unknown-format", `Expected a format the loop can speak (${known}), got "${format}"`)
}

export const profileOf = ({ format, url, profile }: Model): Profile => {
  const endpoint = endpointOf(url)
  const found = resolveProfile(profile ?? (endpoint?.format === format ? endpoint.profile : format))
  if (found.format === format) return found
  const message = `Expected a profile of the format "${format}", got "${found.name}" of "${found.format}"`
  throw new LigatureError("bad-option", message)
}
