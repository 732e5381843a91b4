/** Reading events whose fields the three kinds of streams name differently, and which of them say nothing. */
import { isWire, type Wire } from "../../../model/index.ts"
import { stringOf } from "../../engine/recorder/fields.ts"
import { shown } from "../../engine/recorder/problems.ts"

export const idOf = (event: Wire): string => stringOf(event["toolCallId"]) || stringOf(event["id"])

export const deltaOf = (event: Wire): string =>
  stringOf(event["text"] ?? event["delta"] ?? event["textDelta"] ?? event["inputTextDelta"] ?? event["argsTextDelta"])

export const messageOf = (error: unknown): string => {
  if (error instanceof Error) return error.message
  return (isWire(error) ? stringOf(error["message"]) : stringOf(error)) || shown(error)
}

/** Events that say nothing about the message. */
export const silent: ReadonlySet<string> = new Set([
  "start",
  "stream-start",
  "step-start",
  "source",
  "source-url",
  "source-document",
  "raw",
  "message-metadata",
  "ping",
  "tool-input-end",
])
