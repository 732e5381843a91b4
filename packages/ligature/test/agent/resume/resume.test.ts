/** Conversations opened again: the plan, what waits, one style, and a request that every provider takes. */
import process from "node:process"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { check, decode, formats } from "../../../src/convert/index.ts"
import { profileNames, profiles, resolveProfile } from "../../../src/rules/index.ts"
import { resume, resumeFrom } from "../../../src/agent/resume/index.ts"
import {
  assistant,
  call,
  type Message,
  result,
  syntheticResult,
  syntheticTexts,
  system,
  tool,
  user,
  type Wire,
} from "../../../src/model/index.ts"
import { type Loaded, memoryStore, type Store } from "../../../src/store/index.ts"
import { Choices, damageHistory, generateHistory, judges } from "../../../src/testing/index.ts"
import { damages, idDamages } from "../../../src/testing/damage.ts"
import { resolveCodec } from "../../../src/registry/registry.ts"

const open = async (...messages: readonly Message[]): Promise<Store> => {
  const store = memoryStore({ now: () => 1 })
  await store.create({ id: "c" })
  if (messages.length > 0)
    await store.append(
      "c",
      messages.map((message, index) => ({ kind: "message", id: `m${index}`, message })),
    )
  return store
}

const load = async (...messages: readonly Message[]): Promise<Loaded> => (await open(...messages)).load("c")

const waiting = { ...call("w", "rm", { path: "/" }), pending: "approval" } as const

const requestOf = (resumed: Awaited<ReturnType<typeof resume>>): Wire => {
  if (!resumed.ready) throw new Error("Expected a request")
  return resumed.value
}

describe("resuming", () => {
  it("a finished turn gives the history as it is, and nothing to append but the user's words", async () => {
    const store = await open(user("hi"), assistant(call("a", "ls")), tool(result("a", "x")), assistant("done"))
    const resumed = await resume(store, "c", { format: "openai-chat", user: "And now?" })
    expect(resumed.plan).toMatchObject({ state: "clean", waiting: "none", reasons: [], confirm: false })
    expect(resumed.append).toEqual([{ kind: "message", message: user("And now?") }])
    expect(requestOf(resumed)).toEqual({
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: { name: "ls", arguments: "{}" } }] },
        { role: "tool", tool_call_id: "a", content: "x" },
        { role: "assistant", content: "done" },
        { role: "user", content: "And now?" },
      ],
    })
  })

  it("after a crash keeps finished results, closes the others honestly, and says the same once that is stored", async () => {
    const store = await open(user("both"), assistant(call("a", "ls"), call("b", "deploy")), tool(result("a", "x")))
    const first = await resume(store, "c", { format: "anthropic", user: "Well?" })
    expect(first.plan).toMatchObject({ state: "open-calls", confirm: true, reasons: ["Interrupted, effect unknown: deploy (b)"] })
    expect(first.append).toEqual([
      { kind: "result", result: syntheticResult("b", "deploy", "interrupted") },
      { kind: "message", message: user("Well?") },
    ])
    await store.append("c", first.append, { expectedTip: first.loaded.tip })
    const second = await resume(store, "c", { format: "anthropic" })
    expect(second.plan.state).toBe("clean")
    expect(second.append).toEqual([])
    expect(requestOf(second)).toEqual(requestOf(first))
  })

  it("makes no request while a call waits for approval, and says the two ways on", async () => {
    const store = await open(user("clean up"), assistant(call("a", "ls"), waiting), tool(result("a", "x")))
    const resumed = await resume(store, "c", { format: "anthropic", user: "Well?" })
    expect(resumed).toMatchObject({ ready: false, waiting: [{ id: "w", name: "rm", entry: "m1", becomes: "waits" }], append: [] })
    expect(resumed).not.toHaveProperty("request")
    expect(resumed.plan.waiting).toBe("refused")
    expect(resumed.plan.reasons.at(-1)).toContain('resume with waiting "close"')
    const last = resumed.conversation.items.at(-1)
    expect(last?.role === "exchange" && last.outcomes.map(({ kind }) => kind)).toEqual(["done", "pending"])
  })

  it("says that a waiting call never ran when asked to close it, and lets a later result take its place", async () => {
    const store = await open(user("clean up"), assistant(waiting))
    const resumed = await resume(store, "c", { format: "anthropic", waiting: "close", user: "Never mind." })
    expect(resumed.plan.waiting).toBe("closed")
    expect(resumed.append).toEqual([
      { kind: "result", result: syntheticResult("w", "rm", "not-run") },
      { kind: "message", message: user("Never mind.") },
    ])
    expect(JSON.stringify(requestOf(resumed))).toContain(syntheticTexts["not-run"])
    // Somebody approves after all, before anything was appended: the call is decided and the request is made of it.
    await store.append("c", [{ kind: "result", result: result("w", "removed") }])
    const approved = await resume(store, "c", { format: "anthropic" })
    expect([approved.ready, approved.plan.waiting]).toEqual([true, "none"])
    expect(JSON.stringify(requestOf(approved))).toContain("removed")
  })

  it("closes an interrupted sibling also while another call waits", async () => {
    const store = await open(user("go"), assistant(call("a", "ls"), waiting))
    const resumed = await resume(store, "c", { format: "anthropic" })
    expect(resumed.ready).toBe(false)
    expect(resumed.append).toEqual([{ kind: "result", result: syntheticResult("a", "ls", "interrupted") }])
    await store.append("c", resumed.append)
    expect((await resume(store, "c", { format: "anthropic" })).append).toEqual([])
  })

  it("goes on from another branch by moving the tip first", async () => {
    const store = await open(user("one"), assistant("1"), user("two"))
    const resumed = await resume(store, "c", { format: "openai-chat", at: "m1", user: "another two" })
    expect(resumed.append).toEqual([
      { kind: "tip", to: "m1" },
      { kind: "message", message: user("another two") },
    ])
    await store.append("c", resumed.append, { expectedTip: resumed.loaded.tip })
    const again = await resume(store, "c", { format: "openai-chat" })
    expect(requestOf(again)).toEqual(requestOf(resumed))
    expect(await store.branches("c")).toHaveLength(2)
  })

  it("names what it cannot resume for", async () => {
    const loaded = await load(user("hi"))
    expect(() => resumeFrom(loaded, {})).toThrow("Expected a format or a profile")
    // @ts-expect-error a format of sessions
    expect(() => resumeFrom(loaded, { format: "claude-code" })).toThrow("is a file of an agent, not a request")
    expect(() => resumeFrom(loaded, { format: "gemini", profile: "mistral" })).toThrow("is of the format openai-chat, not gemini")
    // @ts-expect-error a format that does not exist
    expect(() => resumeFrom(loaded, { format: "nothing" })).toThrow('Unknown format "nothing". Formats: anthropic, ')
  })
})

const xmlCall = "I read it.\n\n<read_file>\n<path>a.ts</path>\n</read_file>"
const xmlAnswer = "[read_file for 'a.ts'] Result:\nconst a = 1"

/** A task that an agent kept as XML text, and went on with as blocks. */
const mixed = [
  user("Fix it"),
  assistant(xmlCall),
  user(xmlAnswer),
  assistant("Now the other.", call("toolu_1", "read_file", { path: "b.ts" })),
  tool(result("toolu_1", "const b = 2")),
  assistant("Both are fine."),
]

describe("one style", () => {
  it("as blocks: calls that were stored as text become calls with their results", async () => {
    const resumed = resumeFrom(await load(...mixed), { format: "anthropic", style: "json" })
    const { messages } = requestOf(resumed) as { readonly messages: readonly { readonly content: readonly Wire[] }[] }
    expect(messages[1]?.content).toMatchObject([
      { type: "text", text: "I read it." },
      { type: "tool_use", name: "read_file", input: { path: "a.ts" } },
    ])
    expect(messages[2]?.content).toMatchObject([{ type: "tool_result", content: "const a = 1" }])
    expect(messages[4]?.content).toEqual([{ type: "tool_result", tool_use_id: "toolu_1", content: "const b = 2" }])
    expect(JSON.stringify(messages)).not.toContain("<read_file>")
    expect(resumed.plan.state).toBe("clean")
  })

  it("as text: calls that were stored as blocks become text, and old text keeps its words", async () => {
    const resumed = resumeFrom(await load(...mixed), { format: "openai-chat", style: "xml" })
    const { messages } = requestOf(resumed) as { readonly messages: readonly { readonly content: string }[] }
    expect(messages.map(({ content }) => content)).toEqual([
      "Fix it",
      xmlCall,
      xmlAnswer,
      "Now the other.\n\n<read_file>\n<path>b.ts</path>\n</read_file>",
      "[read_file for 'b.ts'] Result:\nconst b = 2",
      "Both are fine.",
    ])
    expect(JSON.stringify(messages)).not.toContain("tool_calls")
  })

  it("is chosen by provider, setting and model where that is asked", async () => {
    const loaded = await load(...mixed)
    const styles = [
      { provider: "some-local-server" },
      { provider: "openrouter", userSetting: "json" },
      { provider: "openrouter", model: "anthropic/claude-haiku-4.5" },
      { provider: "openrouter" },
    ] as const
    expect(styles.map((style) => resumeFrom(loaded, { format: "openai-chat", style }).style)).toEqual(["xml", "json", "json", "xml"])
  })

  it("leaves alone what only speaks of tags", async () => {
    const words = "Write it like this:\n\n<note>\n<to>me</to>\n</note>"
    const loaded = await load(
      user("How do I write XML?"),
      assistant(words),
      user("Thanks"),
      assistant(call("a", "ls")),
      tool(result("a", "x")),
    )
    expect(resumeFrom(loaded, { format: "openai-chat" }).conversation.items[1]).toMatchObject({
      message: { blocks: [{ type: "text", text: words }] },
    })
  })

  it("closes a call that is open as text in each view alike, and writes nothing for it", async () => {
    const loaded = await load(...mixed.slice(0, 3), assistant("<read_file>\n<path>c.ts</path>\n</read_file>"))
    const resumed = resumeFrom(loaded, { format: "anthropic", user: "Go on" })
    expect(resumed.plan).toMatchObject({
      state: "open-calls",
      append: [],
      openCalls: [{ name: "read_file", becomes: "interrupted", entry: "m3" }],
    })
    expect(resumed.append).toEqual([{ kind: "message", message: user("Go on") }])
    expect(JSON.stringify(requestOf(resumed))).toContain(syntheticTexts.interrupted)
  })

  it("reads calls nothing proves when the tools are named", async () => {
    const loaded = await load(user("Read"), assistant(xmlCall))
    expect(resumeFrom(loaded, { format: "anthropic" }).plan.openCalls).toEqual([])
    expect(resumeFrom(loaded, { format: "anthropic", tools: ["read_file"] }).plan.openCalls).toHaveLength(1)
  })
})

/** Few in `npm test`; LIGATURE_HISTORIES asks for more. */
const runs = Math.max(20, Math.ceil(Number(process.env["LIGATURE_HISTORIES"] ?? 0) / 100))

const choices = fc.array(fc.nat(), { minLength: 40, maxLength: 200, size: "max" })

describe("whatever is in the log", () => {
  it("gives a request that every provider takes, in either style, for every format", () => {
    const property = fc.asyncProperty(choices, async (numbers) => {
      const stream = new Choices(numbers)
      const { messages } = damageHistory(generateHistory(stream).messages, stream, { ...damages, ...idDamages })
      const loaded = await load(...messages)
      for (const style of ["json", "xml"] as const) {
        for (const profile of profileNames) {
          const request = requestOf(resumeFrom(loaded, { profile, style, user: "Go on.", waiting: "close" }))
          const verdict = judges[profile as keyof typeof judges]?.(request)
          expect(verdict, `${profile} ${style}: ${JSON.stringify(request)}`).toMatchObject({ ok: true })
        }
        for (const format of formats) {
          const request = requestOf(resumeFrom(loaded, { format, style, user: "Go on.", waiting: "close" }))
          const findings = check(decode(resolveCodec(format), JSON.parse(JSON.stringify(request))))
          expect(
            findings.filter(({ severity }) => severity === "error"),
            `${format} ${style}`,
          ).toEqual([])
        }
      }
    })
    return fc.assert(property, { numRuns: runs, seed: 20_261_116 })
  }, 3_600_000)

  it("says the same once what it adds was appended", () => {
    const property = fc.asyncProperty(choices, async (numbers) => {
      const stream = new Choices(numbers)
      const { messages } = damageHistory(generateHistory(stream).messages, stream)
      const store = await open(...messages)
      const first = await resume(store, "c", { format: "openai-chat", user: "Go on." })
      await store.append("c", first.append)
      const second = await resume(store, "c", { format: "openai-chat" })
      expect(requestOf(second)).toEqual(requestOf(first))
    })
    return fc.assert(property, { numRuns: runs, seed: 20_261_116 })
  }, 3_600_000)

  it("is resumed for a profile of every format that has one", async () => {
    const loaded = await load(system("Be brief."), user("hi"))
    for (const [name, { format }] of Object.entries(profiles)) {
      expect(resumeFrom(loaded, { profile: resolveProfile(name) })).toMatchObject({ ready: true, format, profile: name })
    }
  })
})
