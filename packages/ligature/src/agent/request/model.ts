/**
 * How to talk to a model: an address, a format, and what the provider behind it demands. Plain data; four makers know
 * the addresses and headers of the usual ones, and `baseUrl` points them at anything that speaks the same format.
 */
import { findCodec, type WireFormat } from "../../convert/index.ts"
import { assertOptions, type JsonObject, LigatureError, type Wire } from "../../model/index.ts"
import { findProfile, type Profile, type ProfileName, profileNames, resolveProfile } from "../../rules/index.ts"
import { type Declaration, declarationOf, noParameters, type Tool } from "../tools/tool.ts"

/** Which provider an address belongs to, as data: the path says the format, the host whose demands hold. */
export interface Endpoint {
  readonly format: WireFormat
  readonly profile: ProfileName
}

const paths: readonly (readonly [path: RegExp, endpoint: Endpoint])[] = [
  [/\/chat\/completions$/, { format: "openai-chat", profile: "openai-chat" }],
  [/\/responses$/, { format: "openai-responses", profile: "openai-responses" }],
  [/\/messages$/, { format: "anthropic", profile: "anthropic" }],
  [/:(?:streamGenerateContent|generateContent)$/, { format: "gemini", profile: "gemini" }],
  [/\/model\/[^/]*anthropic[^/]*\/converse(?:-stream)?$/, { format: "bedrock-converse", profile: "bedrock-claude" }],
  [/\/model\/[^/]+\/converse(?:-stream)?$/, { format: "bedrock-converse", profile: "bedrock" }],
]

/** Hosts that speak the Chat format with demands of their own. */
const hosts: readonly (readonly [host: RegExp, profile: ProfileName])[] = [
  [/\.openai\.azure\.com$/, "azure"],
  [/(?:^|\.)mistral\.ai$/, "mistral"],
  [/(?:^|\.)deepseek\.com$/, "deepseek"],
  [/(?:^|\.)moonshot\.(?:ai|cn)$/, "kimi"],
  [/(?:^|\.)groq\.com$/, "groq"],
  [/(?:^|\.)cerebras\.ai$/, "cerebras"],
  [/(?:^|\.)x\.ai$/, "xai"],
  [/(?:^|\.)openrouter\.ai$/, "openrouter"],
]

/** Undefined for an address that takes no history. */
export const endpointOf = (address: string): Endpoint | undefined => {
  let path: string
  let hostname: string
  try {
    const url = new URL(address)
    ;[path, hostname] = [decodeURIComponent(url.pathname), url.hostname]
  } catch {
    // No address, or one with a % that encodes nothing: whoever is asked for it knows what it means.
    return undefined
  }
  const found = paths.find(([pattern]) => pattern.test(path))?.[1]
  if (found?.format !== "openai-chat") return found
  const host = hosts.find(([name]) => name.test(hostname))
  return host ? { ...found, profile: host[1] } : found
}

/** Profiles whose provider has another name in the conventions of OpenTelemetry (`gen_ai.provider.name`). */
const providerNames: Readonly<Record<string, string>> = {
  "openai-chat": "openai",
  "openai-responses": "openai",
  "anthropic-preserved": "anthropic",
  gemini: "gcp.gemini",
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  "bedrock-claude": "aws.bedrock",
  mistral: "mistral_ai",
  kimi: "moonshot_ai",
  xai: "x_ai",
}

export const providerNameOf = (profile: string): string =>
  (Object.hasOwn(providerNames, profile) ? providerNames[profile] : undefined) ?? profile

/** What only a format knows of its requests, beside the history: as data, one shape each. */
export interface RequestShape {
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
  /** The header that carries a key. */
  readonly keyHeaders: (key: string) => Readonly<Record<string, string>>
  /** Fields beside history and tools; those of `Model.request` come on top. */
  readonly fields: (model: string) => Wire
  readonly tools: (tools: readonly Declaration[]) => Wire
}

const bearer = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` })

const declaration = ({ name, description }: Declaration): JsonObject => (description === undefined ? { name } : { name, description })

const parametersOf = ({ parameters }: Declaration): JsonObject => parameters ?? noParameters

/** Models that think and give their thinking only as encrypted text to whoever lets nothing be kept. */
const thinks = (model: string): boolean => /(?:^|\/)(?:o\d|gpt-[5-9](?!.*chat)|codex)/.test(model)

const requestShapes = {
  "openai-chat": {
    headers: {},
    keyHeaders: bearer,
    fields: (model) => ({ model, stream: true, stream_options: { include_usage: true } }),
    tools: (tools) => ({
      tools: tools.map((tool) => ({
        type: "function",
        function: { ...declaration(tool), parameters: parametersOf(tool) },
      })),
    }),
  },
  "openai-responses": {
    headers: {},
    keyHeaders: bearer,
    // The history is ours: the server keeps nothing, and thinking comes back in a form that can be sent again.
    fields: (model) => ({
      model,
      stream: true,
      store: false,
      ...(thinks(model) && { include: ["reasoning.encrypted_content"] }),
    }),
    tools: (tools) => ({
      tools: tools.map((tool) => ({
        type: "function",
        ...declaration(tool),
        parameters: parametersOf(tool),
        strict: false,
      })),
    }),
  },
  anthropic: {
    headers: { "anthropic-version": "2023-06-01" },
    keyHeaders: (key) => ({ "x-api-key": key }),
    fields: (model) => ({ model, stream: true, max_tokens: 8192 }),
    tools: (tools) => ({ tools: tools.map((tool) => ({ ...declaration(tool), input_schema: parametersOf(tool) })) }),
  },
  gemini: {
    headers: {},
    keyHeaders: (key) => ({ "x-goog-api-key": key }),
    fields: () => ({}),
    tools: (tools) => ({
      tools: [
        {
          functionDeclarations: tools.map((tool) => ({
            ...declaration(tool),
            ...(tool.parameters && { parametersJsonSchema: tool.parameters }),
          })),
        },
      ],
    }),
  },
} satisfies Readonly<Record<string, RequestShape>>

/** A format in which `run` can talk to a model. */
export type ModelFormat = keyof typeof requestShapes

type HeaderFields = Readonly<Record<string, string>>

export interface Model {
  /** Format of requests and answers. */
  readonly format: ModelFormat
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
  (format: ModelFormat, defaultBase: string, path: (model: string) => string) =>
  (options: ModelOptions): Model => {
    assertOptions(options, { model: true, key: true, baseUrl: true, headers: true, profile: true, request: true })
    const { model, key, baseUrl = defaultBase, headers, profile, request } = options
    return {
      format,
      model,
      url: `${baseUrl.replace(/\/+$/, "")}${path(model)}`,
      headers: { ...(key !== undefined && shapeOf(format).keyHeaders(key)), ...headers },
      ...(profile !== undefined && { profile }),
      ...(request && { request }),
    }
  }

/** Everything that speaks Chat Completions: `baseUrl` ends in `/v1`, as a rule. */
export const chatModel = maker("openai-chat", "https://api.openai.com/v1", () => "/chat/completions")

export const responsesModel = maker("openai-responses", "https://api.openai.com/v1", () => "/responses")

export const anthropicModel = maker("anthropic", "https://api.anthropic.com/v1", () => "/messages")

export const geminiModel = maker(
  "gemini",
  "https://generativelanguage.googleapis.com/v1beta",
  (model) => `/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
)

export const shapeOf = (format: ModelFormat): RequestShape => {
  const shape: RequestShape | undefined = Object.hasOwn(requestShapes, format) ? requestShapes[format] : undefined
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

/** Tools as each format declares them, for agents with a loop of their own. */
export type DeclaredTool = Pick<Tool, "name" | "description" | "parameters" | "jsonSchema">

const withSchema = ({ description, parameters = noParameters }: Declaration): JsonObject => ({
  ...(description !== undefined && { description }),
  inputSchema: parameters,
})

/** Formats that the loop itself does not send requests in. */
const others: Readonly<Record<string, (tools: readonly Declaration[]) => Wire>> = {
  "bedrock-converse": (tools) => ({
    toolConfig: {
      tools: tools.map(({ name, description, parameters = noParameters }) => ({
        toolSpec: { name, ...(description !== undefined && { description }), inputSchema: { json: parameters } },
      })),
    },
  }),
  "ai-sdk-model": (tools) => ({
    tools: tools.map((tool) => ({ type: "function", name: tool.name, ...withSchema(tool) })),
  }),
  "ai-sdk-ui": (tools) => ({ tools: Object.fromEntries(tools.map((tool) => [tool.name, withSchema(tool)])) }),
}

const declare = (format: string, tools: readonly Declaration[]): Wire | undefined => {
  if (Object.hasOwn(requestShapes, format)) return requestShapes[format as ModelFormat].tools(tools)
  return Object.hasOwn(others, format) ? others[format]?.(tools) : undefined
}

/**
 * The fields of a request that declare tools: `{ tools: [...] }`, or what the format has instead. Takes what `encode`
 * takes, a profile or its name, and the names of formats.
 *
 * @example
 * const { tools } = declareTools("anthropic", [{ name: "time", description: "The time of day." }])
 */
export const declareTools = (target: Profile | ProfileName | WireFormat, tools: readonly DeclaredTool[]): Wire => {
  const isName = typeof target === "string" && findProfile(target) === undefined
  const format = isName ? target : resolveProfile(target).format
  const fields = declare(format, tools.map(declarationOf))
  if (fields) return fields
  if (findCodec(format))
    throw new LigatureError(
      "not-expressible",
      `Expected a format that declares tools, got "${format}", which has no place for declarations: put the descriptions ` +
        "of the tools into the prompt instead, and answer what the model asks for in its text",
    )
  const known = [...Object.keys(requestShapes), ...Object.keys(others)].join(", ")
  throw new LigatureError(
    "unknown-format",
    `Expected a format that declares tools (${known}) or a profile (${profileNames.join(", ")}), got "${format}"`,
  )
}
