/**
 * The four APIs a fake provider can speak: which paths exist, which judge decides, how replies and errors look, and
 * what a server remembers of what it issued.
 */
import { judgeAnthropic, judgeAnthropicPreserved } from "../anthropic/judge-anthropic.ts"
import { thinkingMemory } from "../anthropic/thinking-memory.ts"
import { judgeBedrock, judgeBedrockClaude } from "../bedrock/judge-bedrock.ts"
import { judgeMistral, judgeOllama, judgeTemplateStrict } from "../chat/mistral.ts"
import {
  judgeAzure,
  judgeCerebras,
  judgeDeepseek,
  judgeGroq,
  judgeKimi,
  judgeLitellm,
  judgeOpenaiChat,
  judgeOpenrouter,
  judgeXai,
} from "../chat/variants.ts"
import {
  anthropicError,
  type ErrorBody,
  geminiError,
  isObject,
  type Judge,
  modelOf,
  openaiError,
  type ProfileName,
  type Verdict,
  verdictOf,
} from "../verdict.ts"
import { judgeGemini } from "../gemini/judge-gemini.ts"
import { judgeOpenaiResponses } from "../responses/judge-openai-responses.ts"
import { anthropicContent, anthropicReplies, chatReplies, geminiReplies, responseId, responseItems, responsesReplies } from "./replies.ts"
import type { PlannedReply, ReplyFormat } from "./script.ts"

export type FakeApi = "openai-chat" | "openai-responses" | "anthropic" | "gemini"

export interface Route {
  readonly isStreamed: boolean
  /** Model named by the path, where the path names one. */
  readonly model?: string
}

export interface Api {
  readonly errorBody: ErrorBody
  readonly replies: ReplyFormat
  readonly callPrefix: string
  readonly malformed: string
  readonly notFound: (method: string, path: string) => string
  /** The route of a POST to this path, or `undefined` if the API has no such path. */
  readonly route: (path: string, body: unknown) => Route | undefined
  /** Whether a stream ends its lines as Gemini does. */
  readonly lineEnd: "\n" | "\r\n"
  readonly judge: (body: unknown, model: string | undefined) => Verdict
  /** Called with each reply before it is sent. */
  readonly remember: (body: unknown, reply: PlannedReply) => void
}

function fixedRoute(expected: string): Api["route"] {
  return (path, body) => (path === expected ? { isStreamed: isObject(body) && body["stream"] === true } : undefined)
}

const openaiTexts = {
  errorBody: openaiError,
  callPrefix: "call_fake",
  lineEnd: "\n",
  malformed:
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP " +
    "library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
  notFound: (method: string, path: string) => `Invalid URL (${method} ${path})`,
} as const

function withModel(model: string | undefined): { readonly model?: string } {
  return model === undefined ? {} : { model }
}

function chatApi(): Api {
  return {
    ...openaiTexts,
    replies: chatReplies,
    route: fixedRoute("/v1/chat/completions"),
    judge: (body, model) => judgeOpenaiChat(body, withModel(model)),
    remember: () => {},
  }
}

/** Remembers which reasoning each item had, and which responses exist, as the real service does. */
function responsesApi(): Api {
  const requiredReasoning = new Map<string, string>()
  const responses = new Set<string>()
  return {
    ...openaiTexts,
    replies: responsesReplies,
    route: fixedRoute("/v1/responses"),
    judge: (body, model) => {
      const previous = isObject(body) ? body["previous_response_id"] : undefined
      if (typeof previous === "string" && !responses.has(previous)) {
        return verdictOf(
          {
            rule: "openai-responses-previous-not-found",
            message: `Previous response with id '${previous}' not found.`,
            param: "previous_response_id",
            code: "previous_response_not_found",
          },
          openaiError,
        )
      }
      return judgeOpenaiResponses(body, { ...withModel(model), requiredReasoning })
    },
    remember: (body, reply) => {
      responses.add(responseId(reply))
      const items = responseItems(reply, body)
      const reasoning = items.find((item) => item.type === "reasoning")
      if (reasoning === undefined) return
      for (const item of items) if (item !== reasoning) requiredReasoning.set(item.id, reasoning.id)
    },
  }
}

function anthropicApi(bindThinking: boolean): Api {
  const memory = bindThinking ? thinkingMemory() : undefined
  return {
    errorBody: anthropicError,
    replies: anthropicReplies,
    callPrefix: "toolu_fake",
    lineEnd: "\n",
    malformed: "The request body is not valid JSON",
    notFound: () => "Not found",
    route: fixedRoute("/v1/messages"),
    judge: (body, model) => {
      const verdict = judgeAnthropic(body, withModel(model))
      return verdict.ok ? verdictOf(memory?.violation(body), anthropicError) : verdict
    },
    remember: (body, reply) => memory?.issue(body, anthropicContent(reply)),
  }
}

const geminiPath = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/

function geminiApi(): Api {
  return {
    errorBody: geminiError,
    replies: geminiReplies,
    callPrefix: "fake",
    lineEnd: "\r\n",
    malformed: "Invalid JSON payload received. Unexpected token.",
    notFound: (_method, path) => `The requested URL ${path} was not found on this server.`,
    route: (path) => {
      const found = geminiPath.exec(path)
      if (found === null) return undefined
      return { isStreamed: found[2] === "streamGenerateContent", ...withModel(found[1]) }
    },
    judge: (body, model) => judgeGemini(body, withModel(model)),
    remember: () => {},
  }
}

export function apiOf(name: FakeApi, bindThinking: boolean): Api {
  switch (name) {
    case "openai-chat":
      return chatApi()
    case "openai-responses":
      return responsesApi()
    case "anthropic":
      return anthropicApi(bindThinking)
    case "gemini":
      return geminiApi()
  }
}

/** The model a reply names: the server's own, the path's, or the request's. */
export function modelOfReply(configured: string | undefined, route: Route, body: unknown): string | undefined {
  return configured ?? route.model ?? (isObject(body) ? modelOf(body, undefined) : undefined)
}

/** All judges by profile name. */
export const judges: Readonly<Record<ProfileName, Judge>> = {
  anthropic: judgeAnthropic,
  "anthropic-preserved": judgeAnthropicPreserved,
  "openai-chat": judgeOpenaiChat,
  azure: judgeAzure,
  "openai-responses": judgeOpenaiResponses,
  gemini: judgeGemini,
  "bedrock-claude": judgeBedrockClaude,
  bedrock: judgeBedrock,
  mistral: judgeMistral,
  deepseek: judgeDeepseek,
  kimi: judgeKimi,
  groq: judgeGroq,
  cerebras: judgeCerebras,
  xai: judgeXai,
  litellm: judgeLitellm,
  openrouter: judgeOpenrouter,
  ollama: judgeOllama,
  "template-strict": judgeTemplateStrict,
}
