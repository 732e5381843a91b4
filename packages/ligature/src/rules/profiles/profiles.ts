/**
 * What each provider demands, as data. Base profiles name everything; the others say how they differ. Sources of every
 * value: the rule book (`rules/rulebook`). Where the book is unsure, the stricter value is here.
 */
import { describedMedia, mediaLimits } from "./media-limits.ts"
import type { Profile } from "./profile.ts"

/** A profile before its place in the table gives it its name. */
type Demands = Omit<Profile, "name">

const anthropic: Demands = {
  title: "Anthropic Messages",
  format: "anthropic",
  origins: ["anthropic", "bedrock-converse"],
  ids: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 },
  names: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 128 },
  first: "user",
  // Claude 4.6 and later.
  last: /(?:opus|sonnet|haiku|fable|mythos)-(?:4[.-](?:[6-9]|[1-9]\d)|[5-9]|[1-9]\d)(?!\d)|claude-(?:4[.-](?:[6-9]|[1-9]\d)|[5-9]|[1-9]\d)(?:[.-]\d{1,2})?-[a-z]|mythos-preview/,
  alternate: false,
  systemInMiddle: "own",
  // Opus 4.8 and later take them, no Haiku or Sonnet does.
  refusesSystem: /haiku|sonnet|instant|claude-[0-3][.-]|opus-4(?:[.-][0-7])?(?:$|-\d{8}|[@:])/,
  emptyText: "reject",
  resultMedia: "inside-done",
  assistantMedia: "note",
  media: mediaLimits.anthropic,
  documentText: "optional",
  emptyResult: "accept",
  textAfterResults: "allow",
  textBesideCalls: "allow",
  parallelCalls: "allow",
  thinking: "signed",
  boundThinking: false,
  unknownFields: "reject",
  trimFinal: true,
  wire: {},
}

const openaiChat: Demands = {
  title: "OpenAI Chat Completions",
  format: "openai-chat",
  origins: ["openai-chat"],
  ids: { pattern: /\S/, maxLength: 40 },
  names: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 },
  first: "any",
  last: "any",
  alternate: false,
  systemInMiddle: "keep",
  emptyText: "accept",
  resultMedia: "after",
  assistantMedia: "note",
  media: mediaLimits.openai,
  documentText: "optional",
  emptyResult: "accept",
  textAfterResults: "allow",
  textBesideCalls: "allow",
  parallelCalls: "allow",
  thinking: "never",
  boundThinking: false,
  unknownFields: "reject",
  trimFinal: false,
  wire: { reasoning: "omit" },
}

const gemini: Demands = {
  ...anthropic,
  title: "Google Gemini",
  format: "gemini",
  origins: ["gemini"],
  ids: { pattern: /\S/, maxLength: 256 },
  names: { pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]*$/, maxLength: 64 },
  last: "user",
  alternate: true,
  systemInMiddle: "user",
  resultMedia: "after",
  assistantMedia: "allow",
  media: mediaLimits.gemini,
  trimFinal: false,
  wire: { thoughtSignatures: true },
}

const bedrockClaude: Demands = {
  ...anthropic,
  title: "Bedrock Converse, Claude models",
  format: "bedrock-converse",
  origins: ["bedrock-converse", "anthropic"],
  names: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 },
  last: "user",
  alternate: true,
  systemInMiddle: "user",
  toolList: "declare",
  media: mediaLimits.bedrock,
  documentText: "required",
  emptyResult: "filler",
}

const compatible = (title: string, differences: Partial<Demands>): Demands => ({
  ...openaiChat,
  title,
  ...differences,
})

const all = {
  anthropic: anthropic,
  "anthropic-preserved": {
    ...anthropic,
    title: "Anthropic Messages, preserved-thinking models",
    last: "user",
    boundThinking: true,
  },
  "openai-chat": openaiChat,
  azure: compatible("Azure OpenAI Chat", { media: mediaLimits.azure }),
  "openai-responses": {
    ...openaiChat,
    title: "OpenAI Responses",
    format: "openai-responses",
    origins: ["openai-responses"],
    ids: { pattern: /^[^\s|]+$/, maxLength: 64 },
    resultMedia: "inside",
    media: mediaLimits.openaiResponses,
    thinking: "signed",
    wire: {},
  },
  gemini: gemini,
  "bedrock-claude": bedrockClaude,
  bedrock: {
    ...bedrockClaude,
    title: "Bedrock Converse, other models",
    origins: [],
    thinking: "never",
    textAfterResults: "bridge",
    textBesideCalls: "split",
    wire: { resultStatus: false },
  },
  mistral: compatible("Mistral", {
    ids: { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9, exactLength: 9 },
    first: "user",
    last: "user",
    systemInMiddle: "user",
    textAfterResults: "bridge",
    emptyText: "reject",
    media: mediaLimits.mistral,
    wire: { reasoning: "omit", callContent: "empty", developerRole: "system", refusals: "text" },
  }),
  deepseek: compatible("DeepSeek", {
    last: "user",
    media: describedMedia,
    thinking: "plain",
    wire: { reasoning: "require", plainContent: true, callContent: "empty" },
  }),
  kimi: compatible("Moonshot Kimi", {
    media: mediaLimits.kimi,
    thinking: "plain",
    wire: { reasoning: "require", callContent: "empty", refusals: "text" },
  }),
  groq: compatible("Groq", { media: mediaLimits.groq, wire: { reasoning: "omit", refusals: "text" } }),
  cerebras: compatible("Cerebras", { media: mediaLimits.compatible, wire: { reasoning: "omit", refusals: "text" } }),
  xai: compatible("xAI", {
    emptyText: "reject",
    emptyResult: "filler",
    media: mediaLimits.xai,
    wire: { reasoning: "omit", callContent: "filler", refusals: "text" },
  }),
  litellm: compatible("LiteLLM with Claude or Bedrock as its provider", { toolList: "declare" }),
  openrouter: compatible("OpenRouter", {
    media: mediaLimits.compatible,
    thinking: "plain",
    wire: { reasoning: "keep" },
  }),
  ollama: compatible("Ollama, native API", {
    ids: { pattern: /\S/, maxLength: 256 },
    first: "user",
    systemInMiddle: "user",
    media: describedMedia,
    thinking: "never",
    wire: { reasoning: "omit", developerRole: "system", objectArguments: true, callContent: "empty", plainContent: true },
  }),
  "template-strict": compatible("Strict chat templates (vLLM, llama.cpp)", {
    ids: { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9, exactLength: 9 },
    first: "user",
    last: "user",
    alternate: true,
    systemInMiddle: "user",
    textAfterResults: "bridge",
    parallelCalls: "serialize",
    emptyText: "reject",
    emptyResult: "filler",
    media: describedMedia,
    wire: { reasoning: "omit", callContent: "empty", plainContent: true },
  }),
} satisfies Readonly<Record<string, Demands>>

export type ProfileName = keyof typeof all

export const profileNames = Object.keys(all) as readonly ProfileName[]

export const profiles = Object.fromEntries(profileNames.map((name): [ProfileName, Profile] => [name, { name, ...all[name] }])) as Readonly<
  Record<ProfileName, Profile>
>
