/** Anthropic Messages API: requests and message lists. */
import type { Codec } from "../engine/codec.ts"
import { withDepthLimit } from "../engine/depth-door.ts"
import { takesBack } from "./allowed.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { extras } from "./extras.ts"
import { listsTools, stubDescription, stubSchema } from "../engine/tool-list.ts"

export const anthropic: Codec = withDepthLimit({
  format: "anthropic",
  title: "Anthropic Messages",
  capabilities,
  decode,
  encode,
  extras,
  takesBack,
  declareTools: (request, names) => {
    if (listsTools(request["tools"])) return undefined
    const tools = names.map((name) => ({ name, description: stubDescription, input_schema: stubSchema }))
    return { ...request, tools }
  },
})
