/** What a Responses request says beside its history. */
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
  "input",
  "instructions",
  "model",
  "stream",
  "max_output_tokens",
  "temperature",
  "top_p",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "reasoning",
  "text",
]

/** A namespace is a group of functions; `additional_tools` items of the input are read by their own list. */
const readTool = (value: unknown, group?: string): readonly (ToolSettings | undefined)[] => {
  if (!isWire(value)) return [undefined]
  const { type } = value
  const name = textIn(value["name"])
  if (type === "namespace") return listOf(value["tools"]).flatMap((tool) => readTool(tool, name))
  if (name === undefined || (type !== "function" && type !== "custom")) return [undefined]
  return [
    given({
      name,
      description: textIn(value["description"]),
      schema: schemaOf(value["parameters"]),
      strict: flagOf(value["strict"]),
      freeText: type === "custom" || undefined,
      group,
    }) as unknown as ToolSettings,
  ]
}

const readChoice = (value: unknown): ToolChoice | undefined => {
  if (value === "auto" || value === "required" || value === "none") return value
  const { type, name, mode } = asWire(value) ?? {}
  if (type === "allowed_tools") return mode === "required" ? "required" : "auto"
  return typeof name === "string" ? { tool: name } : undefined
}

const read = (request: Wire): RequestSettings => {
  const added = listOf(request["input"]).flatMap((item) =>
    asWire(item)?.["type"] === "additional_tools" ? listOf(asWire(item)?.["tools"]) : [],
  )
  const tools = [...listOf(request["tools"]), ...added]
  const read = tools.map((tool) => [tool, readTool(tool)] as const)
  const declared = read.flatMap(([, found]) => found.filter((tool) => tool !== undefined))
  const strangers = read.flatMap(([tool, found]) =>
    found.includes(undefined) ? [`tools: ${stringOf(asWire(tool)?.["type"]) || "unknown"}`] : [],
  )
  const said = asWire(request["reasoning"])?.["effort"]
  const effort = effortOf(said)
  const output = asWire(asWire(request["text"])?.["format"])
  return {
    ...given({
      model: textIn(request["model"]),
      stream: flagOf(request["stream"]),
      maxTokens: numberOf(request["max_output_tokens"]),
      temperature: numberOf(request["temperature"]),
      topP: numberOf(request["top_p"]),
      tools: tools.length > 0 ? declared : undefined,
      toolChoice: readChoice(request["tool_choice"]),
      parallelCalls: flagOf(request["parallel_tool_calls"]),
      thinking: said === "none" ? { on: false } : isWire(request["reasoning"]) ? given({ on: true, effort }) : undefined,
      output:
        output?.["type"] === "json_object"
          ? {}
          : output?.["type"] === "json_schema"
            ? given({ schema: schemaOf(output["schema"]), name: textIn(output["name"]), strict: flagOf(output["strict"]) })
            : undefined,
    }),
    left: [...leftOf(request, known), ...strangers],
  }
}

const writeTool = (tool: ToolSettings): Wire => {
  const { name, description, strict, freeText } = tool
  if (freeText === true) return given({ type: "custom", name, description })
  return given({ type: "function", name, description, parameters: parametersOf(tool), strict: strict ?? false })
}

/** Models that think, and give their thinking only as encrypted text to whoever lets nothing be kept. */
const isReasoning = (model = ""): boolean => /(?:^|\/)(?:o\d|gpt-[5-9](?!.*chat)|codex)/.test(model)

const write = (settings: RequestSettings): Wire => {
  const { model, stream, maxTokens, temperature, topP, tools, toolChoice, parallelCalls, thinking, output } = settings
  const thinks = isReasoning(model)
  const declares = tools !== undefined && tools.length > 0
  return given({
    model,
    stream,
    // The history comes with every request: nothing has to be kept by the server.
    store: false,
    include: thinks ? ["reasoning.encrypted_content"] : undefined,
    max_output_tokens: maxTokens,
    temperature: thinks ? undefined : temperature,
    top_p: thinks ? undefined : topP,
    tools: declares ? tools.map(writeTool) : undefined,
    tool_choice: !declares ? undefined : typeof toolChoice === "object" ? { type: "function", name: toolChoice.tool } : toolChoice,
    parallel_tool_calls: declares ? parallelCalls : undefined,
    reasoning: thinking?.on === true && thinks ? { effort: effortFor(thinking), summary: "auto" } : undefined,
    text: output && {
      format: output.schema
        ? given({ type: "json_schema", name: output.name ?? "answer", schema: output.schema, strict: output.strict })
        : { type: "json_object" },
    },
  })
}

export const responsesSettings: SettingsCodec = { history: ["input", "instructions"], read, write }
