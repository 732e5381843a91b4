// The rule book: every demand known to be made on a tool-calling conversation, one file per group of providers.
//
//   providerRule("anthropic-orphan-tool-result")?.demand
//
// The order is that of the groups below; where two demands share one refusal, the earlier is the likelier cause.
import { anthropicLimits } from "./anthropic-limits.ts"
import { anthropicPairing } from "./anthropic-pairing.ts"
import { anthropicRoles } from "./anthropic-roles.ts"
import { anthropicServer } from "./anthropic-server.ts"
import { anthropicState } from "./anthropic-state.ts"
import { anthropicThinking } from "./anthropic-thinking.ts"
import { bedrock } from "./bedrock.ts"
import { compatible } from "./compatible.ts"
import { everyProvider } from "./every-provider.ts"
import { fieldReports } from "./field-reports.ts"
import { gemini } from "./gemini.ts"
import { mistral } from "./mistral.ts"
import { openaiChat } from "./openai-chat.ts"
import { openaiResponses } from "./openai-responses.ts"
import { openaiResponsesState } from "./openai-responses-state.ts"
import type { ProviderRule } from "./provider-rule.ts"
import { templates } from "./templates.ts"

export { fieldReports } from "./field-reports.ts"
export type { Action, Enforcement, InvariantRuleId, ProfileRuleId, ProviderRule } from "./provider-rule.ts"

export const rulebook: readonly ProviderRule[] = [
  ...anthropicPairing,
  ...anthropicRoles,
  ...anthropicThinking,
  ...anthropicServer,
  ...anthropicLimits,
  ...anthropicState,
  ...openaiChat,
  ...openaiResponses,
  ...openaiResponsesState,
  ...gemini,
  ...bedrock,
  ...mistral,
  ...compatible,
  ...templates,
  ...everyProvider,
]

const ruleById: ReadonlyMap<string, ProviderRule> = new Map([...rulebook, ...fieldReports].map((rule) => [rule.id, rule] as const))

/** The demand with this id, from the rule book or the field reports. */
export function providerRule(id: string): ProviderRule | undefined {
  return ruleById.get(id)
}
