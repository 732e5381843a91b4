/** The neutral model: plain readonly values. Start with transcript.ts and conversation.ts. */
export type * from "./block.ts"
export { isContent, isMalformed, resultText, text } from "./block.ts"
export { assistant, call, result, system, thinking, tool, transcript, user } from "./build.ts"
export type * from "./conversation.ts"
export { asValid, callsOf, outcomeKind } from "./conversation.ts"
export { debugFor, type DebugSink, type DebugTopic, type DebugWriter, setDebugSink } from "./debug.ts"
export type * from "./diagnostic.ts"
export { type Arguments, parseDeepJson, parseJson, readArgumentsObject, readArgumentsText } from "./arguments.ts"
export { addressWithoutCredentials, credentialsIn, hidden, withoutCredentials, withoutSecretsIn } from "./credentials.ts"
export { deepestNesting, isDeeper, isTree, isUsual, jsonText, limitDepth } from "./depth.ts"
export { base64Mark, base64MarkOf, elidedBytes, textMark, textMarkOf } from "./elided.ts"
export { emptyReport } from "./diagnostic.ts"
export { type ErrorCode, isTooLong, LigatureError } from "./errors.ts"
export { hexHash, shortHash } from "./fingerprint.ts"
export { flatten } from "./flatten.ts"
export { asWord, canonicalJson, isWire, type JsonObject, type JsonValue, type Wire } from "./json.ts"
export { mediaNote } from "./media-note.ts"
export { type Catalogue, phrase, translated, useCatalogue } from "./phrase.ts"
export type * from "./message.ts"
export { nearest, suggestion } from "./nearest.ts"
export { assertOptions, type OptionNames, quoted } from "./options.ts"
export { count, oneLine, size } from "./plain-text.ts"
export { pushAll } from "./push-all.ts"
export { withFields } from "./with-fields.ts"
export { remember, remembered, remembering } from "./remembering.ts"
export {
  errorMark,
  fillers,
  isOrphanText,
  orphanLabel,
  readResultContent,
  readSynthetic,
  syntheticResult,
  syntheticTexts,
} from "./synthetic.ts"
export type * from "./transcript.ts"
export { shellFile, shellNames, shellOption, shellWord } from "./shell-word.ts"
export { visible } from "./visible.ts"
