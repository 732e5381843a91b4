/** What a Chat Completions request says beside its history. */
import { isWire, type Wire } from "../../model/index.ts"
import {
  effortFor,
  effortOf,
  flagOf,
  given,
  leftOf,
  parametersOf,
  type RequestSettings,
  schemaOf,
  type SettingsCodec,
  textIn,
  type ToolChoice,
  type ToolSettings,
} from "../engine/settings.ts"
import { asWire, listOf, numberOf, stringOf } from "../engine/wire.ts"

const known = [
  "messages",
  "model",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "top_k",
  "seed",
  "presence_penalty",
  "frequency_penalty",
  "stop",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "reasoning_effort",
  "reasoning",
  "response_format",
]

const readTool = (value: unknown): ToolSettings | undefined => {
  if (!isWire(value)) return undefined
  const inner = asWire(value["function"]) ?? asWire(value["custom"])
  const name = textIn(inner?.["name"])
  if (!inner || name === undefined) return undefined
  const freeText = value["type"] === "custom" || undefined
  return given({
    name,
    description: textIn(inner["description"]),
    schema: schemaOf(inner["parameters"]),
    strict: flagOf(inner["strict"]),
    freeText,
  }) as unknown as ToolSettings
}

const readChoice = (value: unknown): ToolChoice | undefined => {
  if (value === "auto" || value === "required" || value === "none") return value
  const target = asWire(value)
  const name = asWire(target?.["function"])?.["name"] ?? asWire(target?.["custom"])?.["name"]
  return typeof name === "string" ? { tool: name } : undefined
}

const readStop = (value: unknown): readonly string[] | undefined => {
  if (typeof value === "string") return [value]
  return Array.isArray(value) ? value : undefined
}

const readOutput = (value: unknown): Wire | undefined => {
  const output = asWire(value)
  if (output?.["type"] === "json_object") return {}
  const inner = asWire(output?.["json_schema"])
  if (output?.["type"] !== "json_schema" || !inner) return undefined
  return given({ schema: schemaOf(inner["schema"]), name: textIn(inner["name"]), strict: flagOf(inner["strict"]) })
}

const read = (request: Wire): RequestSettings => {
  const tools = listOf(request["tools"])
  const declared = tools.map(readTool)
  const strangers = tools.flatMap((tool, index) => (declared[index] ? [] : [`tools: ${stringOf(asWire(tool)?.["type"]) || "unknown"}`]))
  const said = request["reasoning_effort"] ?? asWire(request["reasoning"])?.["effort"]
  const effort = effortOf(said)
  return {
    ...given({
      model: textIn(request["model"]),
      stream: flagOf(request["stream"]),
      maxTokens: numberOf(request["max_completion_tokens"]) ?? numberOf(request["max_tokens"]),
      temperature: numberOf(request["temperature"]),
      topP: numberOf(request["top_p"]),
      topK: numberOf(request["top_k"]),
      seed: numberOf(request["seed"]),
      presencePenalty: numberOf(request["presence_penalty"]),
      frequencyPenalty: numberOf(request["frequency_penalty"]),
      stop: readStop(request["stop"]),
      tools: tools.length > 0 ? declared.filter((tool) => tool !== undefined) : undefined,
      toolChoice: readChoice(request["tool_choice"]),
      parallelCalls: flagOf(request["parallel_tool_calls"]),
      thinking: said === "none" ? { on: false } : effort === undefined ? undefined : { on: true, effort },
      output: readOutput(request["response_format"]),
    }),
    left: [...leftOf(request, known), ...strangers],
  }
}

const writeTool = (tool: ToolSettings): Wire => {
  const { name, description, strict, freeText } = tool
  if (freeText === true) return { type: "custom", custom: given({ name, description }) }
  return { type: "function", function: given({ name, description, parameters: parametersOf(tool), strict }) }
}

/** Models that take their limit under the newer name alone. */
const isReasoning = (model = ""): boolean => /(?:^|\/)(?:o\d|gpt-[5-9])/.test(model)

const mostStops = 4

const write = (settings: RequestSettings): Wire => {
  const { model, stream, maxTokens, tools, toolChoice, parallelCalls, thinking, output, stop } = settings
  const declares = tools !== undefined && tools.length > 0
  return given({
    model,
    stream,
    stream_options: stream === true ? { include_usage: true } : undefined,
    [isReasoning(model) ? "max_completion_tokens" : "max_tokens"]: maxTokens,
    temperature: isReasoning(model) ? undefined : settings.temperature,
    top_p: isReasoning(model) ? undefined : settings.topP,
    seed: settings.seed,
    presence_penalty: settings.presencePenalty,
    frequency_penalty: settings.frequencyPenalty,
    stop: stop && stop.length > 0 ? stop.slice(0, mostStops) : undefined,
    tools: declares ? tools.map(writeTool) : undefined,
    tool_choice: !declares
      ? undefined
      : typeof toolChoice === "object"
        ? { type: "function", function: { name: toolChoice.tool } }
        : toolChoice,
    parallel_tool_calls: declares ? parallelCalls : undefined,
    reasoning_effort: thinking?.on === true && isReasoning(model) ? effortFor(thinking) : undefined,
    response_format:
      output &&
      (output.schema
        ? { type: "json_schema", json_schema: given({ name: output.name ?? "answer", schema: output.schema, strict: output.strict }) }
        : { type: "json_object" }),
  })
}

export const chatSettings: SettingsCodec = { history: ["messages"], read, write }
