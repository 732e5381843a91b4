/** Wire formats and texts <-> the model. */
export { check } from "./check.ts"
export type * from "./codec.ts"
export { features } from "./codec.ts"
export {
  type Converted,
  convert,
  type ConvertedText,
  type ConvertOptions,
  convertText,
  decode,
  defaultProfile,
  encode,
  type Encoded,
  type EncodeRequest,
  repair,
} from "./convert.ts"
export { findLosses } from "./losses.ts"
export { codecs, findCodec, formats, isSessionCodec, resolveCodec } from "./registry.ts"
export type * from "./session.ts"
export { fileValueOf, hasLines } from "./session.ts"
export { sessionCodecs, sessionFormats } from "./sessions/index.ts"
