/** Wire formats and texts <-> the model. */
export { check } from "./check.ts"
export type * from "./codec.ts"
export { features } from "./codec.ts"
export { type Converted, convert, type ConvertOptions, decode, defaultProfile, encode, type Encoded, type EncodeRequest, repair } from "./convert.ts"
export { findLosses } from "./losses.ts"
export { codecs, formats, resolveCodec } from "./registry.ts"
