/** Small records as pi writes them. */
import type { Wire } from "../../../src/model/index.ts"

export const header = {
  type: "session",
  version: 3,
  id: "s-1",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/home/ada/work",
}

const time = "2026-01-01T00:00:01.000Z"

export const entry = (id: string, parentId: string | null, rest: Wire): Wire => ({ id, parentId, timestamp: time, ...rest })

const said = (id: string, parentId: string | null, message: Wire): Wire =>
  entry(id, parentId, { type: "message", message: { ...message, timestamp: 1 } })

export const user = (id: string, parentId: string | null, words: string): Wire =>
  said(id, parentId, { role: "user", content: [{ type: "text", text: words }] })

export const assistant = (id: string, parentId: string | null, content: readonly unknown[], more: Wire = {}): Wire =>
  said(id, parentId, {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-sonnet",
    usage: { input: 1, output: 1 },
    stopReason: "toolUse",
    ...more,
  })

export const toolCall = (id: string, name = "bash", input: unknown = { command: "ls" }): Wire => ({
  type: "toolCall",
  id,
  name,
  arguments: input,
})

export const toolResult = (id: string, parentId: string | null, callId: string, words: string, isError = false): Wire =>
  said(id, parentId, {
    role: "toolResult",
    toolCallId: callId,
    toolName: "bash",
    content: [{ type: "text", text: words }],
    details: { exitCode: 0 },
    isError,
  })

/** The entry as version 1 wrote it. */
export const withoutIds = (record: Wire): Wire =>
  Object.fromEntries(Object.entries(record).filter(([key]) => key !== "id" && key !== "parentId"))
