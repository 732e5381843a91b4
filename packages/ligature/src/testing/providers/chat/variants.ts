/**
 * The Chat Completions servers that differ from one another by a few demands. Mistral, Ollama and the chat templates
 * have files of their own.
 */
import {
  cerebrasError,
  isArray,
  isObject,
  type Judge,
  openaiError,
  openrouterError,
  type Violation,
  type WireObject,
  xaiError,
} from "../verdict.ts"
import { type ChatContext, type ChatDemands, chatJudge, compatibleMedia, groqMedia, openaiMedia } from "./judge-chat.ts"

const unansweredOpenai = (ids: readonly string[]): string =>
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
  `The following tool_call_ids did not have response messages: ${ids.join(", ")}`

const unknownParameter = (_role: string, key: string, message: number): Violation => ({
  rule: "common-render-allow-list",
  message: `Unknown parameter: 'messages[${message}].${key}'.`,
  param: `messages[${message}].${key}`,
  code: "unknown_parameter",
})

/** Keys that OpenAI ignores, because clients send its own answers back and because compatible servers add them. */
const ignoredByOpenai = new Set(["annotations", "reasoning_content", "reasoning", "function_call"])

const openai: ChatDemands = {
  name: "openai-chat",
  errorBody: openaiError,
  idLength: 40,
  parsesArguments: false,
  unknownKeys: unknownParameter,
  toleratedKeys: ignoredByOpenai,
  unanswered: unansweredOpenai,
  orphan: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  media: openaiMedia,
  textLength: 10_485_760,
}

export const judgeOpenaiChat: Judge = chatJudge(openai)

export const judgeAzure: Judge = chatJudge({
  ...openai,
  media: { ...openaiMedia, images: 50 },
  extra: (_messages, body) => descriptionViolation(body["tools"]),
})

function descriptionViolation(tools: unknown): Violation | undefined {
  if (!isArray(tools)) return undefined
  for (let index = 0; index < tools.length; index++) {
    const tool = tools[index]
    const definition = isObject(tool) ? tool["function"] : undefined
    const text = isObject(definition) ? definition["description"] : undefined
    if (typeof text !== "string" || text.length <= 1024) continue
    return {
      rule: "azure-tool-description-1024",
      message:
        `Invalid 'tools[${index}].function.description': string too long. Expected a string with maximum length ` +
        `1024, but got a string with length ${text.length} instead.`,
      param: `tools[${index}].function.description`,
      code: "string_above_max_length",
    }
  }
  return undefined
}

/** What the servers that imitate OpenAI have in common: no limit on ids, arguments are parsed. */
const { textLength: _, ...counted } = openai
const compatible: ChatDemands = { ...counted, media: compatibleMedia, idLength: undefined, parsesArguments: true }

const { media: __, ...textOnly } = compatible

export const judgeDeepseek: Judge = chatJudge({
  ...textOnly,
  name: "deepseek",
  idLength: 40,
  toleratedKeys: new Set(["reasoning_content", "prefix", "annotations"]),
  unanswered: () =>
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    "(insufficient tool messages following tool_calls message)",
  orphan: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
  extra: deepseekViolation,
})

function deepseekViolation(messages: readonly WireObject[], body: WireObject, { model, options }: ChatContext): Violation | undefined {
  const oldReasoner = model !== undefined && /(^|[^a-z0-9])r1([^a-z0-9]|$)/i.test(model)
  const usesTools = (isArray(body["tools"]) && body["tools"].length > 0) || messages.some((message) => isArray(message["tool_calls"]))
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    if (message === undefined) continue
    if (isArray(message["content"])) {
      return {
        rule: "deepseek-content-string",
        message: `messages[${index}].content: invalid type: sequence, expected a string`,
      }
    }
    if (message["role"] !== "assistant") continue
    const present = typeof message["reasoning_content"] === "string"
    if (oldReasoner && present) {
      return {
        rule: "deepseek-reasoner-r1-forbidden",
        message: `messages[${index}]: reasoning_content is not allowed in the input messages of this model`,
      }
    }
    if (!oldReasoner && usesTools && !present) {
      return {
        rule: "deepseek-reasoning-required",
        message:
          `Missing reasoning_content field in the assistant message at message index ${index}. For more ` +
          "information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
      }
    }
  }
  const last = messages.at(-1)
  if (last?.["role"] !== "assistant" || last["prefix"] === true || options?.tip === "open") return undefined
  return {
    rule: "deepseek-last-role",
    message: "The last message must be a user message, or an assistant message with prefix mode on",
  }
}

/** A proxy that translates for Claude and Bedrock, and refuses what those refuse before it sends it. */
export const judgeLitellm: Judge = chatJudge({
  ...compatible,
  name: "litellm",
  extra: (messages, body, { options }) => {
    const isDemanded = options?.requireToolConfig ?? body["model"] !== undefined
    const usesTools = messages.some((message) => message["role"] === "tool" || isArray(message["tool_calls"]))
    if (!isDemanded || !usesTools || (isArray(body["tools"]) && body["tools"].length > 0)) return undefined
    return {
      rule: "litellm-tools-required",
      message:
        "litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified. " +
        "Pass `tools=` param OR set `litellm.modify_params = True` // `litellm_settings::modify_params: True` to add " +
        "dummy tool to the request.",
    }
  },
})

export const judgeKimi: Judge = chatJudge({
  ...compatible,
  name: "kimi",
  // platform.kimi.ai/docs/api/chat: what a content part may be.
  extraParts: new Set(["video_url"]),
  media: { ...compatibleMedia, isInline: true },
  toleratedKeys: new Set(["reasoning_content", "partial", "annotations"]),
  extra: (messages) => {
    const index = messages.findIndex(
      ({ role, tool_calls: calls, reasoning_content: reasoning }) =>
        role === "assistant" && isArray(calls) && (typeof reasoning !== "string" || reasoning === ""),
    )
    return index < 0
      ? undefined
      : {
          rule: "kimi-reasoning-required",
          message: `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
        }
  },
})

export const judgeGroq: Judge = chatJudge({
  ...compatible,
  name: "groq",
  media: groqMedia,
  toleratedKeys: new Set(),
  unknownKeys: (role, key, message) => ({
    rule: "groq-unsupported-property",
    message:
      `'messages.${message}' : for 'role:${role}' the following must be satisfied[('messages.${message}' : ` +
      `property '${key}' is unsupported)]`,
  }),
})

export const judgeCerebras: Judge = chatJudge({
  ...compatible,
  name: "cerebras",
  errorBody: cerebrasError,
  toleratedKeys: new Set(),
  unknownKeys: (role, key, message) => ({
    rule: "cerebras-unsupported-property",
    message: `messages.${message}.${role}.${key}: property 'messages.${message}.${role}.${key}' is unsupported`,
  }),
})

export const judgeXai: Judge = chatJudge({
  ...compatible,
  name: "xai",
  media: { ...compatibleMedia, types: ["image/png", "image/jpeg"], imageBytes: 10 * 1024 * 1024 },
  errorBody: xaiError,
  emptyContent: xaiContent,
})

function xaiContent(index: number): Violation {
  return {
    rule: "xai-content-element",
    message: "Invalid request content: Each message must have at least one content element.",
    param: `messages[${index}].content`,
  }
}

export const judgeOpenrouter: Judge = chatJudge({
  ...compatible,
  name: "openrouter",
  errorBody: openrouterError,
  toleratedKeys: new Set([...ignoredByOpenai, "reasoning_details", "cache_control", "images"]),
  extraParts: new Set(["video_url"]),
})
