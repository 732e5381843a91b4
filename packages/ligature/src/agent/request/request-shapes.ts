/** What only a format knows of its requests, beside the history: as data, one shape each. */
import type { JsonObject, Wire } from "../../model/index.ts"
import { type Declaration, noParameters } from "../tools/tool.ts"

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

const declaration = ({ name, description }: Declaration): JsonObject =>
  description === undefined ? { name } : { name, description }

const parametersOf = ({ parameters }: Declaration): JsonObject => parameters ?? noParameters

/** Models that think and give their thinking only as encrypted text to whoever lets nothing be kept. */
const thinks = (model: string): boolean => /(?:^|\/)(?:o\d|gpt-[5-9](?!.*chat)|codex)/.test(model)

export const requestShapes: Readonly<Record<string, RequestShape>> = {
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
}
