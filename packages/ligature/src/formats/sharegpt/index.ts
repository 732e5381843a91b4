/** ShareGPT with tools, as trainers read it: entries of a speaker and a text, calls as JSON text, no ids. */
import { type Codec, declareHomes } from "../engine/codec.ts"
import { defineCodec } from "../engine/known-codecs.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"

/** What ShareGPT can express: words, calls by position, and little else. */
const capabilities = declareHomes({
  native: ["parallel-calls", "call-grouping", "system-in-the-middle"],
  convention: ["result-error", "empty-result"],
})

export const sharegpt: Codec = defineCodec({ format: "sharegpt", title: "ShareGPT", capabilities, decode, encode })
