/** Media that a provider refuses does not end a run, and a refusal of a block leads to the stored entry it came from. */
import { describe, expect, it } from "vitest"
import { recall } from "../../../src/compact/index.ts"
import { type LoopEvent, type Tool } from "../../../src/agent/index.ts"
import { toolContent } from "../../../src/agent/tools/tool.ts"
import { type MediaBlock, text } from "../../../src/model/index.ts"
import { memoryStore } from "../../../src/store/index.ts"
import type { FakeApi } from "../../../src/testing/index.ts"
import { png } from "../../rules/media/files.ts"
import { type Agent, apis, startAgent } from "./agent.ts"

const image = (data: string): MediaBlock => ({ type: "media", kind: "image", mediaType: "image/png", source: { type: "base64", data } })

const changesIn = (events: readonly LoopEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "request-start" ? (event.changes ?? []).map(({ rule }) => rule) : []))

const bodyOf = (agent: Agent, request: number): string => JSON.stringify(agent.provider.requests[request]?.body)

describe.each(apis)("a run with %s", (api) => {
  it("goes on after an image that nobody takes, and keeps it", async () => {
    const data = png(10, 10, 21_000_000)
    const agent = await startAgent(api, { script: [{ text: "Too large for me." }, { text: "Fine." }] })
    expect((await agent.run({ prompt: [text("look"), image(data)] })).text).toBe("Too large for me.")
    expect((await agent.run({ prompt: "go on" })).text).toBe("Fine.")
    expect(bodyOf(agent, 1)).toContain("not sent: ")
    expect(bodyOf(agent, 1).length).toBeLessThan(5000)
    expect(changesIn(agent.events)).toEqual(["media-limit", "media-limit"])
    expect(JSON.stringify((await agent.load()).entries)).toContain(data.slice(0, 10_000))
  })
})

it("tells the model by which handle it gets back what made room, and shows it again", async () => {
  const store = memoryStore()
  let shown = 0
  const look: Tool = { name: "look", run: () => toolContent(text(`picture ${shown}`), image(png(10 + shown++, 10))) }
  const tools = [look, recall.tool(store)]
  const agent = await startAgent("anthropic", {
    store,
    tools,
    script: ({ body }) => {
      if (shown <= 100) return { calls: [{ name: "look", arguments: { shown } }] }
      const handle = /, recall (#[\d.:]+)\]/.exec(JSON.stringify(body))?.[1]
      return JSON.stringify(body).includes('"recall","input"')
        ? { text: `read ${handle}` }
        : { calls: [{ name: "recall", arguments: { handle } }] }
    },
  })
  const result = await agent.run({ prompt: "look around", maxIterations: 200 })
  expect(result.text).toMatch(/^read #2\.1:2$/)
  const last = bodyOf(agent, agent.provider.requests.length - 1)
  expect(last.split(png(10, 10))).toHaveLength(2)
  expect(last).not.toContain(png(12, 10))
})

describe("a refusal that names a block", () => {
  const words = { first: "an old question", second: "the newest question" }

  /** One conversation with two prompts, an image each, and an image in a result; the third request is refused. */
  const refused = async (api: FakeApi, message: (body: Readonly<Record<string, unknown>>) => string) => {
    const look: Tool = { name: "look", run: () => toolContent(text("seen"), image(png(30, 30))) }
    const agent = await startAgent(api, {
      tools: [look],
      script: ({ body }) => {
        const said = JSON.stringify(body)
        if (said.includes(words.second)) return { error: { status: 400, message: message(body as Readonly<Record<string, unknown>>) } }
        return said.includes("seen") ? { text: "ok" } : { calls: [{ name: "look", arguments: {} }] }
      },
    })
    await agent.run({ prompt: [text(words.first), image(png(20, 20))], system: "be brief" })
    const { error } = await agent.run({ prompt: [text(words.second), image(png(40, 40))], system: "be brief" })
    const { entries } = await agent.load()
    const entry = entries.find(({ id }) => id === error?.entry)
    expect(error?.message).toContain(entry === undefined ? "" : `in the stored entry ${entry.id}`)
    return entry?.kind === "result" ? "result" : entry?.kind === "message" ? JSON.stringify(entry.message.blocks).slice(0, 200) : undefined
  }

  const isFirst = expect.stringContaining(words.first)
  const isSecond = expect.stringContaining(words.second)

  it("of a chat request leads to the stored entry", async () => {
    const long = "string too long. Expected a string with maximum length 10485760, but got a string with length 10624990 instead."
    const url = "Expected a base64-encoded data URL with an image MIME type (e.g. 'x'), but got empty base64-encoded bytes."
    expect(await refused("openai-chat", () => `Invalid 'messages[1].content[0].text': ${long}`)).toEqual(isFirst)
    expect(await refused("openai-chat", () => `Invalid 'messages[1].content[1].image_url'. ${url}`)).toEqual(isFirst)
    expect(await refused("openai-chat", () => `Invalid 'messages[3].content': ${long}`)).toBe("result")
    expect(await refused("openai-chat", () => `Invalid image URL: 'messages[4].content[1].image_url.url'. ${url}`)).toBe("result")
    expect(await refused("openai-chat", () => `Invalid 'messages[6].content[1].image_url'. ${url}`)).toEqual(isSecond)
    expect(await refused("openai-chat", () => "Something new about messages[6].content[0]")).toEqual(isSecond)
    expect(await refused("openai-chat", () => "Too many images in request. Max is 2.")).toEqual(isFirst)
  })

  it("of a Responses request leads to the stored entry", async () => {
    const at = (body: Readonly<Record<string, unknown>>, type: string): number =>
      (body["input"] as readonly { readonly type?: string }[]).findIndex((item) => item.type === type)
    const url = "Expected a base64-encoded data URL with an image MIME type (e.g. 'x'), but got empty base64-encoded bytes."
    expect(
      await refused("openai-responses", (body) => `Invalid 'input[${at(body, "function_call_output")}].output[1].image_url'. ${url}`),
    ).toBe("result")
    expect(
      await refused("openai-responses", (body) => `Something new about input[${at(body, "function_call_output") + 2}].content[1]`),
    ).toEqual(isSecond)
    expect(await refused("openai-responses", (body) => `Something new about 'input[${at(body, "function_call")}].arguments'`)).toContain(
      "look",
    )
  })

  it("of a Gemini request leads to the stored entry", async () => {
    const broken = (path: string) => () => `Invalid value at '${path}.inline_data.data' (TYPE_BYTES), Base64 decoding failed for "x"`
    expect(await refused("gemini", broken("contents[0].parts[1]"))).toEqual(isFirst)
    expect(await refused("gemini", () => "* GenerateContentRequest.contents[2].parts[0].function_response.response: new")).toBe("result")
  })

  it("of an Anthropic request leads to the stored entry", async () => {
    const data = "image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels"
    expect(await refused("anthropic", () => `messages.0.content.1.${data}`)).toEqual(isFirst)
    expect(await refused("anthropic", () => `messages.2.content.0.tool_result.content.1.${data}`)).toBe("result")
    expect(await refused("anthropic", () => `messages.4.content.1.${data}`)).toEqual(isSecond)
    expect(await refused("anthropic", () => "413 request_too_large")).toBeDefined()
  })
})
