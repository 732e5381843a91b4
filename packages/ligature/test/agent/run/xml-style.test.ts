/** A model that calls its tools in text: the calls are run, stored and answered like any others, in that style. */
import { describe, expect, it } from "vitest"
import { importFrom, resume, type Tool } from "../../../src/agent/index.ts"
import { assistant, call, type Message, result, tool, user, type Wire } from "../../../src/model/index.ts"
import { memoryStore } from "../../../src/store/index.ts"
import { apis, gate, startAgent } from "./agent.ts"

const said = (say: string): string => `<echo>\n<say>${say}</say>\n</echo>`

const textOf = (body: unknown): string => JSON.stringify(body)

describe.each(apis)("a model of %s that calls tools in text", (api) => {
  it("gets its tools described and its results in text, until it has said what it wanted", async () => {
    const agent = await startAgent(api, { script: [{ text: `I say it.\n\n${said("one")}` }, { text: "It said one." }] })
    const { stop, text, iterations } = await agent.run({ prompt: "Go.", style: "xml", system: "Be brief." })
    expect([stop, text, iterations]).toEqual(["done", "It said one.", 2])
    expect(await agent.told()).toEqual([
      "user: Go.",
      'assistant: I say it. echo({"say":"one"})',
      "echo: done one",
      "assistant: It said one.",
    ])
    const [first, second] = agent.provider.requests.map(({ body }) => textOf(body))
    expect(first).toContain("Be brief.")
    expect(first).toContain("## echo\\nSays it again.")
    for (const body of [first, second]) expect(body).not.toMatch(/"tools"|tool_calls|tool_use|function_call|functionCall/)
    expect(second).toContain(JSON.stringify(`I say it.\n\n${said("one")}`).slice(1, -1))
    expect(second).toContain("[echo for 'one'] Result:\\none")
  })

  it("goes on in text without being told again", async () => {
    const agent = await startAgent(api, { script: [{ text: said("one") }, { text: "First." }, { text: said("two") }, { text: "Second." }] })
    await agent.run({ prompt: "Go.", style: "xml" })
    expect((await agent.run({ prompt: "Again." })).text).toBe("Second.")
    expect((await agent.told()).slice(4)).toEqual([
      "user: Again.",
      'assistant: echo({"say":"two"})',
      "echo: done two",
      "assistant: Second.",
    ])
  })
})

describe("calls in text", () => {
  it("run side by side, each with the types of its schema, and keep the words of the model", async () => {
    const seen: unknown[] = []
    const add: Tool = {
      name: "add",
      parameters: { type: "object", properties: { a: { type: "number" }, deep: { type: "boolean" } } },
      run: (given) => {
        seen.push(given)
        return "ok"
      },
    }
    const words = "Both:\n<add>\n<a>1</a>\n</add>\n<add>\n<a>\n2\n</a>\n<deep>true</deep></add>"
    const agent = await startAgent("anthropic", { tools: [add], script: [{ text: words }, { text: "Done." }] })
    await agent.run({ prompt: "Go.", style: "xml" })
    expect(seen).toEqual([{ a: 1 }, { a: 2, deep: true }])
    expect(textOf(agent.provider.requests[1]?.body)).toContain(JSON.stringify(words))
  })

  it("are found only in the text of the model, only for tools that exist, and not in examples", async () => {
    let runs = 0
    const counted: Tool = { name: "echo", run: () => `${++runs}: ${said("from the tool")}` }
    const script = [{ text: said("one") }, { text: `<unknown>\n<say>x</say>\n</unknown>\n\nFor example:\n\`\`\`\n${said("two")}\n\`\`\`` }]
    const agent = await startAgent("openai-chat", { tools: [counted], script })
    const { stop } = await agent.run({ prompt: `Do it, but not ${said("three")}`, style: "xml" })
    expect([stop, runs]).toEqual(["done", 1])
  })

  it("are read in the other ways of writing them too, and left alone where they name a tool that does not exist", async () => {
    const seen: unknown[] = []
    const listed: Tool = { name: "echo", run: (given) => void seen.push(given) }
    const invoke = (name: string): string =>
      `<function_calls>\n<invoke name="${name}">\n<parameter name="say">a</parameter>\n</invoke>\n</function_calls>`
    const hermes = (name: string): string => `<tool_call>\n${JSON.stringify({ name, arguments: { say: "b" } })}\n</tool_call>`
    const script = [{ text: invoke("echo") }, { text: `Now this:\n${hermes("echo")}` }, { text: `${invoke("rm")}\n${hermes("rm")}` }]
    const agent = await startAgent("anthropic", { tools: [listed], script })
    const { stop, text } = await agent.run({ prompt: "Go.", style: "xml" })
    expect([stop, text, seen]).toEqual(["done", `${invoke("rm")}\n${hermes("rm")}`, [{ say: "a" }, { say: "b" }]])
    const last = textOf(agent.provider.requests.at(-1)?.body)
    for (const words of [invoke("echo"), `Now this:\n${hermes("echo")}`]) expect(last).toContain(JSON.stringify(words))
  })

  it("stay text where the conversation calls its tools through the API", async () => {
    const agent = await startAgent("anthropic", { script: [{ text: said("one") }] })
    const { stop, text } = await agent.run({ prompt: "Go." })
    expect([stop, text]).toEqual(["done", said("one")])
  })

  it("are stored before their tool runs", async () => {
    const { open, passed } = gate()
    const started = gate()
    const slow: Tool = {
      name: "echo",
      run: async () => {
        started.open()
        await passed
        return "late"
      },
    }
    const store = memoryStore()
    const agent = await startAgent("openai-chat", { store, tools: [slow], script: [{ text: said("one") }] })
    const running = agent.run({ prompt: "Go.", style: "xml", abortGraceMs: 0 })
    await started.passed
    const [message] = (await store.load("c")).entries.filter((entry) => entry.kind === "message" && entry.message.role === "assistant")
    expect(message).toMatchObject({ message: { blocks: [{ type: "call", name: "echo", arguments: { say: "one" }, style: "xml" }] } })
    open()
    await running
  })

  it("wait for approval like others, and are denied in text", async () => {
    const agent = await startAgent("gemini", { script: [{ text: said("one") }, { text: "As you wish." }] })
    const waiting = await agent.run({ prompt: "Go.", style: "xml", approve: () => "wait" })
    expect([waiting.stop, waiting.pending.map(({ name }) => name)]).toEqual(["approval", ["echo"]])
    const [id = ""] = waiting.pending.map((pending) => pending.id)
    const denied = await agent.run({ decisions: { [id]: "deny" } })
    expect([denied.stop, denied.text]).toEqual(["done", "As you wish."])
    expect(textOf(agent.provider.requests.at(-1)?.body)).toContain("This call was denied")
  })
})

describe("the style of a conversation", () => {
  const xmlCall = { ...call("a", "echo", { say: "x" }), style: "xml" } as const
  const stored = async (...messages: readonly Message[]) => {
    const store = memoryStore({ now: () => 1 })
    await store.create({ id: "c" })
    await store.append(
      "c",
      messages.map((message, index) => ({ kind: "message", id: `m${index}`, message })),
    )
    return store
  }
  const inText = () => stored(user("Go."), assistant(xmlCall), tool({ ...result("a", "x"), style: "xml" }), assistant("Done."))

  it("is that of its calls where nobody chooses another", async () => {
    const resumed = await resume(await inText(), "c", { format: "openai-chat", user: "And?" })
    expect([resumed.style, resumed.append]).toEqual(["xml", [{ kind: "message", message: user("And?") }]])
    expect(JSON.stringify(resumed.ready && resumed.value)).toContain("<echo>")
    const asBlocks = await stored(user("Go."), assistant(call("a", "echo")), tool(result("a", "x")))
    expect((await resume(asBlocks, "c", { format: "openai-chat" })).style).toBe("json")
    const both = await stored(user("Go."), assistant(call("b", "echo")), tool(result("b", "x")), assistant(xmlCall), tool(result("a", "y")))
    expect((await resume(both, "c", { format: "openai-chat" })).style).toBe("json")
    expect((await resume(await stored(user("Hi.")), "c", { format: "openai-chat" })).style).toBe("json")
  })

  it("is seen in calls that are kept as text", async () => {
    const kept = await stored(user("Go."), assistant(said("x")), user("[echo] Result:\nx"))
    expect((await resume(kept, "c", { format: "openai-chat" })).style).toBe("xml")
  })

  it("comes along with what is imported", async () => {
    const history = [
      { role: "user", content: [{ type: "text", text: "<task>\nGo.\n</task>" }], ts: 1_700_000_000_000 },
      { role: "assistant", content: [{ type: "text", text: `I say it.\n\n${said("x")}` }], ts: 1_700_000_001_000 },
      { role: "user", content: [{ type: "text", text: "[echo for 'x'] Result:\nx" }], ts: 1_700_000_002_000 },
    ]
    for (const format of ["cline-api", "xml-text", "openai-chat"] as const) {
      const store = memoryStore()
      await store.create({ id: "c" })
      await store.append("c", importFrom(history, { format }).entries)
      const resumed = await resume(store, "c", { format: "openai-chat" })
      expect([format, resumed.style]).toEqual([format, "xml"])
      expect(JSON.stringify(resumed.ready && resumed.value)).toContain(JSON.stringify(`I say it.\n\n${said("x")}`))
    }
  })

  it("is kept when somebody chooses another, and the choice is used the next time", async () => {
    const store = await inText()
    const changed = await resume(store, "c", { format: "openai-chat", style: "json", user: "And?" })
    expect(changed.append[0]).toEqual({ kind: "note", name: "style", value: "json" })
    await store.append("c", changed.append)
    const next = await resume(store, "c", { format: "openai-chat" })
    expect([next.style, next.append]).toEqual(["json", []])
    const empty = await stored(user("Hi."))
    const first = await resume(empty, "c", { format: "openai-chat", style: { provider: "Ollama" } })
    expect(first.style).toBe("xml")
    await empty.append("c", first.append)
    expect((await resume(empty, "c", { format: "openai-chat" })).style).toBe("xml")
  })

  it("holds for a run, too: text and blocks of before are written alike", async () => {
    const store = await inText()
    const agent = await startAgent("openai-chat", {
      store,
      script: [{ text: said("y") }, { text: "Said." }, { calls: [{ name: "echo", arguments: { say: "z" } }] }, { text: "Called." }],
    })
    expect((await agent.run({ prompt: "Go on." })).text).toBe("Said.")
    expect((await agent.run({ prompt: "As calls.", style: "json" })).text).toBe("Called.")
    const last = agent.provider.requests.at(-1)?.body as Wire
    expect(JSON.stringify(last["messages"])).not.toContain("<echo>")
    expect(JSON.stringify(last["messages"]).match(/"tool_calls"/g)).toHaveLength(3)
  })

  it("is refused when it is none", async () => {
    const store = await inText()
    await expect(resume(store, "c", { format: "openai-chat", style: "yaml" as "xml" })).rejects.toThrow(
      'Expected the style "xml" or "json"',
    )
  })
})
