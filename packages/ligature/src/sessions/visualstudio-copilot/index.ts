/**
 * Traces of GitHub Copilot in Visual Studio (`…_VSGitHubCopilot_traces.jsonl`): OTLP spans on lines. A span `execute_tool` has a
 * call with its result. What the user and the model said is there only where the capture of content is on, as messages of the
 * tracing standard in a span of kind `chat`; the last of those has the whole history. Nobody publishes the sources: facts are
 * from redacted files of version 18.6 and from OpenTelemetry's conventions for generative AI. Only read.
 */
import { isWire, type Message, type Wire } from "../../model/index.ts"
import { otelMessages } from "../../formats/otel-messages/index.ts"
import { idText } from "../../formats/engine/wire.ts"
import { defineSession } from "../engine/define-session.ts"
import { isoOf } from "../engine/iso-time.ts"
import { listOf, recordsOf, stringOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import { callBlock, resultBlock } from "../engine/read-content.ts"
import type { RecordReading } from "../engine/session-format.ts"

const format = "visualstudio-copilot"

const spansOf = (record: unknown): readonly Wire[] =>
  listOf(wireOf(record)["resourceSpans"]).flatMap((resource) =>
    listOf(wireOf(resource)["scopeSpans"]).flatMap((scope) => listOf(wireOf(scope)["spans"]).filter(isWire)),
  )

const attributesOf = ({ attributes }: Wire): Wire =>
  Object.fromEntries(
    listOf(attributes).flatMap((each) => {
      const { key, value } = wireOf(each)
      const [held] = Object.values(wireOf(value))
      return typeof key === "string" ? [[key, held]] : []
    }),
  )

const isTool = (attributes: Wire): boolean =>
  typeof attributes["gen_ai.tool.name"] === "string" && ("gen_ai.tool.call.arguments" in attributes || "gen_ai.tool.call.id" in attributes)

const timeOf = (span: Wire): string => idText(span["startTimeUnixNano"]).padStart(24, "0")

/** Spans are written when they end: they are put in the order in which they began. */
const spansIn = (value: unknown): readonly Wire[] =>
  recordsOf(value)
    .flatMap(spansOf)
    .toSorted((one, other) => (timeOf(one) < timeOf(other) ? -1 : timeOf(one) > timeOf(other) ? 1 : 0))

const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

const messagesOf = (attributes: Wire): readonly Message[] => {
  const held = {
    "gen_ai.input.messages": listOf(parsed(attributes["gen_ai.input.messages"])),
    "gen_ai.output.messages": listOf(parsed(attributes["gen_ai.output.messages"])),
  }
  return otelMessages.decode(held).messages
}

const hasMessages = (span: unknown): boolean => isWire(span) && typeof attributesOf(span)["gen_ai.input.messages"] === "string"

const read = (span: Wire): RecordReading => {
  const attributes = attributesOf(span)
  if (hasMessages(span)) return { messages: messagesOf(attributes).map(({ role, blocks }) => ({ role, blocks })) }
  if (!isTool(attributes)) return {}
  const {
    "gen_ai.tool.call.id": callId,
    "gen_ai.tool.name": name,
    "gen_ai.tool.call.arguments": input,
    "gen_ai.tool.call.result": result,
  } = attributes
  const failed = wireOf(span["status"])["code"] === 2 || "error.type" in attributes
  const call = callBlock(format, span, { id: callId, name, input: input ?? "{}" })
  const answer =
    result === undefined && !failed
      ? []
      : [resultBlock(format, span, { callId, name, content: result ?? textAt(span["status"], "message"), error: failed })]
  return { messages: [{ role: "assistant", blocks: [call] }, ...(answer.length === 0 ? [] : [{ role: "tool" as const, blocks: answer }])] }
}

const isTrace = (record: unknown): boolean =>
  spansOf(record).some((span) => {
    const attributes = attributesOf(span)
    return (
      typeof attributes["gen_ai.conversation.id"] === "string" &&
      (isTool(attributes) || stringOf(attributes["copilot_chat.client_id"]).includes("VisualStudio"))
    )
  })

const valuesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : [value])

export const visualstudioCopilot = defineSession({
  format,
  title: "Visual Studio Copilot trace",
  agent: "Visual Studio Copilot",
  aliases: ["vs-copilot"],
  sources: "no public source; redacted traces of Visual Studio 18.6 in kenn-io/agentsview and OpenTelemetry's gen_ai conventions (2026)",
  capabilities: otelMessages.capabilities,
  layout: "value",
  listKey: "spans",
  orLines: true,
  view: "whole",
  records: spansIn,
  wrap: (value) => (Array.isArray(value) ? { records: value } : wireOf(value)),
  read,
  reader: (spans) => {
    // The last span with messages has the whole history, the tools before it included.
    const last = spans.findLastIndex(hasMessages)
    return (span, index) => {
      if (index < last) return {}
      const reading = read(span)
      const isFirst = index === Math.max(last, 0) && last < 0
      return isFirst
        ? { ...reading, findings: [{ kind: "missing-context", what: "The trace does not keep what the user and the model said" }] }
        : reading
    }
  },
  facts: (span) => {
    const attributes = attributesOf(span)
    const nanoseconds = Number(idText(span["startTimeUnixNano"]))
    return {
      id: textOf(attributes["gen_ai.conversation.id"]),
      model: textOf(attributes["gen_ai.request.model"]),
      ...(nanoseconds > 0 && { startedAt: isoOf(Math.floor(nanoseconds / 1e6)) }),
    }
  },
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "it has spans of tools in a conversation of Copilot",
      isOn: (value) => valuesOf(value).some(isTrace),
    },
  ],
})
