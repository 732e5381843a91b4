/** OpenAI Chat Completions: requests and message lists, also of the many servers that speak it. */
import type { Codec } from "../engine/codec.ts"
import { withDepthLimit } from "../engine/depth-door.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { explain } from "./explain.ts"
import { extras } from "./extras.ts"
import { listsTools, stubDescription, stubSchema } from "../engine/tool-list.ts"

export const openaiChat: Codec = withDepthLimit({
  format: "openai-chat",
  title: "OpenAI Chat Completions",
  capabilities,
  decode,
  encode,
  explain,
  extras,
  declareTools: (request, names) => {
    if (listsTools(request["tools"])) return undefined
    const tools = names.map((name) => ({ type: "function", function: { name, description: stubDescription, parameters: stubSchema } }))
    return { ...request, tools }
  },
})
