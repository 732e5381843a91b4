/**
 * Decides in which style a conversation's calls are written: as tags in text ("xml") or as structured calls ("json").
 *
 * The decision is made once per conversation and from the outside (provider, setting, model), never per message: a
 * history that mixes both styles confuses the model that reads it. Both lists are defaults to be replaced by
 * callers who know better.
 */

export type ToolStyle = "xml" | "json"

/** Providers through which structured calls are known to work. Upper and lower case are alike. */
export const defaultNativeProviders: readonly string[] = [
  "anthropic", "openai", "openai-native", "openrouter", "kilocode", "gemini", "vertex", "bedrock", "azure",
  "mistral", "deepseek", "xai", "groq", "cerebras", "moonshot",
]

/** Parts of model names; a model whose name contains one is better with structured calls. */
export const defaultJsonModels: readonly string[] = ["claude-haiku-4.5", "claude-haiku-4-5"]

export interface ToolStyleQuestion {
  readonly provider: string
  readonly userSetting?: ToolStyle | undefined
  readonly model?: string | undefined
  readonly nativeProviders?: readonly string[] | ReadonlySet<string>
  readonly jsonModels?: readonly string[]
}

export const toolStyle = (question: ToolStyleQuestion): ToolStyle => {
  const native = [...(question.nativeProviders ?? defaultNativeProviders)].map((provider) => provider.toLowerCase())
  if (!native.includes(question.provider.toLowerCase())) return "xml"
  if (question.userSetting !== undefined) return question.userSetting
  const model = question.model?.toLowerCase() ?? ""
  const jsonModels = question.jsonModels ?? defaultJsonModels
  if (jsonModels.some((keyword) => model.includes(keyword.toLowerCase()))) return "json"
  return "xml"
}
