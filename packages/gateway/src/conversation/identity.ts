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
import type { RequestBody } from "./request-body.ts"
import { bearerOf } from "../wires/wire.ts"

export interface Identity {
  /** The client's own name of the conversation; undefined where it has none. */
  readonly name: string | undefined
  /** The client's own name of the conversation that started it. */
  readonly parent?: string
  readonly owner: string
}

const textOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= 256 ? value : undefined

interface SessionHeader {
  readonly name: string
  /** A part of the session with a conversation of its own. */
  readonly part?: string
  /** The name of the conversation that started it. */
  readonly parent?: string
  /** It is in the client's own questions about a conversation, too. */
  readonly hasAsides?: true
}

/** In the order in which they are asked: the most exact first. */
const sessionHeaders: readonly SessionHeader[] = [
  { name: "x-claude-code-session-id", part: "x-claude-code-agent-id" },
  // Sub-agents of Codex share its session id; the thread is theirs alone.
  { name: "thread-id", parent: "x-codex-parent-thread-id" },
  { name: "session-id" },
  { name: "x-session-id", parent: "x-parent-session-id" },
  { name: "session_id" },
  // Open WebUI, where it forwards what it knows of its user. Titles, tags and follow-ups are asked for under the same name.
  { name: "x-openwebui-chat-id", hasAsides: true },
]

export const ownerOf = (headers: IncomingHttpHeaders): string => {
  // The same key is the same owner, in whatever header it comes.
  const { authorization } = headers
  const key =
    textOf(authorization === undefined ? undefined : (bearerOf(authorization) ?? authorization)) ??
    textOf(headers["x-api-key"]) ??
    textOf(headers["x-goog-api-key"]) ??
    textOf(headers["api-key"]) ??
    ""
  return createHash("sha256").update(key).digest("hex").slice(0, 16)
}

/** A question about a conversation that is no turn of it: all of it is in one message, and nobody waits to see the answer grow. */
const isAside = ({ slices, bytes }: RequestBody): boolean => {
  const stream = slices?.members.get("stream")
  return slices?.elements.length === 1 && (!stream || bytes.toString("latin1", stream.start, stream.end) !== "true")
}

export const identityOf = (headers: IncomingHttpHeaders, body: RequestBody): Identity => {
  const owner = ownerOf(headers)
  for (const { name, part, parent, hasAsides } of sessionHeaders) {
    const session = textOf(headers[name])
    if (session === undefined) continue
    if (hasAsides && isAside(body)) return { name: undefined, parent: session, owner }
    const own = part === undefined ? undefined : textOf(headers[part])
    if (own !== undefined) return { name: `${session}/${own}`, parent: session, owner }
    const from = parent === undefined ? undefined : textOf(headers[parent])
    return { name: session, owner, ...(from !== undefined && { parent: from }) }
  }
  return { name: undefined, owner }
}
