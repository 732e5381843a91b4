/** Items of a Continue session, small. */
import type { Wire } from "../../../src/model/index.ts"

export const item = (message: Wire, more: Wire = {}): Wire => ({ message, contextItems: [], ...more })

export const said = (role: string, content: unknown, more: Wire = {}): Wire => item({ role, content, id: `${role}-id` }, more)

export const toolCall = (id: unknown, name: string, args: string = '{"path": "."}'): Wire => ({
  id,
  type: "function",
  function: { name, arguments: args },
})

export const calling = (calls: readonly Wire[], more: Wire = {}): Wire => item({ role: "assistant", content: "", toolCalls: calls }, more)

export const state = (call: Wire, status: string, output?: string): Wire => ({
  toolCallId: call["id"],
  toolCall: call,
  status,
  parsedArgs: {},
  ...(output !== undefined && { output: [{ name: "out", description: "", content: output }] }),
})

export const tool = (toolCallId: unknown, content: unknown): Wire => item({ role: "tool", content, toolCallId })

export const session = (...history: readonly unknown[]): Wire => ({
  sessionId: "s1",
  title: "A session",
  workspaceDirectory: "/home/a",
  history,
})
