/**
 * Ligature: the history layer for tool-calling LLM agents.
 *
 * @example
 * import { check, decode, encode, settle } from "ligature"
 *
 * const transcript = decode("anthropic", request)      // what the request says, damage included
 * const findings = check(transcript)                   // what is wrong with it, and where
 * const { conversation, report } = settle(transcript)  // a valid history, and what was done to get there
 * const { value: valid } = encode(conversation, "openai-chat")
 */
import "./runtime/index.ts"

// The door, and the judge.
export { check } from "./convert/index.ts"
export { type CheckOptions, settle, type Settled, type SettleOptions } from "./rules/index.ts"
export { type Policies, type PolicyOptions, policyValues } from "./rules/index.ts"
export type { Invariant, Rule } from "./rules/index.ts"
export { type MediaLimits, type Profile, type ProfileName, profiles } from "./rules/index.ts"
export { fit, type FitOptions, type Fitted, type MediaHandle } from "./rules/index.ts"

// Formats.
export { convert, convertSettings, convertText, decode, encode, formats, repair } from "./convert/index.ts"
export type {
  Codec,
  Converted,
  Format,
  RequestOf,
  WireFormat,
  ConvertedSettings,
  ConvertedText,
  ConvertOptions,
  Encoded,
  EncodeRequest,
  RepairOptions,
  RequestSettings,
  SettingsOptions,
  ToolSettings,
} from "./convert/index.ts"

// Calls as XML in text <-> calls as blocks, for a whole history.
export { type KnownTool, migrate, type MigratedHistory, type MigrateHistoryOptions, type StyleReport } from "./convert/index.ts"

// Sessions: the files in which agents keep their conversations.
export type { SessionCodec, SessionOutline, SessionPath, SessionPlace, SessionWriting } from "./convert/index.ts"

// Files: which conversations they hold, in which format.
export { type Document, type DocumentPart, openDocument } from "./document/index.ts"

// The model.
export type * from "./model/index.ts"
export { callsOf, flatten, LigatureError, resultText } from "./model/index.ts"

// Builders: messages, and transcripts of them.
export { assistant, call, result, system, thinking, tool, transcript, user } from "./model/index.ts"
