/** Files that are the conversation of a sub-agent say which session started it. */
import { describe, expect, it } from "vitest"
import { resolveCodec, isSessionCodec, type Subagent } from "../../src/convert/index.ts"

const subagentIn = (format: string, value: unknown): Subagent | undefined => {
  const codec = resolveCodec(format)
  if (!isSessionCodec(codec)) throw new Error(`${format} is no session format`)
  return codec.session.outline(value).subagent
}

const claude = (isSidechain: boolean): readonly object[] => [
  { type: "user", uuid: "1", parentUuid: null, sessionId: "s", isSidechain, message: { role: "user", content: "Look" } },
]

const codex = (meta: object): readonly object[] => [
  { type: "session_meta", payload: { id: "child", ...meta } },
  { type: "response_item", payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Look" }] } },
]

describe("the outline of a sub-agent's file", () => {
  it("names the session that started it", () => {
    expect(subagentIn("claude-code", claude(true))).toEqual({ session: "s" })
    expect(subagentIn("codex-rollout", codex({ parent_thread_id: "main" }))).toEqual({ session: "main" })
    const spawned = { source: { subagent: { thread_spawn: { parent_thread_id: "main", depth: 1 } } } }
    expect(subagentIn("codex-rollout", codex(spawned))).toEqual({ session: "main" })
    expect(subagentIn("opencode-export", { info: { id: "ses_2", parentID: "ses_1" }, messages: [] })).toEqual({ session: "ses_1" })
    expect(subagentIn("crush", { session: { id: "b", parent_session_id: "a" }, messages: [] })).toEqual({ session: "a" })
    const gemini = { sessionId: "g", projectHash: "p", kind: "subagent", startTime: "2026-01-01T00:00:00Z", messages: [] }
    expect(subagentIn("gemini-cli", gemini)).toEqual({})
  })

  it("says nothing where the file is a session of its own", () => {
    expect(subagentIn("claude-code", claude(false))).toBeUndefined()
    expect(subagentIn("codex-rollout", codex({ source: "cli" }))).toBeUndefined()
    expect(subagentIn("codex-rollout", codex({ source: { subagent: "review" } }))).toBeUndefined()
    expect(subagentIn("opencode-export", { info: { id: "ses_2" }, messages: [] })).toBeUndefined()
    expect(subagentIn("crush", { session: { id: "b" }, messages: [] })).toBeUndefined()
  })
})
