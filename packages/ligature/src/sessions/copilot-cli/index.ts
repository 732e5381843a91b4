/**
 * Sessions of GitHub Copilot CLI: the file `events.jsonl` of a session's folder. Every event names the one before it as its
 * parent, also where a subagent writes between; events of a subagent are set apart by the call that started it.
 *
 * Parallel tools report as they finish, and notices come at any time; the model gets all results of a message together, in
 * the order of its calls, and notices after them. The default view is whole; `effective` is what the agent would send next:
 * the system prompt in force, the summary of the last compaction, and what came after that compaction began.
 */
import { isWire, phrase, pushAll, type Role, shellWord, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { defineSession } from "../engine/define-session.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { recordsOf, textOf, wireOf } from "../engine/fields.ts"
import type { FindOptions, FoundPath, ReadRecord, RecordReading, SessionFacts } from "../engine/session-format.ts"
import { agentOf, dataOf, format, readEvent } from "./read-event.ts"
import { writeEvent } from "./write-event.ts"

/** The system prompt is written again with each turn: only one that differs from the last is read. */
const repeatedPrompts = (records: readonly unknown[], agent: string | undefined): ReadonlySet<number> => {
  const repeated = new Set<number>()
  let current: unknown
  records.forEach((record, index) => {
    if (!isWire(record) || record["type"] !== "system.message" || agentOf(record) !== agent) return
    const { content } = dataOf(record)
    if (current !== undefined && content === current) repeated.add(index)
    current = content
  })
  return repeated
}

/** The events of each subagent, and what it is called. */
const subagentsIn = (records: readonly unknown[]): NonNullable<FoundPath["others"]> => {
  const names = new Map<string, string>()
  const agents = new Map<string, number[]>()
  records.forEach((record, index) => {
    if (!isWire(record)) return
    const { toolCallId, agentDisplayName, agentName } = dataOf(record)
    const name = textOf(agentDisplayName) ?? textOf(agentName)
    const call = textOf(toolCallId)
    if (record["type"] === "subagent.started" && name !== undefined && call !== undefined) names.set(call, name)
    const agent = agentOf(record)
    if (agent === undefined || !readEvent(record).messages) return
    const own = agents.get(agent)
    if (own) own.push(index)
    else agents.set(agent, [index])
  })
  return Array.from(agents, ([id, own]) => {
    const title = names.get(id)
    return { id, own, kind: "subagent" as const, ...(title !== undefined && { title }) }
  })
}

const find = (_: unknown, records: readonly unknown[], { branch }: FindOptions): FoundPath => {
  const path = [...records.keys()].filter((index) => isWire(records[index]))
  const others = subagentsIn(records)
  const agent = others.some(({ id }) => id === branch) ? branch : undefined
  const last = records.findLast((record) => isWire(record) && textOf(record["id"]) !== undefined)
  const id = isWire(last) ? String(last["id"]) : "active"
  const repeated = repeatedPrompts(records, agent)
  const isOwn = (record: Wire, index: number): boolean => agentOf(record) === agent && !repeated.has(index)
  const read = (record: Wire, index: number): RecordReading => {
    const reading = readEvent(record)
    if (!reading.messages || isOwn(record, index)) return reading
    const { messages: _, compaction: __, ...rest } = reading
    return rest
  }
  return {
    path,
    id,
    others,
    isKnown: branch === undefined || branch === id || agent !== undefined,
    diagnostics: [],
    compactions: path.flatMap((index) => {
      const record = records[index] as Wire
      const compaction = record["type"] === "session.compaction_complete" ? read(record, index).compaction : undefined
      return compaction ? [{ record: index, ...compaction }] : []
    }),
    read,
    // What most events are, without their blocks.
    glance: (record, index) => {
      const role = plainRoles.get(record["type"])
      return role !== undefined && isOwn(record, index) ? { roles: [role] } : undefined
    },
  }
}

const plainRoles: ReadonlyMap<unknown, Role> = new Map([
  ["assistant.message", "assistant"],
  ["tool.execution_complete", "tool"],
])

const callIdsIn = ({ reading }: ReadRecord): readonly string[] =>
  (reading.messages ?? []).flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === "call" && block.id !== "" ? [block.id] : [])))

const answerOf = ({ reading }: ReadRecord): string | undefined => {
  const block = reading.messages?.[0]?.blocks[0]
  return block?.type === "result" ? block.callId : undefined
}

/** Results that follow one message are sorted by its calls, and a notice waits while calls are open. */
const arrange = (path: readonly ReadRecord[]): readonly ReadRecord[] => {
  const out: ReadRecord[] = []
  let ranks = new Map<string, number>()
  let open = 0
  let results: ReadRecord[] = []
  let notices: ReadRecord[] = []
  const flush = (): void => {
    const rankOf = (each: ReadRecord): number => ranks.get(answerOf(each) ?? "") ?? ranks.size
    pushAll(
      out,
      results.sort((one, other) => rankOf(one) - rankOf(other)),
    )
    pushAll(out, notices)
    results = []
    notices = []
  }
  for (const each of path) {
    const answer = answerOf(each)
    if (answer !== undefined) {
      if (ranks.has(answer)) open--
      results.push(each)
    } else if (each.record["type"] === "system.notification" && open > 0) notices.push(each)
    else if (!each.reading.messages) out.push(each)
    else {
      flush()
      out.push(each)
      if (each.record["type"] !== "assistant.message") continue
      ranks = new Map([...new Set(callIdsIn(each))].map((id, rank) => [id, rank]))
      open = ranks.size
    }
  }
  flush()
  return out
}

const hasType =
  (type: string) =>
  ({ record }: ReadRecord): boolean =>
    record["type"] === type

const isSummary = ({ reading }: ReadRecord): boolean => reading.messages?.[0]?.summary === true

/** Where the compaction began that ends here. */
const beginOf = (path: readonly ReadRecord[], end: ReadRecord): number => {
  const before = path.filter(({ index }) => index < end.index)
  const start = before.findLast((each) => hasType("session.compaction_start")(each) || hasType("session.compaction_complete")(each))
  return start && hasType("session.compaction_start")(start) ? start.index : end.index
}

const effective = (path: readonly ReadRecord[]): readonly ReadRecord[] => {
  const summary = path.findLast(isSummary)
  const isPrompt = (each: ReadRecord): boolean => hasType("system.message")(each) && each.reading.messages !== undefined
  const prompt = path.findLast(isPrompt)
  const rest = path.filter((each) => each !== summary && !isPrompt(each))
  const start = prompt ? [prompt] : []
  if (!summary) return [...start, ...rest]
  const begin = beginOf(path, summary)
  const after = rest.filter(({ index }) => index > begin)
  const calls = new Set(after.flatMap(callIdsIn))
  // The result of a call that the summary covers is covered with it.
  const isCovered = (each: ReadRecord): boolean => (answerOf(each) ?? "") !== "" && !calls.has(answerOf(each) ?? "")
  return [...start, summary, ...after.filter((each) => !isCovered(each))]
}

const facts = (record: Wire): SessionFacts => {
  const data = dataOf(record)
  const model = agentOf(record) === undefined ? (textOf(data["newModel"]) ?? textOf(data["model"])) : undefined
  if (record["type"] !== "session.start") return { model }
  return {
    id: textOf(data["sessionId"]),
    folder: textOf(wireOf(data["context"])["cwd"]),
    model: model ?? textOf(data["selectedModel"]),
    agentVersion: textOf(data["copilotVersion"]),
    startedAt: textOf(data["startTime"]),
  }
}

const markedFields: ReadonlyMap<unknown, string> = new Map([
  ["assistant.message", "toolRequests"],
  ["assistant.turn_start", "turnId"],
  ["tool.execution_start", "toolCallId"],
  ["tool.execution_complete", "toolCallId"],
  ["user.message", "content"],
  ["hook.start", "hookInvocationId"],
])

export const copilotCli = defineSession({
  format,
  title: "Copilot CLI session",
  agent: "GitHub Copilot CLI",
  sources: "no public source; sessions of version 1.0.64 to 1.0.68 in EntityProcess/agentv; sessions of version 1.0.102, which was run",
  noun: "events",
  aliases: ["copilot"],
  capabilities: declareHomes({
    native: [
      "result-error",
      "empty-result",
      "thinking",
      "thinking-signature",
      "parallel-calls",
      "call-grouping",
      "free-text-call",
      "call-id",
      "system-in-the-middle",
      "compaction-marks",
    ],
    convention: ["redacted-thinking", "raw-arguments"],
  }),
  heals: ["unanswered-call", "orphan-result", "duplicate-result", "dangling-parent", "torn-line"],
  layout: "lines",
  view: "whole",
  records: recordsOf,
  links: { id: "id", parent: "parentId", content: ({ type, data }) => [type, data], newId: (...seed) => deriveUuid(format, ...seed) },
  find,
  read: readEvent,
  arrange,
  effective,
  write: writeEvent,
  header: ({ id, time, session }) => [
    {
      type: "session.start",
      data: {
        sessionId: session.id,
        version: 1,
        producer: "copilot-agent",
        // The agent opens no session that does not say which of its versions wrote it.
        copilotVersion: "1.0.102",
        startTime: time,
        ...(session.folder !== undefined && { context: { cwd: session.folder } }),
      },
      id,
      timestamp: time,
      parentId: null,
    },
  ],
  facts,
  marks: [
    {
      certainty: "certain",
      evidence: "a record is the session.start event with its session id",
      isOn: (record) => record["type"] === "session.start" && typeof dataOf(record)["sessionId"] === "string",
      suffices: true,
    },
    {
      certainty: "certain",
      evidence: "its records are events of a Copilot session",
      isOn: (record) => {
        const field = markedFields.get(record["type"])
        return field !== undefined && field in dataOf(record) && "parentId" in record
      },
    },
  ],
  place: ({ folder = "/" }) => ({
    path: (name) => `~/.copilot/session-state/${name}/events.jsonl`,
    resume: (name) => `copilot --resume=${name}`,
    note: phrase`run it in ${shellWord(folder)}, the folder the session names`,
  }),
})
