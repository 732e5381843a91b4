/** Cline, Roo Code and Kilo Code: `api_conversation_history.json`, what the model saw of a task. */
import { anthropic } from "../../formats/anthropic/index.ts"
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { migrateStyle } from "./migrate.ts"
import { outline, place } from "./outline.ts"
import { recognise } from "./recognise.ts"
import { format, listKey } from "./records.ts"

export const clineApi: SessionCodec = withDepthLimit({
  format,
  title: "Cline, Roo and Kilo task history",
  capabilities,
  wraps: "anthropic",
  decode,
  encode,
  ...(anthropic.extras && { extras: anthropic.extras }),
  session: {
    agent: "Cline / Roo / Kilo",
    layout: "list",
    listKey,
    writes: "any",
    view: "effective",
    profile: "anthropic",
    aliases: ["cline", "roo", "kilo"],
    recognise,
    outline,
    place,
    migrate: migrateStyle,
  },
})

export { migrateStyle } from "./migrate.ts"
