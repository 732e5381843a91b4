/** Vercel AI SDK, UIMessage: what `useChat` shows and applications store. */
import type { Codec } from "../engine/codec.ts"
import { withDepthLimit } from "../engine/depth-door.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"

export const aiSdkUi: Codec = withDepthLimit({ format: "ai-sdk-ui", title: "AI SDK UIMessage", capabilities, decode, encode })
