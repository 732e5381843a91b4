/** Small events as Copilot CLI writes them; `chain` hangs each on the one before. */
import type { Wire } from "../../../src/model/index.ts"

export const event = (type: string, data: Wire, more: Wire = {}): Wire => ({ type, data, ...more })

export const start = event("session.start", {
  sessionId: "s-1",
  version: 1,
  producer: "copilot-agent",
  copilotVersion: "1.0.64",
  startTime: "2026-01-01T00:00:00.000Z",
  selectedModel: "claude-sonnet",
  context: { cwd: "/home/ada/work" },
})

export const system = (content: string): Wire => event("system.message", { role: "system", content })

export const user = (content: string, transformedContent?: string): Wire =>
  event("user.message", { content, ...(transformedContent !== undefined && { transformedContent }), attachments: [] })

export const request = (toolCallId: string, name = "bash", input: unknown = { command: "ls" }): Wire => ({
  toolCallId,
  name,
  arguments: input,
  type: "function",
  intentionSummary: "look",
})

export const assistant = (content: string, toolRequests: readonly unknown[] = [], more: Wire = {}): Wire =>
  event("assistant.message", { messageId: "m", model: "claude-sonnet", content, toolRequests, turnId: "0", ...more })

export const started = (toolCallId: string): Wire => event("tool.execution_start", { toolCallId, toolName: "bash", arguments: {} })

export const complete = (toolCallId: string, content: string, more: Wire = {}): Wire =>
  event("tool.execution_complete", {
    toolCallId,
    success: true,
    result: { content, detailedContent: `${content}!` },
    toolTelemetry: {},
    ...more,
  })

export const failed = (toolCallId: string, message: string, code = "failure"): Wire =>
  event("tool.execution_complete", { toolCallId, success: false, error: { message, code } })

export const chain = (...events: readonly Wire[]): readonly Wire[] =>
  events.map((each, index) => ({
    ...each,
    id: `e${index}`,
    timestamp: "2026-01-01T00:00:01.000Z",
    parentId: index === 0 ? null : `e${index - 1}`,
  }))
