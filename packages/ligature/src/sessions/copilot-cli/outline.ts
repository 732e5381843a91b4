/** What a session says of itself: its start, its subagents and compactions; and what one event does, cheaply. */
import { isWire, type Wire } from "../../model/index.ts"
import type { RecordPulse, SessionCompaction, SessionOutline, SessionPath, SessionPlace } from "../../formats/engine/session.ts"
import { recordsOf, textOf } from "../engine/fields.ts"
import { agentOf, dataOf } from "./format.ts"
import { isMessageEvent } from "./read-event.ts"
import { namedPlace } from "../engine/place-names.ts"

const titleLength = 60

interface Tally {
  title?: string
  messages: number
  readonly first: number
}

const shortened = (words: string): string => words.slice(0, titleLength).replaceAll(/\s+/g, " ").trim()

const compactionAt = (data: Wire, record: number): SessionCompaction => {
  const summary = textOf(data["summaryContent"])
  const { trigger } = data
  return {
    record,
    kind: "summary",
    ...((trigger === "auto" || trigger === "manual") && { trigger }),
    ...(summary !== undefined && { summary }),
  }
}

const pathOf = (id: string, kind: SessionPath["kind"], { title, messages, first }: Tally): SessionPath => ({
  id,
  kind,
  ...(title !== undefined && { title }),
  messages,
  first,
})

class OutlineReader {
  readonly compactions: SessionCompaction[] = []
  readonly agents = new Map<string, Tally>()
  readonly main: Tally = { messages: 0, first: 0 }
  start: Wire = {}
  model: string | undefined
  last: string | undefined
  private readonly names = new Map<string, string>()

  event(record: Wire, index: number): void {
    const data = dataOf(record)
    const { type } = record
    this.last = textOf(record["id"]) ?? this.last
    if (type === "session.start" && this.start["sessionId"] === undefined) this.start = data
    const isCompaction = type === "session.compaction_complete" && data["success"] !== false
    if (isCompaction) this.compactions.push(compactionAt(data, index))
    const agent = agentOf(record)
    if (type === "subagent.started") this.name(data)
    if (agent === undefined) this.model = textOf(data["newModel"]) ?? textOf(data["model"]) ?? this.model
    if (!isMessageEvent(record)) return
    const tally = agent === undefined ? this.main : this.agent(agent, index)
    tally.messages++
    const words = type === "user.message" ? textOf(data["content"]) : undefined
    if (tally.title === undefined && words !== undefined) tally.title = shortened(words)
  }

  private name(data: Wire): void {
    const name = textOf(data["agentDisplayName"]) ?? textOf(data["agentName"])
    const call = textOf(data["toolCallId"])
    if (name !== undefined && call !== undefined) this.names.set(call, name)
  }

  private agent(id: string, first: number): Tally {
    const known = this.agents.get(id)
    if (known) return known
    const title = this.names.get(id)
    const tally: Tally = { messages: 0, first, ...(title !== undefined && { title }) }
    this.agents.set(id, tally)
    return tally
  }
}

export const outline = (value: unknown): SessionOutline => {
  const reader = new OutlineReader()
  recordsOf(value).forEach((record, index) => {
    if (isWire(record)) reader.event(record, index)
  })
  const { start, main, agents, compactions } = reader
  const context = isWire(start["context"]) ? start["context"] : {}
  const id = textOf(start["sessionId"])
  const folder = textOf(context["cwd"])
  const model = reader.model ?? textOf(start["selectedModel"])
  const agentVersion = textOf(start["copilotVersion"])
  const startedAt = textOf(start["startTime"])
  const active = reader.last === undefined ? [] : [pathOf(reader.last, "active", main)]
  return {
    ...(id !== undefined && { id }),
    ...(main.title !== undefined && { title: main.title }),
    ...(folder !== undefined && { folder }),
    ...(model !== undefined && { model }),
    ...(agentVersion !== undefined && { agentVersion }),
    ...(startedAt !== undefined && { startedAt }),
    paths: [...active, ...Array.from(agents, ([agent, tally]) => pathOf(agent, "subagent", tally))],
    compactions,
  }
}

export const pulse = (record: unknown): RecordPulse => {
  if (!isWire(record)) return {}
  const data = dataOf(record)
  if (record["type"] === "user.message") return agentOf(record) === undefined ? { starts: true } : {}
  if (record["type"] === "tool.execution_complete") {
    const id = textOf(data["toolCallId"])
    return id === undefined ? {} : { results: [id] }
  }
  const requests = record["type"] === "assistant.message" ? data["toolRequests"] : undefined
  if (!Array.isArray(requests) || requests.length === 0) return {}
  const calls = requests.flatMap((wire: unknown) => (isWire(wire) ? (textOf(wire["toolCallId"]) ?? []) : []))
  return calls.length > 0 ? { calls } : {}
}

export const place = (value: unknown): SessionPlace => {
  return namedPlace({
    id: outline(value).id,
    otherwise: "session",
    path: (name) => `~/.copilot/session-state/${name}/events.jsonl`,
    resume: (name) => `copilot --resume ${name}`,
  })
}
