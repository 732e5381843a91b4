/**
 * Whose conversation a request belongs to. Clients that name their session do it in headers; sub-agents and side threads of
 * one session have names of their own there. All others are known by what they send: a request that goes on where an
 * earlier one ended belongs to it (memory.ts).
 *
 * Keys own conversations: `owner` stands for the credential of the client, so that a name alone, which anybody could send,
 * finds nothing of somebody else's.
 */
import { createHash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

export interface Identity {
  /** The client's own name of the conversation; undefined where it has none. */
  readonly name: string | undefined
  readonly owner: string
}

const textOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= 256 ? value : undefined

/** In the order in which they are asked: the most exact first. `beside`: told apart by this header as well. */
const sessionHeaders: readonly (readonly [header: string, beside?: string])[] = [
  ["x-claude-code-session-id", "x-claude-code-agent-id"],
  // Sub-agents of Codex share its session id; the thread is theirs alone.
  ["thread-id"],
  ["session-id"],
  ["x-session-id"],
  ["session_id"],
]

export const ownerOf = (headers: IncomingHttpHeaders): string => {
  const key =
    textOf(headers.authorization) ?? textOf(headers["x-api-key"]) ?? textOf(headers["x-goog-api-key"]) ?? textOf(headers["api-key"]) ?? ""
  return createHash("sha256").update(key).digest("hex").slice(0, 16)
}

export const identityOf = (headers: IncomingHttpHeaders): Identity => {
  const owner = ownerOf(headers)
  for (const [header, beside] of sessionHeaders) {
    const session = textOf(headers[header])
    if (session === undefined) continue
    const part = beside === undefined ? undefined : textOf(headers[beside])
    return { name: part === undefined ? session : `${session}/${part}`, owner }
  }
  return { name: undefined, owner }
}
