/**
 * What each provider demands, as data. Base profiles name everything; the others say how they differ. Sources of every
 * value: the rule book (`rules/rulebook`). Where the book is unsure, the stricter value is here.
 */
import type { Profile, DocumentLimits, ImageLimits, MediaLimits } from "./profile.ts"

// How much media each provider accepts, as data. Sources: the providers' pages on images, files and request sizes, and
// the refusals that the rule book quotes (`*-media-*`, `*-image-*`, `*-limits`). Where sources differ, the stricter value
// is here: what is within it is accepted by all of them. Megabytes are powers of ten where nobody says otherwise.

const commonTypes: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"]

const pdfOnly: readonly string[] = ["application/pdf"]

const officeTypes: readonly string[] = [
  ...pdfOnly,
  "text/csv",
  "text/html",
  "text/plain",
  "text/markdown",
  "application/msword",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.ms-excel",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
]

/** Images guide: 20 MB each, 500 and 50 MB a request. Files guide: PDFs of up to 100 pages and 32 MB. */
const openaiImages: ImageLimits = { types: commonTypes, bytes: 20_000_000, measure: "decoded", count: 500 }
const openaiFiles: DocumentLimits = { pages: 100, bytes: 32_000_000, measure: "decoded" }

const mediaLimits = {
  /**
   * Vision guide: 8000 pixels, 2000 with more than 20 images; 100 images for models with 200k tokens of context, pages of
   * PDFs counting like images ("Too much media: 3 document pages + 98 images > 100"). The 5 MB are of base64 text.
   */
  anthropic: {
    image: { types: commonTypes, bytes: 5_242_880, side: 8000, many: { above: 20, side: 2000 } },
    document: { types: pdfOnly, pages: 100, encrypted: "reject" },
    imagesAndPages: 100,
    requestBytes: 32_000_000,
  },
  openai: {
    image: openaiImages,
    document: { ...openaiFiles, types: pdfOnly },
    requestBytes: 50_000_000,
  },
  /** Reads office files and text files as well. */
  openaiResponses: { image: openaiImages, document: openaiFiles, requestBytes: 50_000_000 },
  /** Quotas page: 50 images of 20 MB a request. */
  azure: {
    image: { ...openaiImages, count: 50 },
    document: { ...openaiFiles, types: pdfOnly },
    requestBytes: 50_000_000,
  },
  /** Image guide: no GIF; inline data makes requests of at most 20 MB. Document guide: 1000 pages, 50 MB. */
  gemini: {
    image: { types: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"], count: 3000 },
    document: { pages: 1000, bytes: 50_000_000, measure: "decoded" },
    requestBytes: 20_000_000,
  },
  /** API reference, Message: 20 images of 3.75 MB and 8000 pixels, 5 documents of 4.5 MB. Claude: 100 pages, 20 MB. */
  bedrock: {
    image: { types: commonTypes, bytes: 3_750_000, measure: "decoded", side: 8000, count: 20 },
    document: { types: officeTypes, bytes: 4_500_000, measure: "decoded", count: 5, pages: 100 },
    requestBytes: 20_000_000,
  },
  /** Vision guide: 8 images of 10 MB. */
  mistral: { image: { types: commonTypes, bytes: 10_000_000, measure: "decoded", count: 8 }, document: {} },
  /** Vision guide: images as data or as ids of files, in requests of at most 100 MB. */
  kimi: { image: { types: commonTypes, addresses: "reject" }, document: {}, requestBytes: 100_000_000 },
  /** Vision guide: 5 images of 33 megapixels, and 4 MB for a request with images in it. */
  groq: {
    image: { types: commonTypes, count: 5, pixels: 33_177_600 },
    document: {},
    requestBytes: 4_000_000,
  },
  /** Image guide: JPEG and PNG; 10 MiB in its older version. */
  xai: { image: { types: ["image/png", "image/jpeg"], bytes: 10_485_760, measure: "decoded" }, document: {} },
  /** Gateways and servers of which only the types are known. */
  compatible: { image: { types: commonTypes }, document: {} },
} as const satisfies Readonly<Record<string, MediaLimits>>

/** For targets whose messages are plain text: media is described in it. */
const describedMedia: MediaLimits = { image: { types: [] }, document: { types: [] } }

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
    wire: { reasoning: "omit", callContent: "empty", developerRole: "system", refusals: "text", parts: ["document_url"] },
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
    wire: { reasoning: "require", callContent: "empty", refusals: "text", parts: ["video_url"] },
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
    wire: { reasoning: "keep", parts: ["video_url"] },
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
