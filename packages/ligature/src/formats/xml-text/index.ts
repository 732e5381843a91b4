/** Tool calls as XML in assistant text, results as user text: Cline, Roo and Kilo histories, and the mixed style. */
import type { Codec } from "../engine/codec.ts"
import { withDepthLimit } from "../engine/depth-door.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"

export const xmlText: Codec = withDepthLimit({ format: "xml-text", title: "XML tool calls in text", capabilities, decode, encode })
export { lowerToText } from "./lower.ts"
export { defaultJsonModels, defaultNativeProviders, type ToolStyle, toolStyle, type ToolStyleQuestion } from "./tool-style.ts"
