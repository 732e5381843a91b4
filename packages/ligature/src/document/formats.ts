/**
 * The names of the wire formats a document can hold, and under which key each one's request keeps its list.
 * A list that is under any other key (a benchmark's `traj`, a log's `history`) is handed out bare.
 */

import type { WireFormat } from "../registry/registry.ts"

export const requestListKey = {
  anthropic: "messages",
  "openai-chat": "messages",
  "openai-responses": "input",
  gemini: "contents",
  "bedrock-converse": "messages",
  "ai-sdk-model": "messages",
  "ai-sdk-ui": "messages",
  "xml-text": "messages",
  sharegpt: "conversations",
  "otel-messages": "gen_ai.input.messages",
} as const satisfies Readonly<Record<WireFormat, string>>

/** The key for any format; session files are lists of records. */
export function listKeyOf(format: string): string {
  return isWireFormat(format) ? requestListKey[format] : "records"
}

export function isWireFormat(format: string): format is WireFormat {
  return Object.hasOwn(requestListKey, format)
}

/** Formats whose lists have one shape on the wire, so that naming one for the other is a choice and no mistake. */
const sameShape: readonly (readonly string[])[] = [
  ["anthropic", "xml-text"],
  ["openai-chat", "xml-text"],
]

export function canBeReadAs(detected: string, named: string): boolean {
  return detected === named || sameShape.some((formats) => formats.includes(detected) && formats.includes(named))
}
