/** Amazon Bedrock Converse: requests and message lists. */
import { isWire, type Wire } from "../../model/index.ts"
import { type Codec, declareHomes } from "../engine/codec.ts"
import { defineCodec } from "../engine/known-codecs.ts"
import { listsTools, stubDescription, stubSchema } from "../engine/tools.ts"
import { takesBack } from "./allowed.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"

/** What the Converse API can express. */
const capabilities = declareHomes({
  native: [
    "result-error",
    "result-image",
    "result-document",
    "result-video",
    "structured-result",
    "thinking",
    "thinking-signature",
    "redacted-thinking",
    "block-order",
    "parallel-calls",
    "call-grouping",
    "call-id",
    "cache-marks",
    "citations",
    "audio",
  ],
  convention: ["empty-result", "refusal", "server-tools", "system-in-the-middle", "tool-references"],
})

/** The tool configuration that Converse wants beside every history with calls. */
const declareTools = (request: Wire, names: readonly string[]): Wire | undefined => {
  const given = request["toolConfig"]
  if (isWire(given) && listsTools(given["tools"])) return undefined
  const tools = names.map((name) => ({ toolSpec: { name, description: stubDescription, inputSchema: { json: stubSchema } } }))
  return { ...request, toolConfig: { ...(isWire(given) && given), tools } }
}

export const bedrockConverse: Codec = defineCodec({
  format: "bedrock-converse",
  title: "Amazon Bedrock Converse",
  capabilities,
  decode,
  encode,
  declareTools,
  takesBack,
})
