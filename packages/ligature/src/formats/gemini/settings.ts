/** What a generateContent request says beside its history. Model and streaming are in the address, not in the body. */
import { isWire, type Wire } from "../../model/index.ts"
import {
  budgetOf,
  effortFor,
  effortOf,
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
import { asWire, listOf, numberOf } from "../engine/wire.ts"

const known = [
  "contents",
  "systemInstruction",
  "system_instruction",
  "tools",
  "toolConfig",
  "tool_config",
  "generationConfig",
  "generation_config",
  "model",
]

const knownConfig = [
  "maxOutputTokens",
  "temperature",
  "topP",
  "topK",
  "seed",
  "presencePenalty",
  "frequencyPenalty",
  "stopSequences",
  "thinkingConfig",
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "candidateCount",
]

const readDeclaration = (value: unknown): ToolSettings | undefined => {
  const name = textIn(asWire(value)?.["name"])
  if (!isWire(value) || name === undefined) return undefined
  const schema = schemaOf(value["parametersJsonSchema"]) ?? lowerTypes(schemaOf(value["parameters"]))
  return given({ name, description: textIn(value["description"]), schema }) as unknown as ToolSettings
}

/** Its own kind of schema names types in capitals; JSON schema does not. */
const lowerTypes = (schema: Wire | undefined): Wire | undefined => schema && (lowered(schema) as Wire)

const lowered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(lowered)
  if (!isWire(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, key === "type" && typeof each === "string" ? each.toLowerCase() : lowered(each)]),
  )
}

const readChoice = (value: unknown): ToolChoice | undefined => {
  const config = asWire(asWire(value)?.["functionCallingConfig"])
  const names = listOf(config?.["allowedFunctionNames"])
  if (config?.["mode"] === "ANY") return names.length === 1 && typeof names[0] === "string" ? { tool: names[0] } : "required"
  return config?.["mode"] === "NONE" ? "none" : config?.["mode"] === "AUTO" ? "auto" : undefined
}

const readThinking = (value: unknown): ThinkingSettings | undefined => {
  if (!isWire(value)) return undefined
  const budget = numberOf(value["thinkingBudget"])
  if (budget === 0) return { on: false }
  const level = value["thinkingLevel"]
  const effort = effortOf(typeof level === "string" ? level.toLowerCase() : undefined)
  return given({ on: true, effort, budgetTokens: budget !== undefined && budget > 0 ? budget : undefined }) as unknown as ThinkingSettings
}

const read = (request: Wire): RequestSettings => {
  const config = asWire(request["generationConfig"]) ?? asWire(request["generation_config"]) ?? {}
  const lists = listOf(request["tools"]).map(asWire)
  const declared = lists.flatMap((tool) => listOf(tool?.["functionDeclarations"]).map(readDeclaration))
  const strangers = lists.flatMap((tool) =>
    Object.keys(tool ?? {})
      .filter((key) => key !== "functionDeclarations")
      .map((key) => `tools: ${key}`),
  )
  const isJson = config["responseMimeType"] === "application/json"
  return {
    ...given({
      model: textIn(request["model"]),
      maxTokens: numberOf(config["maxOutputTokens"]),
      temperature: numberOf(config["temperature"]),
      topP: numberOf(config["topP"]),
      topK: numberOf(config["topK"]),
      seed: numberOf(config["seed"]),
      presencePenalty: numberOf(config["presencePenalty"]),
      frequencyPenalty: numberOf(config["frequencyPenalty"]),
      stop: Array.isArray(config["stopSequences"]) ? config["stopSequences"] : undefined,
      tools: declared.length > 0 ? declared.filter((tool) => tool !== undefined) : undefined,
      toolChoice: readChoice(request["toolConfig"] ?? request["tool_config"]),
      thinking: readThinking(config["thinkingConfig"]),
      output: isJson
        ? given({ schema: schemaOf(config["responseJsonSchema"]) ?? lowerTypes(schemaOf(config["responseSchema"])) })
        : undefined,
    }),
    left: [...leftOf(request, known), ...leftOf(config, knownConfig), ...strangers],
  }
}

const writeChoice = (choice: ToolChoice | undefined): Wire | undefined => {
  if (choice === undefined) return undefined
  const config =
    typeof choice === "object"
      ? { mode: "ANY", allowedFunctionNames: [choice.tool] }
      : { mode: choice === "required" ? "ANY" : choice === "none" ? "NONE" : "AUTO" }
  return { functionCallingConfig: config }
}

/** Newer models are told how much to think in words, older ones in tokens. */
const writeThinking = (model: string | undefined, thinking: ThinkingSettings | undefined): Wire | undefined => {
  if (!thinking) return undefined
  if (/gemini-[3-9]/.test(model ?? ""))
    return thinking.on ? { thinkingLevel: effortFor(thinking) === "high" ? "high" : "low" } : { thinkingLevel: "low" }
  return thinking.on ? { thinkingBudget: budgetOf(thinking), includeThoughts: true } : { thinkingBudget: 0 }
}

const write = (settings: RequestSettings): Wire => {
  const { tools, toolChoice, thinking, output, model } = settings
  const declares = tools !== undefined && tools.length > 0
  const config = given({
    maxOutputTokens: settings.maxTokens,
    temperature: settings.temperature,
    topP: settings.topP,
    topK: settings.topK,
    seed: settings.seed,
    stopSequences: settings.stop && settings.stop.length > 0 ? settings.stop.slice(0, 5) : undefined,
    thinkingConfig: writeThinking(model, thinking),
    responseMimeType: output && "application/json",
    responseJsonSchema: output?.schema,
  })
  return given({
    tools: declares
      ? [
          {
            functionDeclarations: tools.map((tool) =>
              given({ name: tool.name, description: tool.description, parametersJsonSchema: parametersOf(tool) }),
            ),
          },
        ]
      : undefined,
    toolConfig: declares ? writeChoice(toolChoice) : undefined,
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
  })
}

export const geminiSettings: SettingsCodec = { history: ["contents", "systemInstruction", "system_instruction"], read, write }
