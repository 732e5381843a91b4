/** ShareGPT with tools, as trainers read it: entries of a speaker and a text, calls as JSON text, no ids. */
import type { Codec } from "../engine/codec.ts"
import { withDepthLimit } from "../engine/depth-door.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"

export const sharegpt: Codec = withDepthLimit({ format: "sharegpt", title: "ShareGPT", capabilities, decode, encode })
