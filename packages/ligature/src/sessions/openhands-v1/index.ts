/**
 * OpenHands since its SDK (2025): a conversation is a log of events, one file each, here joined as lines. Calls of one
 * response are events of their own and belong to one message; results may come between them, since tools start as soon as
 * their call is there.
 *
 * A condensation hides earlier events from the model. The default view is every event in the order of the log, with the
 * summary of a condensation where the condensation is; `effective` leaves out what is hidden.
 */
import { isWire } from "../../model/index.ts"
import type { Capabilities } from "../../formats/engine/codec.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, textAt } from "../engine/fields.ts"
import { condensationOf, withoutHidden } from "./events.ts"
import { format, isKnownKind, readEvent } from "./read-event.ts"
import { writeEvent } from "./write-event.ts"

/** Chat Completions, with fields for errors and refusals of results, and Anthropic's thinking. */
export const capabilities: Capabilities = {
  homes: {
    ...openaiChat.capabilities.homes,
    "result-error": "native",
    "result-image": "native",
    "empty-result": "native",
    thinking: "native",
    "thinking-signature": "native",
    "redacted-thinking": "native",
    "call-grouping": "native",
    "result-tool-name": "native",
    "compaction-marks": "native",
  },
}

/** The kind alone is no mark: every event also says who sent it and when. */
const isEvent = (record: unknown): boolean =>
  isWire(record) && isKnownKind(record["kind"]) && ["id", "timestamp", "source"].every((key) => typeof record[key] === "string")

export const openhandsV1 = defineSession({
  format,
  title: "OpenHands conversation",
  agent: "OpenHands",
  noun: "events",
  aliases: ["openhands", "openhands-sdk"],
  capabilities,
  layout: "lines",
  view: "whole",
  records: (value) => (Array.isArray(value) ? value : isWire(value) ? listOf(value["records"] ?? value["events"]) : []),
  wrap: (value, records) => (isWire(value) && value["records"] === records ? value : { records }),
  read: readEvent,
  effective: (path) => withoutHidden(path, (record) => (record["kind"] === "Condensation" ? condensationOf(record) : undefined)),
  write: writeEvent,
  facts: (record) => ({ startedAt: textAt(record, "timestamp") }),
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "its records are events with a kind such as ActionEvent and a source",
      isOn: (value) => (Array.isArray(value) ? value : [value]).slice(0, 16).some(isEvent),
    },
  ],
})
