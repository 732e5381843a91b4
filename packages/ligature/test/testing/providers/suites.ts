/** For each profile, requests that its judge accepts, and requests that it refuses with the rule they break. */
import type { ProfileName } from "../../../src/testing/providers/index.ts"
import { anthropicCases, anthropicHealthy } from "./anthropic-cases.ts"
import { anthropicOrderCases } from "./anthropic-order-cases.ts"
import { anthropicParameterCases } from "./anthropic-parameter-cases.ts"
import { bedrockCases, bedrockClaudeHealthy, bedrockHealthy, claudeOnly, othersOnly } from "./bedrock-cases.ts"
import {
  type ChatFlavour,
  chatCases,
  chatHealthy,
  contentNull,
  deepseek,
  idLength,
  kimi,
  openai,
  openaiOnly,
  parsingCases,
  unknownParameter,
  xai,
} from "./chat-cases.ts"
import { geminiCases, geminiHealthy } from "./gemini-cases.ts"
import {
  anthropicMediaCases,
  anthropicMediaHealthy,
  bedrockMediaCases,
  geminiMediaCases,
  groqImageCases,
  imageCases,
  kimiImageCases,
  mistralImageCases,
  openaiImageCases,
  responsesMediaCases,
  xaiImageCases,
} from "./media-cases.ts"
import type { RejectionCase } from "./rejection-case.ts"
import { responsesCases, responsesHealthy } from "./responses-cases.ts"
import { mistralCases, mistralHealthy } from "./mistral-cases.ts"
import {
  azureCases,
  cerebrasCases,
  deepseekCases,
  groqCases,
  kimiCases,
  ollamaCases,
  ollamaHealthy,
  templateCases,
  templateHealthy,
  xaiCases,
} from "./variant-cases.ts"

export interface Suite {
  readonly healthy: Readonly<Record<string, unknown>>
  readonly rejected: readonly RejectionCase[]
}

function compatible(flavour: ChatFlavour, ...more: readonly (readonly RejectionCase[])[]): Suite {
  return {
    healthy: chatHealthy(flavour),
    rejected: [...chatCases(flavour), ...parsingCases(flavour), ...more.flat()],
  }
}

const everyAnthropicCase = [...anthropicCases, ...anthropicOrderCases, ...anthropicParameterCases, ...anthropicMediaCases]
const everyAnthropicHealthy = { ...anthropicHealthy, ...anthropicMediaHealthy }
const preserved = Object.fromEntries(
  Object.entries(everyAnthropicHealthy).filter(([name]) => !name.startsWith("a trailing assistant message")),
)
/** Without a model, the newest Claude answers a trailing assistant message with its own refusal. */
const preservedCases = everyAnthropicCase.filter(({ rule }) => rule !== "anthropic-trailing-whitespace")

export const suites: Readonly<Record<ProfileName, Suite>> = {
  anthropic: { healthy: everyAnthropicHealthy, rejected: everyAnthropicCase },
  "anthropic-preserved": {
    healthy: preserved,
    rejected: [
      ...preservedCases,
      {
        rule: "anthropic-trailing-whitespace",
        options: { model: "claude-sonnet-4-5" },
        body: {
          messages: [
            { role: "user", content: "hi" },
            { role: "assistant", content: "The answer is\n" },
          ],
        },
        message: "messages: final assistant content cannot end with trailing whitespace",
      },
    ],
  },
  "openai-chat": { healthy: chatHealthy(openai), rejected: [...chatCases(openai), ...openaiOnly, ...openaiImageCases(500)] },
  azure: {
    healthy: chatHealthy(openai),
    rejected: [...chatCases(openai), ...openaiOnly, ...azureCases, ...openaiImageCases(50)],
  },
  "openai-responses": { healthy: responsesHealthy, rejected: [...responsesCases, ...responsesMediaCases] },
  gemini: { healthy: geminiHealthy, rejected: [...geminiCases, ...geminiMediaCases] },
  "bedrock-claude": {
    healthy: { ...bedrockHealthy, ...bedrockClaudeHealthy },
    rejected: [...bedrockCases, ...bedrockMediaCases, ...claudeOnly],
  },
  bedrock: { healthy: bedrockHealthy, rejected: [...bedrockCases, ...bedrockMediaCases, ...othersOnly] },
  mistral: { healthy: mistralHealthy, rejected: [...mistralCases, ...mistralImageCases] },
  deepseek: compatible(deepseek, contentNull, idLength, deepseekCases),
  kimi: compatible(kimi, contentNull, kimiCases, kimiImageCases),
  groq: compatible({ ...openai, name: "groq" }, contentNull, groqCases, groqImageCases),
  cerebras: compatible({ ...openai, name: "cerebras" }, contentNull, cerebrasCases, imageCases),
  xai: compatible(xai, xaiCases, xaiImageCases),
  litellm: compatible({ ...openai, name: "litellm" }, contentNull, unknownParameter, imageCases, [
    {
      rule: "litellm-tools-required",
      options: { requireToolConfig: true },
      body: {
        messages: [
          { role: "user", content: "hi" },
          { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: { name: "ls", arguments: "{}" } }] },
          { role: "tool", tool_call_id: "c1", content: "x" },
        ],
      },
      message:
        "litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified. Pass " +
        "`tools=` param OR set `litellm.modify_params = True` // `litellm_settings::modify_params: True` to add dummy tool " +
        "to the request.",
    },
  ]),
  openrouter: compatible({ ...openai, name: "openrouter" }, contentNull, unknownParameter, imageCases),
  ollama: { healthy: ollamaHealthy, rejected: ollamaCases },
  "template-strict": { healthy: templateHealthy, rejected: templateCases },
}
