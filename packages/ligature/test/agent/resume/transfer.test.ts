/** In and out of a store: healthy values of every format come back deep-equal, and what is lost is said. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { check, codecs, decode, fileValueOf, type Format, resolveCodec, type SessionCodec } from "../../../src/convert/index.ts"
import { sessionCodecs } from "../../../src/registry/sessions.ts"
import { openDocument } from "../../../src/document/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { exportFrom, type Exported, importFrom, type Imported } from "../../../src/agent/resume/index.ts"
import { assistant, call, type Conversation, result, thinking, tool, transcript, user } from "../../../src/model/index.ts"
import { memoryStore } from "../../../src/store/index.ts"
import { Choices, generateHistory } from "../../../src/testing/index.ts"

/** Through a real store, so that JSON has happened to it. */
const throughStore = async (value: unknown, format: string): Promise<{ readonly imported: Imported; readonly exported: Exported }> => {
  const imported = importFrom(value, { format: format as Format })
  const store = memoryStore({ now: () => 1 })
  await store.create({ id: "c" })
  await store.append("c", imported.entries)
  return { imported, exported: exportFrom(await store.load("c"), { format: format as Format }) }
}

const choices = fc.array(fc.nat(), { minLength: 40, maxLength: 200, size: "max" })

const generated = (numbers: readonly number[]): Conversation =>
  settle({ format: "ligature", messages: generateHistory(new Choices(numbers)).messages }).conversation

/** Requests with what real ones have beside the plain case: fields nobody knows, cache marks, neighbours of one role. */
const requests: Readonly<Record<string, unknown>> = {
  anthropic: {
    model: "claude",
    max_tokens: 1000,
    tools: [{ name: "bash", input_schema: { type: "object" } }],
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user", content: "one" },
      { role: "user", content: [{ type: "text", text: "two", citations: null }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "c2ln" },
          { type: "text", text: "I look." },
          { type: "tool_use", id: "toolu_1", name: "bash", input: { command: "ls", deep: { a: [1, { b: null }] } } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "a.ts" }], is_error: false },
          { type: "text", text: "and hurry", cache_control: { type: "ephemeral" } },
        ],
      },
      { role: "assistant", content: "One file." },
    ],
  },
  "openai-chat": {
    model: "gpt",
    temperature: 0,
    tools: [{ type: "function", function: { name: "bash" } }],
    messages: [
      { role: "system", content: "Be brief.", extra: true },
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: "https://x.test/a.png" } },
        ],
      },
      {
        role: "assistant",
        content: "",
        refusal: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "bash", arguments: '{ "command" : "ls" }' } }],
      },
      { role: "tool", tool_call_id: "call_1", name: "bash", content: "a.ts" },
      { role: "assistant", content: "One." },
    ],
  },
  "openai-responses": {
    model: "gpt",
    instructions: "Be brief.",
    input: [
      { role: "user", content: "Look" },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "abc" },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "bash", arguments: "{}", status: "completed" },
      { type: "function_call_output", call_id: "call_1", output: "a.ts" },
    ],
  },
  gemini: {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    generationConfig: { temperature: 0 },
    contents: [
      { role: "user", parts: [{ text: "Look" }] },
      { role: "model", parts: [{ functionCall: { name: "bash", args: { command: "ls" } }, thoughtSignature: "c2ln" }] },
      { role: "user", parts: [{ functionResponse: { name: "bash", response: { output: "a.ts" } } }] },
      { role: "model", parts: [{ text: "One." }] },
    ],
  },
  "bedrock-converse": {
    modelId: "m",
    system: [{ text: "Be brief." }, { cachePoint: { type: "default" } }],
    messages: [
      { role: "user", content: [{ text: "Look" }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "t1", name: "bash", input: {} } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "t1", content: [{ json: { files: ["a.ts"] } }], status: "success" } }] },
    ],
  },
  "xml-text": {
    messages: [
      { role: "user", content: "Fix it" },
      { role: "assistant", content: "I read it.\n\n<read_file>\n<path>a.ts</path>\n</read_file>" },
      {
        role: "user",
        content: [
          { type: "text", text: "[read_file for 'a.ts'] Result:" },
          { type: "text", text: "const a = 1" },
        ],
      },
      { role: "assistant", content: "<attempt_completion>\n<result>\nDone.\n</result>\n</attempt_completion>" },
    ],
  },
}

describe("import, then export to the same format", () => {
  for (const [format, request] of Object.entries(requests)) {
    it(`gives back an equal ${format} request, with all its fields`, async () => {
      expect(check(decode(resolveCodec(format), request), { tip: "open" }).filter(({ severity }) => severity === "error")).toEqual([])
      const { imported, exported } = await throughStore(request, format)
      expect(exported.value).toEqual(request)
      expect(imported).toMatchObject({ exact: true, notKept: [], report: { entries: [] } })
    })
  }

  it("leaves calls that a request says in text as they are, and makes calls of them for another format", async () => {
    const { messages } = requests["xml-text"] as { readonly messages: readonly unknown[] }
    const request = { model: "m", messages }
    const { imported, exported } = await throughStore(request, "anthropic")
    expect([exported.value, imported.exact]).toEqual([request, true])
    const store = memoryStore()
    const { id } = await store.create()
    await store.append(id, imported.entries)
    expect(JSON.stringify(exportFrom(await store.load(id), { format: "openai-chat" }).value)).toContain('"name":"read_file"')
  })

  it("gives back an equal list where the source was one", async () => {
    const list = (requests["openai-chat"] as { readonly messages: readonly unknown[] }).messages
    const { exported } = await throughStore(list, "openai-chat")
    expect(exported.list).toEqual(list)
  })

  for (const codec of Object.values(codecs)) {
    it(`gives back what the ${codec.format} codec writes of generated histories`, () => {
      const property = fc.asyncProperty(choices, async (numbers) => {
        const value: unknown = JSON.parse(JSON.stringify(codec.encode(generated(numbers))))
        if (check(codec.decode(value)).length > 0) return
        const { imported, exported } = await throughStore(value, codec.format)
        expect(exported.value).toEqual(value)
        expect(imported.exact).toBe(true)
      })
      return fc.assert(property, { numRuns: 40, seed: 5 })
    }, 30_000)
  }

  it("keeps wire values only where the way back needs them", async () => {
    const plain = codecs["anthropic"]?.encode(generated([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4]))
    const { entries } = importFrom(JSON.parse(JSON.stringify(plain)), { format: "anthropic" })
    expect(JSON.stringify(entries).length).toBeLessThan(1.6 * JSON.stringify(plain).length + 300)
  })
})

const conversation = settle(
  transcript(
    user("How many tests are there?"),
    assistant(
      thinking("hm", "c2ln"),
      "I look.",
      call("call_1", "bash", { command: "ls" }),
      call("call_2", "bash", { command: "npm test" }),
    ),
    tool(result("call_1", "a.test.ts"), result("call_2", "1 failed", { error: true })),
    assistant("One."),
    user("Thanks"),
  ),
).conversation

/** Calls and outcomes: what must survive any move. */
const said = ({ items }: Conversation): unknown =>
  items.map((item) =>
    item.role === "exchange"
      ? [
          item.message.blocks.flatMap((block): readonly unknown[] => {
            if (block.type === "call") return [[block.name, block.arguments]]
            return block.type === "text" ? [block.text] : []
          }),
          item.outcomes.map(({ kind, result: answer }) => [
            kind,
            answer?.content.map((block) => (block.type === "text" ? block.text : block.type)),
          ]),
          item.reply?.blocks.map((block) => (block.type === "text" ? block.text : block.type)),
        ]
      : item.blocks.map((block) => (block.type === "text" ? block.text : block.type)),
  )

describe("session files", () => {
  for (const codec of Object.values(sessionCodecs).filter(({ session }) => session.writes === "any")) {
    it(`of ${codec.format} keep every call and result, and the import names what is not kept`, async () => {
      const value: unknown = JSON.parse(JSON.stringify(fileValueOf(codec, codec.encode(conversation))))
      const { imported, exported } = await throughStore(value, codec.format)
      expect(imported.exact).toBe(false)
      expect(imported.notKept[0]).toContain(`the bookkeeping of the ${codec.session.agent} session`)
      const before = settle(codec.decode(value)).conversation
      const after = settle(codec.decode(fileValueOf(codec, JSON.parse(JSON.stringify(exported.value))))).conversation
      expect(said(after)).toEqual(said(before))
    })
  }

  it("that can only be read are refused with the reason", async () => {
    const store = memoryStore()
    const { id } = await store.create()
    const loaded = await store.load(id)
    const closed = Object.values(sessionCodecs).find(({ session }) => session.writes === "none") as SessionCodec
    expect(() => exportFrom(loaded, { format: closed.format as Format })).toThrow("can be read but not written")
  })
})

describe("damaged values", () => {
  it("are settled on the way in, with a report, and go out valid", async () => {
    const damaged = {
      model: "m",
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: [{ type: "tool_use", id: "a", name: "ls", input: {}, cache_control: { type: "ephemeral" } }] },
        { role: "user", content: "hello?" },
      ],
    }
    const { imported, exported } = await throughStore(damaged, "anthropic")
    expect(imported.report.entries.map(({ rule }) => rule)).toEqual(["unanswered-call"])
    expect(imported.exact).toBe(false)
    expect(exported.value["model"]).toBe("m")
    expect(check(decode("anthropic", exported.value), { profile: "anthropic" })).toEqual([])
    expect(JSON.stringify(exported.value)).toContain("cache_control")
  })

  it("keep a call open that is still running", async () => {
    const running = {
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: [{ type: "tool_use", id: "a", name: "ls", input: {} }] },
      ],
    }
    const { imported } = await throughStore(running, "anthropic")
    expect(imported.report.entries).toEqual([])
    expect(imported.entries).toHaveLength(3)
  })
})

const corpus = process.env["LIGATURE_CORPUS"]

describe.skipIf(corpus === undefined)("real histories (LIGATURE_CORPUS)", () => {
  it("that are healthy requests come back equal", async () => {
    let tried = 0
    for (const folder of ["anthropic-messages", "openai-messages", "openai-responses", "sharegpt"]) {
      const path = join(corpus ?? "", folder)
      if (!existsSync(path)) continue
      for (const name of readdirSync(path, { recursive: true, encoding: "utf8" })
        .filter((each) => each.endsWith(".json"))
        .slice(0, 20)) {
        for (const part of openDocument(readFileSync(join(path, name))).parts.slice(0, 3)) {
          const codec = resolveCodec(part.format)
          if ("session" in codec || check(decode(part.format, part.value)).length > 0) continue
          tried++
          const { imported, exported } = await throughStore(part.value, part.format)
          if (imported.exact) expect(exported.list ?? exported.value).toEqual(part.value)
          else expect(imported.notKept, name).not.toEqual([])
        }
      }
    }
    expect(tried).toBeGreaterThan(0)
  }, 60_000)
})
