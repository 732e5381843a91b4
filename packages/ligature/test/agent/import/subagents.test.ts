/** Sub-agents of an imported session: which conversation and which call started them, wherever the source has it. */
import { describe, expect, it } from "vitest"
import { importInto } from "../../../src/agent/index.ts"
import { memoryStore } from "../../../src/store/index.ts"

const rollout = (id: string, text: string, meta: object = {}): readonly object[] => [
  { timestamp: "2026-01-01T00:00:00Z", type: "session_meta", payload: { id, cwd: "/w", timestamp: "2026-01-01T00:00:00Z", ...meta } },
  {
    timestamp: "2026-01-01T00:00:01Z",
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text }] },
  },
  {
    timestamp: "2026-01-01T00:00:02Z",
    type: "response_item",
    payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "ok" }] },
  },
]

describe("a sub-agent", () => {
  it("in the stream of its session names the call that started it", async () => {
    const said = (role: "user" | "assistant", content: unknown, parent: string | null) => ({
      type: role,
      session_id: "s",
      parent_tool_use_id: parent,
      message: { role, content, ...(role === "assistant" && { id: `m${JSON.stringify(content).length}` }) },
    })
    const stream = [
      { type: "system", subtype: "init", session_id: "s", tools: [], cwd: "/w", model: "m" },
      said("assistant", [{ type: "tool_use", id: "toolu_1", name: "Task", input: { prompt: "Look" } }], null),
      said("user", "Look", "toolu_1"),
      said("assistant", [{ type: "text", text: "Nothing here." }], "toolu_1"),
      said("user", [{ type: "tool_result", tool_use_id: "toolu_1", content: "Nothing here." }], null),
      said("assistant", [{ type: "text", text: "There is nothing." }], null),
    ]
    const store = memoryStore()
    const { conversation, subagents } = await importInto(store, stream, { format: "claude-stream-json", all: true })
    expect(subagents).toHaveLength(1)
    const { parent } = await store.load(subagents[0]?.conversation ?? "")
    expect(parent).toEqual({ conversation, call: "toolu_1" })
  })

  it("in a file of its own names its session, whichever of them is imported first", async () => {
    const child = rollout("child", "Look", { parent_thread_id: "main" })
    for (const order of [
      ["main", "child"],
      ["child", "main"],
    ]) {
      const store = memoryStore()
      const ids = new Map<string, string>()
      for (const name of order) {
        const value = name === "main" ? rollout("main", "Go") : child
        ids.set(name, (await importInto(store, value, { format: "codex-rollout" })).conversation)
      }
      expect((await store.load(ids.get("child") ?? "")).parent).toEqual({ conversation: ids.get("main") })
      expect((await store.list({ parent: ids.get("main") ?? "" })).conversations.map(({ id }) => id)).toEqual([ids.get("child")])
    }
  })

  it("with the same task as another stays a conversation of its own", async () => {
    const line = (uuid: string, parentUuid: string | null, role: string, text: string, agentId: string) => ({
      sessionId: "s",
      isSidechain: true,
      agentId,
      cwd: "/w",
      version: "2.1.0",
      type: role,
      uuid,
      parentUuid,
      message: { role, content: role === "user" ? text : [{ type: "text", text }] },
    })
    const store = memoryStore()
    const one = [line("1", null, "user", "Look", "a"), line("2", "1", "assistant", "Here.", "a")]
    const two = [line("3", null, "user", "Look", "b"), line("4", "3", "assistant", "There.", "b")]
    for (const round of ["new", "unchanged"]) {
      for (const file of [one, two]) expect((await importInto(store, file, { format: "claude-code" })).change).toBe(round)
    }
    expect((await store.list()).conversations).toHaveLength(2)
  })

  it("keeps its own title when the whole session is imported after its own records", async () => {
    const line = (uuid: string, parentUuid: string | null, role: string, text: string, agentId?: string) => ({
      sessionId: "s",
      isSidechain: agentId !== undefined,
      agentId,
      cwd: "/w",
      version: "2.1.0",
      type: role,
      uuid,
      parentUuid,
      message: { role, content: role === "user" ? text : [{ type: "text", text }] },
    })
    const side = [line("3", null, "user", "Look", "a"), line("4", "3", "assistant", "Here.", "a")]
    const whole = [line("1", null, "user", "Go"), line("2", "1", "assistant", "Going."), ...side]
    const store = memoryStore()
    const { conversation } = await importInto(store, side, { format: "claude-code" })
    const { subagents } = await importInto(store, whole, { format: "claude-code", all: true })
    expect(subagents).toMatchObject([{ conversation, change: "unchanged" }])
    expect((await store.load(conversation)).title).toBe("Look")
  })

  it("that is a task of a benchmark is told from another run of the same task", async () => {
    const run = (answer: string) => ({
      task_id: 3,
      trial: 0,
      reward: 1,
      info: {},
      traj: [
        { role: "system", content: "s" },
        { role: "user", content: "hi" },
        { role: "assistant", content: answer },
      ],
    })
    const store = memoryStore()
    for (const round of ["new", "unchanged"]) {
      for (const answer of ["a", "b"]) expect((await importInto(store, run(answer), { format: "tau-bench" })).change).toBe(round)
    }
    expect((await store.list()).conversations).toHaveLength(2)
  })
})
