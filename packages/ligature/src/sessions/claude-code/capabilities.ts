/** What a session file can express: what its provider's messages can, apart from thinking that others have signed. */
import { anthropic } from "../../formats/anthropic/index.ts"
import type { Capabilities } from "../../formats/engine/codec.ts"

export const capabilities: Capabilities = {
  homes: { ...anthropic.capabilities.homes, thinking: "none", "thinking-signature": "none", "redacted-thinking": "none", "system-in-the-middle": "convention", "compaction-marks": "convention" },
}
