/**
 * All judges by profile name.
 */
import { judgeAnthropic, judgeAnthropicPreserved } from "../anthropic/judge-anthropic.ts"
import { judgeBedrock, judgeBedrockClaude } from "../bedrock/judge-bedrock.ts"
import { judgeMistral } from "../chat/mistral.ts"
import { judgeOllama } from "../chat/ollama.ts"
import { judgeTemplateStrict } from "../chat/template.ts"
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
import { judgeGemini } from "../gemini/judge-gemini.ts"
import { judgeOpenaiResponses } from "../responses/judge-openai-responses.ts"
import type { Judge, ProfileName } from "../verdict.ts"

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
