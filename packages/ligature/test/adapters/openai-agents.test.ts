/** The session of the OpenAI Agents SDK, on plain objects of its shapes. */
import { describe, expect, it } from "vitest"
import { type AgentItem, ligatureSession, validItems } from "../../src/adapters/openai-agents/index.ts"
import { assistant, call, result, syntheticTexts, tool, user } from "../../src/model/index.ts"
import { memoryStore, type Store } from "../../src/store/index.ts"

const asked = { role: "user", content: "How is the weather?" }
const calling = (callId: string) => ({
  type: "function_call",
  callId,
  name: "weather",
  status: "completed",
  arguments: "{}",
})
const answer = (callId: string, text: string) => ({
  type: "function_call_result",
  callId,
  name: "weather",
  status: "completed",
  output: { type: "text", text },
})
const said = (text: string) => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
})

const open = (store: Store = memoryStore()) => ligatureSession({ store, sessionId: "chat" })

describe("ligatureSession", () => {
  it("gives back items of every kind as they were added", async () => {
    const items = [
      { type: "message", role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "input_text", text: "Look." },
          { type: "input_image", image: "https://example.com/a.png", detail: "low" },
        ],
      },
      {
        type: "reasoning",
        id: "rs_1",
        content: [{ type: "input_text", text: "I think." }],
        providerData: { encrypted_content: "c2VjcmV0" },
      },
      { ...calling("call_1"), id: "fc_1", providerData: { some: "thing" } },
      calling("call_2"),
      { ...answer("call_1", ""), output: { type: "image", image: { url: "https://example.com/b.png" } } },
      { ...answer("call_2", ""), output: "a bare text" },
      { type: "shell_call", callId: "call_3", status: "completed", action: { commands: ["ls"] } },
      {
        type: "shell_call_output",
        callId: "call_3",
        output: [{ stdout: "a.ts", stderr: "", outcome: { type: "exit", exitCode: 0 } }],
      },
      { type: "hosted_tool_call", name: "web_search_call", id: "ws_1", status: "completed" },
      said("Here it is."),
    ]
    const session = open()
    await session.addItems(items)
    expect(await session.getItems()).toEqual(items)
  })

  it("closes a call whose result was never saved, and gives way to the result when it comes", async () => {
    const home = new Map<string, unknown>()
    await open(memoryStore({ home })).addItems([asked, calling("call_1")])
    const later = open(memoryStore({ home }))
    expect(await later.getItems()).toEqual([asked, calling("call_1"), answer("call_1", syntheticTexts.interrupted)])
    await later.addItems([answer("call_1", "sunny")])
    expect(await later.getItems()).toEqual([asked, calling("call_1"), answer("call_1", "sunny")])
  })

  it("takes calls that were saved in pieces for what they are: made in parallel", async () => {
    const session = open()
    const items = [asked, calling("a"), calling("b"), answer("a", "1"), answer("b", "2")]
    for (const item of items) await session.addItems([item])
    expect(await session.getItems()).toEqual(items)
  })

  it("cuts only between exchanges and never gives more than the limit", async () => {
    const session = open()
    const thanks = { role: "user", content: "Thanks." }
    const items = [asked, calling("a"), answer("a", "1"), said("Sunny."), thanks, said("Any time.")]
    await session.addItems(items)
    const sizes = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(async (limit) => (await session.getItems(limit)).length))
    expect(sizes).toEqual([0, 1, 2, 2, 2, 5, 6, 6])
    expect(await session.getItems(3)).toEqual(items.slice(4))
  })

  it("takes items back one at a time and deletes nothing", async () => {
    const store = memoryStore()
    const session = open(store)
    await session.addItems([asked, calling("a"), calling("b")])
    expect(await session.popItem()).toEqual(calling("b"))
    await session.addItems([answer("a", "1")])
    expect(await session.getItems()).toEqual([asked, calling("a"), answer("a", "1")])
    expect((await store.branches("chat")).map(({ active }) => active)).toEqual([false, true])
    await session.clearSession()
    expect(await session.getItems()).toEqual([])
    expect(await session.popItem()).toBeUndefined()
    await session.addItems([asked])
    expect(await session.getItems()).toEqual([asked])
    expect(await store.branches("chat")).toHaveLength(3)
  })

  it("writes what is new without reading what is there", async () => {
    const store = memoryStore()
    const unread = new Proxy(store, {
      get: (target, name) => (name === "load" ? expect.unreachable("loaded") : Reflect.get(target, name).bind(target)),
    })
    const session = open(unread)
    await session.addItems([asked, calling("a")])
    await session.addItems([answer("a", "1")])
    expect(await open(store).getItems()).toEqual([asked, calling("a"), answer("a", "1")])
  })

  it("goes on with a conversation that another tool wrote", async () => {
    const store = memoryStore()
    await store.create({ id: "chat" })
    await store.append("chat", [
      { kind: "message", message: user("Weather?") },
      { kind: "message", message: assistant("I look.", call("c", "weather", { city: "Bern" })) },
      { kind: "message", message: tool(result("c", "sunny")) },
    ])
    const session = open(store)
    await session.addItems([said("Sunny.")])
    expect(await session.getItems()).toEqual([
      { role: "user", content: "Weather?" },
      { ...said("I look."), type: "message" },
      { type: "function_call", callId: "c", name: "weather", arguments: '{"city":"Bern"}' },
      answer("c", "sunny"),
      said("Sunny."),
    ])
    await session.popItem()
    expect(await session.popItem()).toEqual(answer("c", "sunny"))
  })

  it("is one session for two that open it at the same time", async () => {
    const home = new Map<string, unknown>()
    const [one, other] = [open(memoryStore({ home })), open(memoryStore({ home }))]
    await Promise.all([one.addItems([asked]), other.addItems([said("Hello.")])])
    expect(await one.getItems()).toHaveLength(2)
    expect([await one.getSessionId(), await other.getSessionId()]).toEqual(["chat", "chat"])
  })

  it("lets nobody write while another holds the lease", async () => {
    const store = memoryStore()
    await open(store).addItems([asked])
    const lease = await store.acquire("chat", { owner: "worker-1", durationMs: 60_000 })
    await expect(open(store).addItems([said("No.")])).rejects.toMatchObject({ reason: "held", holder: "worker-1" })
    const holder = ligatureSession({ store, sessionId: "chat", lease })
    await holder.addItems([said("Yes.")])
    expect(await holder.popItem()).toEqual(said("Yes."))
    await holder.clearSession()
  })
})

describe("validItems", () => {
  it("takes a result without its call for what the user should know", () => {
    const valid = validItems<AgentItem>([asked, answer("gone", "sunny")])
    expect(valid).toEqual([asked, { role: "user", content: expect.stringContaining("sunny") }])
    expect(valid[0]).toBe(asked)
  })
})
