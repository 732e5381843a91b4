/**
 * OpenAI Agents SDK: a session that is valid whenever it is read.
 *
 *     const session = ligatureSession<AgentInputItem>({ store: jsonlStore({ folder: "chats" }), sessionId: "chat-7" })
 *     await run(agent, "Go on.", { session })
 */
export type { AdapterOptions } from "../settle-for.ts"
export { ligatureSession, type LigatureSession, type LigatureSessionOptions } from "./session.ts"
export { type AgentItem, validItems } from "./valid-items.ts"
