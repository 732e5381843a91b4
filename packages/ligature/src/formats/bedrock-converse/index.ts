/** Amazon Bedrock Converse: requests and message lists. */
import type { Codec } from "../engine/codec.ts"
import { withDepthLimit } from "../engine/depth-door.ts"
import { takesBack } from "./allowed.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { declareTools } from "./tool-config.ts"

export const bedrockConverse: Codec = withDepthLimit({
  format: "bedrock-converse",
  title: "Amazon Bedrock Converse",
  capabilities,
  decode,
  encode,
  declareTools,
  takesBack,
})
