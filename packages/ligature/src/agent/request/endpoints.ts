/** Which provider an address belongs to, as data: the path says the format, the host whose demands hold. */
import type { ProfileName } from "../../rules/index.ts"

export interface Endpoint {
  readonly format: string
  readonly profile: ProfileName
}

const paths: readonly (readonly [path: RegExp, endpoint: Endpoint])[] = [
  [/\/chat\/completions$/, { format: "openai-chat", profile: "openai-chat" }],
  [/\/responses$/, { format: "openai-responses", profile: "openai-responses" }],
  [/\/messages$/, { format: "anthropic", profile: "anthropic" }],
  [/:(?:streamGenerateContent|generateContent)$/, { format: "gemini", profile: "gemini" }],
  [/\/model\/[^/]*anthropic[^/]*\/converse(?:-stream)?$/, { format: "bedrock-converse", profile: "bedrock-claude" }],
  [/\/model\/[^/]+\/converse(?:-stream)?$/, { format: "bedrock-converse", profile: "bedrock" }],
]

/** Hosts that speak the Chat format with demands of their own. */
const hosts: readonly (readonly [host: RegExp, profile: ProfileName])[] = [
  [/\.openai\.azure\.com$/, "azure"],
  [/(?:^|\.)mistral\.ai$/, "mistral"],
  [/(?:^|\.)deepseek\.com$/, "deepseek"],
  [/(?:^|\.)moonshot\.(?:ai|cn)$/, "kimi"],
  [/(?:^|\.)groq\.com$/, "groq"],
  [/(?:^|\.)cerebras\.ai$/, "cerebras"],
  [/(?:^|\.)x\.ai$/, "xai"],
  [/(?:^|\.)openrouter\.ai$/, "openrouter"],
]

/** Undefined for an address that takes no history. */
export const endpointOf = (address: string): Endpoint | undefined => {
  let path: string
  let hostname: string
  try {
    const url = new URL(address)
    ;[path, hostname] = [decodeURIComponent(url.pathname), url.hostname]
  } catch {
    // No address, or one with a % that encodes nothing: whoever is asked for it knows what it means.
    return undefined
  }
  const found = paths.find(([pattern]) => pattern.test(path))?.[1]
  if (found?.format !== "openai-chat") return found
  const host = hosts.find(([name]) => name.test(hostname))
  return host ? { ...found, profile: host[1] } : found
}

/** Profiles whose provider has another name in the conventions of OpenTelemetry (`gen_ai.provider.name`). */
const providerNames: Readonly<Record<string, string>> = {
  "openai-chat": "openai",
  "openai-responses": "openai",
  "anthropic-preserved": "anthropic",
  gemini: "gcp.gemini",
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  "bedrock-claude": "aws.bedrock",
  mistral: "mistral_ai",
  kimi: "moonshot_ai",
  xai: "x_ai",
}

export const providerNameOf = (profile: string): string =>
  (Object.hasOwn(providerNames, profile) ? providerNames[profile] : undefined) ?? profile
