/** Wire formats and texts <-> the model. */
export { check } from "./check.ts"
export type * from "../formats/engine/codec.ts"
export { features } from "../formats/engine/codec.ts"
export {
  type Converted,
  convert,
  type ConvertedText,
  type ConvertOptions,
  convertText,
  decode,
  defaultProfile,
  repair,
  type RepairOptions,
} from "./convert.ts"
export { encode, type Encoded, type EncodeRequest, type RequestOf } from "./encode.ts"
export { formatProfile } from "./home-profile.ts"
export type { KnownTool } from "../formats/engine/tools.ts"
export { convertSettings, type ConvertedSettings, type SettingsOptions } from "./settings.ts"
export type { RequestSettings, ToolSettings } from "../formats/engine/settings.ts"
export { findLosses } from "./losses.ts"
export { migrate, type MigratedHistory, type MigrateHistoryOptions } from "./migrate.ts"
export type * from "../formats/engine/session.ts"
export { assertUnderstood } from "./wrong-format.ts"
export { codecs, findCodec, type Format, formats, isSessionCodec, resolveCodec, type WireFormat } from "../registry/registry.ts"
export type * from "../formats/engine/session.ts"
export { fileValueOf, hasLines, resumeLine } from "../formats/engine/session.ts"
