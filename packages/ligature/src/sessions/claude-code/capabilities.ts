/** What a session file can express: what its provider's messages can, apart from thinking that others have signed. */
import { capabilities as inner } from "../../formats/anthropic/capabilities.ts"
import type { Capabilities } from "../../formats/engine/codec.ts"

export const capabilities: Capabilities = {
  homes: { ...inner.homes, thinking: "none", "thinking-signature": "none", "redacted-thinking": "none", "system-in-the-middle": "convention", "compaction-marks": "convention" },
}
