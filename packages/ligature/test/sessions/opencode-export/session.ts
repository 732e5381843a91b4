/** Messages and parts of an opencode export, small. */
import type { Wire } from "../../../src/model/index.ts"

export const info: Wire = {
  id: "ses_1",
  slug: "calm-river",
  projectID: "p",
  directory: "/home/a",
  title: "A session",
  version: "1.2.3",
  time: { created: 1_770_000_000_000, updated: 1_770_000_009_000 },
}

export const user = (id: string, ...parts: readonly Wire[]): Wire => ({
  info: {
    id,
    sessionID: "ses_1",
    role: "user",
    time: { created: 1 },
    agent: "build",
    model: { providerID: "anthropic", modelID: "m" },
  },
  parts,
})

export const model = (id: string, parts: readonly Wire[], more: Wire = {}): Wire => ({
  info: {
    id,
    sessionID: "ses_1",
    role: "assistant",
    parentID: "msg_1",
    providerID: "anthropic",
    modelID: "claude",
    time: { created: 2 },
    finish: "stop",
    ...more,
  },
  parts,
})

let made = 0

/** Ids of parts count up, so that each is its own. */
export const part = (type: string, more: Wire = {}): Wire => ({ id: `prt_${made++}`, type, ...more })

export const text = (words: string, more: Wire = {}): Wire => part("text", { text: words, ...more })

export const toolPart = (callID: unknown, name: string, state: Wire): Wire => part("tool", { callID, tool: name, state })

export const completed = (output: unknown, more: Wire = {}): Wire => ({
  status: "completed",
  input: { path: "." },
  output,
  title: "ls",
  metadata: {},
  time: { start: 3, end: 4 },
  ...more,
})

export const session = (...messages: readonly Wire[]): Wire => ({ info, messages })
