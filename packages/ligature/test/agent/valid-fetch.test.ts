/** Real requests to strict fake providers, through a fetch that keeps histories valid. */
import { describe, expect, it, onTestFinished } from "vitest"
import { endpointOf } from "../../src/agent/request/model.ts"
import { type RepairedRequest, validFetch } from "../../src/agent/valid-fetch.ts"
import { type FakeProvider, startFakeProvider } from "../../src/testing/index.ts"
import { jpeg, png } from "../rules/media/files.ts"

const provider = async (api: "anthropic" | "openai-chat" | "openai-responses" | "gemini"): Promise<FakeProvider> => {
  const started = await startFakeProvider({ api, script: [{ text: "Fine." }, { text: "Again." }] })
  onTestFinished(() => started.close())
  return started
}

const damagedAnthropic = {
  model: "claude-sonnet-4-5",
  max_tokens: 100,
  messages: [
    { role: "user", content: "Run the tests." },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_01", name: "bash", input: {} }] },
    { role: "user", content: "Are you still there?" },
  ],
}

const damagedChat = {
  model: "gpt-5",
  messages: [
    { role: "user", content: "Run the tests." },
    { role: "tool", tool_call_id: "call_gone", content: "a result nobody asked for" },
    { role: "user", content: "Well?" },
  ],
}

const post = { method: "POST", headers: { "content-type": "application/json" } } as const

describe("validFetch", () => {
  it("lets a provider take a history it refuses without it, and hands out the report", async () => {
    const fake = await provider("anthropic")
    const url = `${fake.url}/v1/messages`
    const body = JSON.stringify(damagedAnthropic)
    expect((await fetch(url, { ...post, body })).status).toBe(400)
    const repairs: RepairedRequest[] = []
    const safe = validFetch(fetch, { onRepair: (repaired) => repairs.push(repaired) })
    expect((await safe(url, { ...post, body })).status).toBe(200)
    expect(repairs.map(({ profile, report }) => [profile, report.entries.map(({ rule }) => rule)])).toEqual([
      ["anthropic", ["unanswered-call"]],
    ])
  })

  it("lets a session go on that an image has locked", async () => {
    const image = (data: string, type = "image/png") => ({ type: "image", source: { type: "base64", media_type: type, data } })
    const content = [{ type: "text", text: "See?" }, image(png(9000, 10)), image(jpeg()), image("[lost]"), image(png())]
    const fake = await provider("anthropic")
    const url = `${fake.url}/v1/messages`
    const body = JSON.stringify({ ...damagedAnthropic, messages: [{ role: "user", content }] })
    expect((await fetch(url, { ...post, body })).status).toBe(400)
    const repairs: RepairedRequest[] = []
    const safe = validFetch(fetch, { onRepair: (repaired) => repairs.push(repaired) })
    expect((await safe(url, { ...post, body })).status).toBe(200)
    expect(repairs.flatMap(({ report }) => report.entries.map(({ rule, kind }) => [rule, kind]))).toEqual([
      ["media-limit", "demote"],
      ["media-type", "safe"],
      ["media-data", "demote"],
    ])
  })

  it("works with every shape in which a body may come", async () => {
    const fake = await provider("openai-chat")
    const url = `${fake.url}/v1/chat/completions`
    const body = JSON.stringify(damagedChat)
    const safe = validFetch()
    expect((await safe(new URL(url), { ...post, body: new TextEncoder().encode(body) })).status).toBe(200)
    expect((await safe(new Request(url, { ...post, body }))).status).toBe(200)
  })

  it("sends a healthy request with the very bytes it came with", async () => {
    const sent: unknown[] = []
    const spy: typeof fetch = async (_, init) => {
      sent.push(init?.body)
      return new Response("{}")
    }
    const body = ' {"model": "m",\n "messages": [{"role":"user","content":"Hi", "x":1.50}] }'
    await validFetch(spy)("https://api.openai.com/v1/chat/completions", { ...post, body: body.replace(', "x":1.50', "") })
    expect(sent).toEqual([body.replace(', "x":1.50', "")])
  })

  it("leaves everything else alone", async () => {
    const seen: unknown[][] = []
    const spy: typeof fetch = async (...parameters) => {
      seen.push(parameters)
      return new Response("{}")
    }
    const safe = validFetch(spy)
    const calls: Parameters<typeof fetch>[] = [
      ["https://api.openai.com/v1/models"],
      ["https://api.openai.com/v1/chat/completions", { ...post, body: "no JSON" }],
      ["https://api.openai.com/v1/files", { ...post, body: JSON.stringify(damagedChat) }],
      ["relative/chat/completions", { ...post, body: JSON.stringify(damagedChat) }],
    ]
    for (const call of calls) await safe(...call)
    expect(seen).toEqual(calls.map((call) => (call.length === 1 ? [call[0], undefined] : call)))
  })

  it("takes outputs for calls of an earlier response as they are", async () => {
    const sent: unknown[] = []
    const spy: typeof fetch = async (_, init) => {
      sent.push(init?.body)
      return new Response("{}")
    }
    const body = JSON.stringify({
      model: "gpt-5",
      previous_response_id: "resp_1",
      input: [{ type: "function_call_output", call_id: "call_1", output: "ok" }],
    })
    await validFetch(spy)("https://api.openai.com/v1/responses", { ...post, body })
    expect(sent).toEqual([body])
  })
})

describe("endpointOf", () => {
  it("knows formats by paths and demands by hosts", () => {
    const profileOf = (url: string): string | undefined => endpointOf(url)?.profile
    expect(profileOf("https://api.mistral.ai/v1/chat/completions")).toBe("mistral")
    expect(profileOf("https://me.openai.azure.com/openai/deployments/x/chat/completions?api-version=1")).toBe("azure")
    expect(profileOf("https://generativelanguage.googleapis.com/v1beta/models/g:streamGenerateContent?alt=sse")).toBe("gemini")
    expect(profileOf("https://bedrock.us-east-1.amazonaws.com/model/anthropic.claude-3/converse")).toBe("bedrock-claude")
    expect(profileOf("https://bedrock.us-east-1.amazonaws.com/model/amazon.nova%3A0/converse-stream")).toBe("bedrock")
    expect(profileOf("http://127.0.0.1:1/v1/messages")).toBe("anthropic")
    expect(profileOf("https://api.anthropic.com/v1/messages/count_tokens")).toBeUndefined()
    expect(profileOf("not an address")).toBeUndefined()
  })

  it("has nothing to say about an address whose % encodes nothing", async () => {
    const address = "http://127.0.0.1:1/%zz/v1/messages"
    expect(endpointOf(address)).toBeUndefined()
    const answer = new Response("{}")
    expect(await validFetch(async () => answer)(address, { method: "POST", body: "{}" })).toBe(answer)
  })
})
