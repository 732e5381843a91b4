/** Small records as Neovate writes them. */

export type Fields = Readonly<Record<string, unknown>>

export const config = { type: "config", config: { approvalMode: "default", approvalTools: [] } }

export const message = (uuid: string, parentUuid: string | null, fields: Fields): Fields => ({
  parentUuid,
  uuid,
  ...fields,
  type: "message",
  timestamp: `2026-02-04T10:00:0${uuid.length % 10}.000Z`,
  sessionId: "a1b2c3d4",
})

export const user = (uuid: string, parent: string | null, content: unknown, more: Fields = {}): Fields =>
  message(uuid, parent, { role: "user", content, ...more })

export const assistant = (uuid: string, parent: string | null, ...parts: readonly Fields[]): Fields =>
  message(uuid, parent, {
    role: "assistant",
    content: parts,
    text: parts.flatMap((part) => (part["type"] === "text" ? [part["text"]] : [])).join(""),
    model: "claude-sonnet-4-5",
    usage: { input_tokens: 10, output_tokens: 2 },
  })

export const say = (text: string): Fields => ({ type: "text", text })

export const use = (id: string, name = "read", input: Fields = { file_path: "a.ts" }): Fields => ({
  type: "tool_use",
  id,
  name,
  input,
  displayName: name.toUpperCase(),
  description: "a.ts",
})

export const answer = (id: string, llmContent: unknown = `result of ${id}`, more: Fields = {}): Fields => ({
  type: "tool-result",
  toolCallId: id,
  toolName: "read",
  input: { file_path: "a.ts" },
  result: { llmContent, returnDisplay: "Read 3 lines", ...more },
})

export const earlyAnswer = (id: string): Fields => ({
  type: "tool_result",
  id,
  name: "read",
  input: { file_path: "a.ts" },
  result: { llmContent: `result of ${id}`, isError: false },
})

export const tool = (uuid: string, parent: string, ...parts: readonly Fields[]): Fields =>
  message(uuid, parent, { role: "tool", content: parts })
