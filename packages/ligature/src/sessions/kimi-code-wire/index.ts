/**
 * `wire.jsonl` of Kimi Code (the TypeScript one) and of Kimi Work: a log of events from which the agent builds its history
 * again. It has the name of a file of Kimi CLI and nothing else of it. Facts are from its sources
 * (packages/agent-core/src/agent/records/types.ts, agent/context and services/message/transcript.ts, protocol 1.0 to 1.5,
 * August 2026) and sessions of version 2.1.0. Only read: the agent repairs its own log when it resumes.
 *
 * `turn.prompt` and `turn.steer` repeat what `context.append_message` has; where that is missing they are the message. An
 * undo takes the last messages back, a compaction replaces what is before it by the kept messages of the user and a summary.
 * The agent reads only closed steps; here an open one is read as well.
 */
import { type Block, isWire, type ResultBlock, syntheticResult, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { defineSession } from "../engine/define-session.ts"
import { isoOf } from "../engine/iso-time.ts"
import { listOf, recordsOf, stringOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import { callBlock, readContent, resultBlock } from "../engine/read-content.ts"
import type { FoundPath, ReadRecord, RecordReading } from "../engine/session-format.ts"

const format = "kimi-code-wire"

/** State of the agent beside its history. Since version 2, `agent.message.appended` has each message of the model once more. */
const silent =
  /^(?:metadata|forked|turn\.(?:cancel|ended)|profile\.bind|(?:config|permission|full_compaction|micro_compaction|plan_mode|swarm_mode|tools|usage|goal|mcp|llm|context\.update_token_count|agent\.turn|agent\.message|prompt|runtime|plugin|token_counting)\b.*)$/

const eventOf = (record: Wire): Wire => wireOf(record["event"])

const messageOf = (record: Wire): Wire | undefined =>
  record["type"] === "context.append_message" && isWire(record["message"]) ? record["message"] : undefined

const kindOf = (origin: unknown): string => textAt(origin, "kind") ?? "user"

const isPrompt = ({ type }: Wire): boolean => type === "turn.prompt" || type === "turn.steer"

/** Calls have their fields flat, or as Chat Completions has them in the oldest version. */
const readCall = (wire: unknown): readonly Block[] => {
  if (!isWire(wire)) return readContent(format, wire)
  const held = isWire(wire["function"]) ? wire["function"] : wire
  return [callBlock(format, wire, { id: wire["id"], name: held["name"], input: held["arguments"] })]
}

const readResult = (wire: Wire, callId: unknown, output: unknown, error: boolean): RecordReading => {
  const block = resultBlock(format, wire, { callId, content: output, error })
  const note = readContent(format, wireOf(wire["result"])["note"] ?? wire["note"]).filter((each) => each.type === "text")
  return { messages: [{ role: "tool", blocks: [{ ...block, content: [...block.content, ...note] }] }] }
}

const readMessage = (message: Wire): RecordReading => {
  const { role, content, toolCalls, toolCallId, origin } = message
  if (role === "tool") return readResult(message, toolCallId, content, message["isError"] === true)
  if (role !== "user" && role !== "assistant" && role !== "system")
    return { findings: [{ kind: "malformed-record", what: "Expected a message of the user, the assistant or a tool" }] }
  const blocks = [...readContent(format, content), ...listOf(toolCalls).flatMap(readCall)]
  return { messages: [{ role, blocks, ...(kindOf(origin) === "compaction_summary" && { summary: true }) }] }
}

const events: Readonly<Record<string, (event: Wire) => RecordReading>> = {
  "step.begin": () => ({}),
  "step.end": () => ({}),
  "step.retrying": () => ({}),
  "turn.interrupted": () => ({}),
  "content.part": ({ part }) => ({ messages: [{ role: "assistant", blocks: readContent(format, part) }] }),
  "tool.call": (event) => ({
    messages: [
      { role: "assistant", blocks: [callBlock(format, event, { id: event["toolCallId"], name: event["name"], input: event["args"] })] },
    ],
  }),
  "tool.result": (event) => {
    const { output, isError } = wireOf(event["result"])
    return readResult(event, event["toolCallId"], output, isError === true)
  },
}

const read = (record: Wire): RecordReading => {
  const { type } = record
  const message = messageOf(record)
  if (message) return readMessage(message)
  if (isPrompt(record)) return { messages: [{ role: "user", blocks: readContent(format, record["input"]) }] }
  if (type === "context.append_loop_event") {
    const event = eventOf(record)
    const kind = textAt(event, "type") ?? ""
    return Object.hasOwn(events, kind) ? (events[kind]?.(event) ?? {}) : { unknownType: kind }
  }
  if (type === "context.apply_compaction") {
    const summary = textAt(record, "contextSummary") ?? textAt(record, "summary") ?? ""
    return { compaction: { kind: "summary", summary: textAt(record, "summary") ?? summary } }
  }
  if (type === "context.undo" || type === "context.clear") return {}
  return typeof type === "string" && silent.test(type) ? {} : { unknownType: type }
}

const inputText = (input: unknown): string => JSON.stringify(typeof input === "string" ? [{ type: "text", text: input }] : input) ?? ""

/** Prompts that are in the file as a message, too. */
const repeatedPrompts = (records: readonly unknown[]): ReadonlySet<number> => {
  const said = new Map<string, number>()
  for (const record of records) {
    const message = isWire(record) ? messageOf(record) : undefined
    if (message?.["role"] !== "user") continue
    const key = inputText(message["content"])
    said.set(key, (said.get(key) ?? 0) + 1)
  }
  const repeated = new Set<number>()
  records.forEach((record, index) => {
    if (!isWire(record) || !isPrompt(record)) return
    const key = inputText(record["input"])
    const left = said.get(key) ?? 0
    if (left > 0) repeated.add(index)
    said.set(key, left - 1)
  })
  return repeated
}

/** The step of each record: parts and calls of one step are one message. */
const stepsOf = (records: readonly unknown[]): readonly string[] => {
  let open = ""
  return records.map((record) => {
    const event = isWire(record) ? eventOf(record) : {}
    if (event["type"] === "step.begin") open = stringOf(event["uuid"])
    return textOf(event["stepUuid"]) ?? open
  })
}

/**
 * Calls that never got a result, by the first record after their step. The agent answers them as interrupted in each request,
 * and leaves the file as it is.
 */
const interruptedIn = (records: readonly unknown[]): ReadonlyMap<number, readonly ResultBlock[]> => {
  const answered = new Set<unknown>()
  for (const record of records) {
    const event = isWire(record) ? eventOf(record) : {}
    if (event["type"] === "tool.result") answered.add(event["toolCallId"])
  }
  const interrupted = new Map<number, readonly ResultBlock[]>()
  let open: ResultBlock[] = []
  records.forEach((record, index) => {
    if (!isWire(record)) return
    const event = eventOf(record)
    const { toolCallId: id } = event
    if (event["type"] === "tool.call" && typeof id === "string" && !answered.has(id))
      open.push(syntheticResult(id, stringOf(event["name"]), "interrupted"))
    else if (open.length > 0 && (event["type"] === "step.begin" || messageOf(record) !== undefined)) {
      interrupted.set(index, open)
      open = []
    }
  })
  return interrupted
}

const isUserInput = (record: Wire): boolean => {
  const message = messageOf(record)
  if (message) return message["role"] === "user" && kindOf(message["origin"]) === "user"
  return isPrompt(record) && kindOf(record["origin"]) === "user"
}

/** Messages of a system reminder survive an undo. */
const isInjected = (record: Wire): boolean => kindOf(messageOf(record)?.["origin"]) === "injection"

/** The records whose messages were not taken back, and those that were. */
const findPath = (records: readonly unknown[], branch: string | undefined): FoundPath => {
  const repeated = repeatedPrompts(records)
  let path: number[] = []
  const others: { readonly id: string; readonly own: readonly number[]; readonly leaves?: number }[] = []
  let floor = 0
  records.forEach((record, index) => {
    if (!isWire(record) || repeated.has(index)) return
    const { type, count } = record
    if (type === "context.undo" && typeof count === "number") {
      let left = count
      let at = path.length
      while (at > floor && left > 0) {
        const each = records[path[at - 1] ?? -1]
        if (isWire(each) && each["type"] === "context.apply_compaction") break
        at--
        if (isWire(each) && isUserInput(each)) left--
      }
      const taken = path.slice(at)
      path = [...path.slice(0, at), ...taken.filter((each) => isInjected(wireOf(records[each])))]
      const leaves = path.at(-1)
      others.push({ id: `undo-${others.length + 1}`, own: taken, ...(leaves !== undefined && { leaves }) })
    }
    path.push(index)
    if (type === "context.clear") floor = path.length
  })
  const asked = others.find(({ id }) => id === branch)
  const known = branch === undefined || branch === "active" || branch === ""
  const leaves = asked?.leaves
  const shown = asked ? [...path.filter((index) => leaves !== undefined && index <= leaves), ...asked.own] : path
  return { path: shown, id: "active", others, isKnown: known || asked !== undefined, diagnostics: [] }
}

const summaryOf = ({ record, index }: ReadRecord): ReadRecord => {
  const blocks = readContent(format, textAt(record, "contextSummary") ?? textAt(record, "summary"))
  return { index, record, reading: { messages: [{ role: "user", blocks, summary: true }], compaction: { kind: "summary" } } }
}

/** How many messages of the agent's history begin in a record. */
const begins = ({ record, reading }: ReadRecord): boolean =>
  eventOf(record)["type"] === "step.begin" ||
  (reading.messages !== undefined && reading.messages[0]?.role !== "assistant") ||
  messageOf(record) !== undefined

/** What the next request has: the messages that the last compaction kept, its summary, and what came later. */
const effective = (path: readonly ReadRecord[]): readonly ReadRecord[] => {
  const cleared = path.slice(path.findLastIndex(({ record }) => record["type"] === "context.clear") + 1)
  const at = cleared.findLastIndex(({ record }) => record["type"] === "context.apply_compaction")
  const compaction = cleared[at]
  if (!compaction) return cleared
  const { keptUserMessageCount: kept, keptHeadUserMessageCount: head = 0, compactedCount } = compaction.record
  const before = cleared.slice(0, at)
  const after = [summaryOf(compaction), ...cleared.slice(at + 1)]
  if (typeof kept === "number") {
    const inputs = before.filter(({ record }) => isUserInput(record))
    const first = typeof head === "number" ? head : 0
    const last = Math.max(0, kept - first)
    return [...inputs.slice(0, first), ...inputs.slice(first).slice(Math.max(0, inputs.length - first - last)), ...after]
  }
  // An older version kept what was after the messages it had summarised.
  let left = typeof compactedCount === "number" ? compactedCount : Number.POSITIVE_INFINITY
  const from = before.findIndex((each) => begins(each) && left-- <= 0)
  return [after[0] as ReadRecord, ...(from < 0 ? [] : before.slice(from)), ...after.slice(1)]
}

const systemOf = (value: unknown): string | undefined => {
  const found = recordsOf(value).findLast(
    (record) =>
      isWire(record) &&
      (record["type"] === "config.update" || record["type"] === "profile.bind") &&
      textOf(record["systemPrompt"]) !== undefined,
  )
  return textAt(found, "systemPrompt")
}

export const kimiCodeWire = defineSession({
  format,
  title: "Kimi Code session (wire.jsonl)",
  agent: "Kimi Code",
  aliases: ["kimi-code", "kimi"],
  sources:
    "MoonshotAI/kimi-code packages/agent-core/src/agent/records, agent/context and loop/events.ts (protocol 1.0 to 1.5, August 2026); sessions of version 2.1.0, which was run",
  capabilities: declareHomes({
    native: [
      "result-error",
      "result-image",
      "thinking",
      "block-order",
      "parallel-calls",
      "call-grouping",
      "call-id",
      "empty-result",
      "compaction-marks",
    ],
  }),
  layout: "lines",
  view: "whole",
  records: recordsOf,
  system: { read: systemOf, write: (value) => value },
  find: (_value, records, { branch }) => findPath(records, branch),
  read,
  reader: (records) => {
    const steps = stepsOf(records)
    const interrupted = interruptedIn(records)
    return (record, index) => {
      const blocks = interrupted.get(index)
      const own = read(record)
      const reading = blocks ? { ...own, messages: [{ role: "tool" as const, blocks }, ...(own.messages ?? [])] } : own
      return record["type"] === "context.append_loop_event" ? { ...reading, response: steps[index] ?? "" } : reading
    }
  },
  effective,
  facts: ({ type, cwd, model, time, created_at: created, app_version: version }) => ({
    ...(type === "config.update" && { folder: textOf(cwd) }),
    ...((type === "usage.record" || type === "llm.request") && { model: textOf(model) }),
    ...(type === "metadata" && { agentVersion: textOf(version) }),
    ...(typeof (created ?? time) === "number" && { startedAt: isoOf(Number(created ?? time)) }),
  }),
  marks: [
    {
      certainty: "certain",
      evidence: "a line appends a message or an event of a step to the context",
      isOn: (record) => messageOf(record) !== undefined || (record["type"] === "context.append_loop_event" && isWire(record["event"])),
    },
    {
      certainty: "certain",
      evidence: "a line is a prompt with its input and origin",
      isOn: (record) => isPrompt(record) && record["input"] !== undefined,
    },
    {
      certainty: "likely",
      evidence: "its first line names a protocol version and the time of its making",
      isOn: ({ type, protocol_version: version, created_at: created }, index) =>
        index === 0 && type === "metadata" && typeof version === "string" && typeof created === "number",
    },
  ],
})
