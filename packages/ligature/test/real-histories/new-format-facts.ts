/** How the manifest of new formats counts, folder by folder, and why a file differs. */
import type { Role } from "../../src/model/index.ts"

interface ReadAs {
  readonly format: string
  /** Whose messages the manifest counts; undefined where it counts something else, such as spans or steps. */
  readonly roles?: readonly Role[]
}

const turns: readonly Role[] = ["user", "assistant", "tool"]

const folders: Readonly<Record<string, ReadAs>> = {
  // Turns and steps.
  "kimi-wire": { format: "kimi-wire", roles: ["user", "assistant"] },
  "kimi-code-wire": { format: "kimi-code-wire", roles: ["user", "assistant"] },
  // Lines: a reply has one for each of its blocks.
  "claude-code-array": { format: "claude-code-array" },
  // Requests, twice.
  "copilot-chat": { format: "copilot-chat" },
  "copilot-cli": { format: "copilot-cli" },
  "inspect-json": { format: "inspect-log", roles: ["system", ...turns] },
  "inspect-eval": { format: "inspect-log", roles: ["system", ...turns] },
  // Steps.
  "atif": { format: "atif" },
}

export const readAs = (folder: string): ReadAs => folders[folder] ?? { format: folder, roles: turns }

/** Refused by name: nobody reads them, or somebody else does. */
const unread: ReadonlySet<string> = new Set([])

export const isUnread = (folder: string): boolean => unread.has(folder)

interface Reason {
  readonly reason: string
  readonly messages?: number
  readonly tool_calls?: number
  readonly results?: number
  readonly unanswered?: number
  readonly orphans?: number
}

export const reasons: Readonly<Record<string, Reason>> = {
  "kimi-wire/getagentseal+codeburn-00.jsonl": { reason: "calls without a step are a message of the assistant", messages: 2 },
}
