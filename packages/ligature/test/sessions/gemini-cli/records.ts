/** Records of a Gemini CLI session, small. */
import type { Wire } from "../../../src/model/index.ts"

const times = { timestamp: "2026-05-01T10:00:00.000Z" }

export const metadata: Wire = {
  sessionId: "0b5e1a2c-0000-4000-8000-000000000001",
  projectHash: "aa11",
  startTime: "2026-05-01T10:00:00.000Z",
  lastUpdated: "2026-05-01T10:00:00.000Z",
  kind: "main",
}

export const userRecord = (id: string, text: string, more: Wire = {}): Wire => ({
  id,
  ...times,
  type: "user",
  content: [{ text }],
  ...more,
})

export const geminiRecord = (id: string, content: unknown, more: Wire = {}): Wire => ({
  id,
  ...times,
  type: "gemini",
  content,
  thoughts: [],
  tokens: null,
  model: "gemini-3",
  ...more,
})

export const answered = (id: string, name: string, output: string, more: Wire = {}): Wire => ({
  id,
  name,
  args: { path: id },
  result: [{ functionResponse: { id, name, response: { output } } }],
  status: "success",
  ...times,
  resultDisplay: "",
  ...more,
})

export const notice = (id: string, type: string, content: string): Wire => ({ id, ...times, type, content })

export const set = (fields: Wire): Wire => ({ $set: fields })

export const rewindTo = (id: string): Wire => ({ $rewindTo: id })
