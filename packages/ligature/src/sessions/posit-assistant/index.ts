/**
 * `lm-messages.jsonl` of Posit Assistant (Positron, RStudio): a number and a message of the AI SDK on each line. Nobody publishes
 * its sources: facts are from a file. Which of two branches is active is in `conversation.json` beside it; here all lines are
 * read in order.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { aiSdkModel } from "../../formats/ai-sdk-model/index.ts"
import { defineSession } from "../engine/define-session.ts"
import { recordsOf, textAt, wireOf } from "../engine/fields.ts"
import type { RecordReading } from "../engine/session-format.ts"

const format = "posit-assistant"

const metadataOf = ({ message }: Wire): Wire => wireOf(wireOf(wireOf(wireOf(message)["providerOptions"])["providerMetadata"])["positai"])

const read = (record: Wire): RecordReading => {
  const { message } = record
  if (!isWire(message)) return { findings: [{ kind: "malformed-record", what: "Expected a message" }] }
  const { messages, diagnostics } = aiSdkModel.decode([message])
  const model = textAt(metadataOf(record), "modelId")
  return {
    messages: messages.map(({ role, blocks }) => ({
      role,
      blocks,
      ...(role === "assistant" && model !== undefined && { origin: { model } }),
    })),
    ...(diagnostics && { diagnostics }),
  }
}

export const positAssistant = defineSession({
  format,
  title: "Posit Assistant conversation",
  agent: "Posit Assistant",
  aliases: ["positron-assistant"],
  sources: "no public source; a file in kenn-io/agentsview (2026)",
  capabilities: aiSdkModel.capabilities,
  wraps: "ai-sdk-model",
  layout: "lines",
  view: "whole",
  records: recordsOf,
  read,
  facts: (record) => ({ model: textAt(metadataOf(record), "modelId") }),
  marks: [
    {
      certainty: "certain",
      evidence: "a numbered line has a message with the metadata of this agent",
      isOn: (record) => typeof record["id"] === "number" && Object.keys(metadataOf(record)).length > 0,
    },
    {
      certainty: "likely",
      evidence: "lines are a number and a message with a role",
      isOn: (record) =>
        typeof record["id"] === "number" &&
        isWire(record["message"]) &&
        typeof record["message"]["role"] === "string" &&
        Object.keys(record).length === 2,
    },
  ],
})
