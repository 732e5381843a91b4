/** What an Anthropic request says beside its history. */
import { isWire, type Wire } from "../../model/index.ts"
import {
  budgetOf,
  effortOf,
  flagOf,
  given,
  leftOf,
  parametersOf,
  type RequestSettings,
  schemaOf,
  type SettingsCodec,
  textIn,
  type ThinkingSettings,
  type ToolChoice,
  type ToolSettings,
} from "../engine/settings.ts"
import { asWire, listOf, numberOf, stringOf } from "../engine/wire.ts"

const known = [
  "messages",
  "system",
  "model",
  "stream",
  "max_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "output_format",
]

/** Tools whose schema the API knows by heart, and that the client runs: what another model must be told about them. */
const clientTools: readonly (readonly [type: RegExp, schema: Wire])[] = [
  [/^bash_/, { type: "object", properties: { command: { type: "string" }, restart: { type: "boolean" } } }],
  [
    /^text_editor_/,
    {
      type: "object",
      properties: {
        command: { type: "string" },
        path: { type: "string" },
        file_text: { type: "string" },
        insert_line: { type: "integer" },
        insert_text: { type: "string" },
        new_str: { type: "string" },
        old_str: { type: "string" },
        view_range: { type: "array", items: { type: "integer" } },
      },
      required: ["command", "path"],
    },
  ],
  [/^(?:memory|computer)_/, { type: "object", properties: {} }],
]

const readTool = (value: unknown): ToolSettings | undefined => {
  if (!isWire(value)) return undefined
  const name = textIn(value["name"])
  const type = value["type"]
  if (name === undefined) return undefined
  const isOwn = type === undefined || type === null || type === "custom"
  const schema = isOwn ? schemaOf(value["input_schema"]) : clientTools.find(([pattern]) => pattern.test(stringOf(type)))?.[1]
  if (!isOwn && schema === undefined) return undefined
  return given({ name, description: textIn(value["description"]), schema, strict: flagOf(value["strict"]) }) as unknown as ToolSettings
}

const readChoice = (value: unknown): ToolChoice | undefined => {
  if (!isWire(value)) return undefined
  const { type, name } = value
  if (type === "any") return "required"
  if (type === "tool") return typeof name === "string" ? { tool: name } : undefined
  return type === "auto" || type === "none" ? type : undefined
}

const readThinking = ({ thinking, output_config: output }: Wire): ThinkingSettings | undefined => {
  const effort = effortOf(asWire(output)?.["effort"])
  if (!isWire(thinking)) return effort === undefined ? undefined : { on: true, effort }
  const { type, budget_tokens: budget } = thinking
  if (type === "disabled") return { on: false }
  const budgetTokens = numberOf(budget)
  return { on: true, ...(effort !== undefined && { effort }), ...(budgetTokens !== undefined && { budgetTokens }) }
}

const read = (request: Wire): RequestSettings => {
  const tools = listOf(request["tools"])
  const declared = tools.map(readTool)
  const strangers = tools.flatMap((tool, index) => (declared[index] ? [] : [`tools: ${stringOf(asWire(tool)?.["type"]) || "unknown"}`]))
  const choice = asWire(request["tool_choice"])
  const output = asWire(asWire(request["output_config"])?.["format"]) ?? asWire(request["output_format"])
  return {
    ...given({
      model: textIn(request["model"]),
      stream: flagOf(request["stream"]),
      maxTokens: numberOf(request["max_tokens"]),
      temperature: numberOf(request["temperature"]),
      topP: numberOf(request["top_p"]),
      topK: numberOf(request["top_k"]),
      stop: Array.isArray(request["stop_sequences"]) ? request["stop_sequences"] : undefined,
      tools: tools.length > 0 ? declared.filter((tool) => tool !== undefined) : undefined,
      toolChoice: readChoice(choice),
      parallelCalls: choice?.["disable_parallel_tool_use"] === true ? false : undefined,
      thinking: readThinking(request),
      output: output?.["type"] === "json_schema" ? given({ schema: schemaOf(output["schema"]) }) : undefined,
    }),
    left: [...leftOf(request, known), ...strangers],
  }
}

const writeChoice = ({ toolChoice, parallelCalls }: RequestSettings): Wire | undefined => {
  const apart = parallelCalls === false ? { disable_parallel_tool_use: true } : {}
  if (toolChoice === undefined) return parallelCalls === false ? { type: "auto", ...apart } : undefined
  if (toolChoice === "none") return { type: "none" }
  if (typeof toolChoice === "object") return { type: "tool", name: toolChoice.tool, ...apart }
  return { type: toolChoice === "required" ? "any" : "auto", ...apart }
}

/** The API requires a limit. */
const defaultMaxTokens = 8192
const leastBudget = 1024

const write = (settings: RequestSettings): Wire => {
  const { model, stream, maxTokens, temperature, topP, topK, stop, tools, thinking, output } = settings
  const forced = settings.toolChoice === "required" || typeof settings.toolChoice === "object"
  // Thinking goes with neither a forced tool nor a temperature of one's own.
  const thinks = thinking?.on === true && !forced
  const budget = thinks ? Math.max(leastBudget, budgetOf(thinking)) : 0
  const limit = maxTokens ?? defaultMaxTokens
  return given({
    model,
    max_tokens: thinks && limit <= budget ? budget + limit : limit,
    stream,
    temperature: thinks || temperature === undefined ? undefined : Math.min(temperature, 1),
    top_p: thinks ? undefined : topP,
    top_k: thinks ? undefined : topK,
    stop_sequences: stop,
    tools: tools?.map((tool) => given({ name: tool.name, description: tool.description, input_schema: parametersOf(tool) })),
    tool_choice: tools && tools.length > 0 ? writeChoice(settings) : undefined,
    thinking: thinks ? { type: "enabled", budget_tokens: budget } : undefined,
    output_config: output?.schema ? { format: { type: "json_schema", schema: output.schema } } : undefined,
  })
}

export const anthropicSettings: SettingsCodec = { history: ["messages", "system"], read, write }
