/** What requests say beside their history, by the name of the format: apart from the codecs, so that a check does not load it. */
import { anthropicSettings } from "../formats/anthropic/settings.ts"
import type { SettingsCodec } from "../formats/engine/settings.ts"
import { geminiSettings } from "../formats/gemini/settings.ts"
import { chatSettings } from "../formats/openai-chat/settings.ts"
import { responsesSettings } from "../formats/openai-responses/settings.ts"
import type { WireFormat } from "./registry.ts"

export const settingsCodecs: Readonly<Partial<Record<WireFormat, SettingsCodec>>> = {
  anthropic: anthropicSettings,
  "openai-chat": chatSettings,
  "openai-responses": responsesSettings,
  gemini: geminiSettings,
}
