import { describe, expect, it } from "vitest"
import { apis, calling, closeAfterEach, healthy, paths, post, start, streamed } from "./http-setup.ts"

closeAfterEach()

describe.each(apis)("the %s server", (api) => {
  it("answers a healthy request with a short text and keeps the request", async () => {
    const provider = await start({ api })
    const response = await post(provider, paths[api], healthy[api])
    expect(response.status).toBe(200)
    expect(JSON.stringify(await response.json())).toContain("All right.")
    expect(provider.requests.map(({ method, path, body, verdict }) => ({ method, path, body, verdict }))).toEqual([
      { method: "POST", path: paths[api], body: healthy[api], verdict: { ok: true } },
    ])
  })

  it("answers malformed JSON with 400 and an unknown path with 404", async () => {
    const provider = await start({ api })
    const malformed = await post(provider, paths[api], '{"messages":')
    const unknown = await post(provider, "/v1/nothing", healthy[api])
    const wrongMethod = await fetch(provider.url + paths[api])
    expect([malformed.status, unknown.status, wrongMethod.status]).toEqual([400, 404, 404])
    for (const response of [malformed, unknown, wrongMethod]) expect(await response.json()).toHaveProperty("error")
  })

  it("sends a scripted HTTP error", async () => {
    const provider = await start({ api, script: [{ error: { status: 503, message: "busy" } }] })
    const response = await post(provider, paths[api], healthy[api])
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: { message: "busy" } })
    expect((await post(provider, paths[api], healthy[api])).status).toBe(200)
  })

  it("asks a function for the reply", async () => {
    const provider = await start({ api, script: ({ path }) => ({ text: `seen ${path}` }) })
    const response = await post(provider, paths[api], healthy[api])
    expect(JSON.stringify(await response.json())).toContain(`seen ${paths[api]}`)
  })

  it("cuts a plain reply in the middle", async () => {
    const provider = await start({ api, script: [{ text: "x".repeat(100), cutAfterEvents: 0 }] })
    const response = await post(provider, paths[api], healthy[api])
    await expect(response.json()).rejects.toThrow()
  })

  it("cuts a stream after the wanted events", async () => {
    const provider = await start({ api, script: [{ ...calling, cutAfterEvents: 2, eventDelayMs: 5 }] })
    const path = api === "gemini" ? `${streamed}?alt=sse` : paths[api]
    const response = await post(provider, path, api === "gemini" ? healthy[api] : { ...healthy[api], stream: true })
    const reader = response.body?.getReader()
    let text = ""
    const read = async (): Promise<void> => {
      for (;;) {
        const piece = await reader?.read()
        if (piece?.value === undefined) return
        text += new TextDecoder().decode(piece.value)
      }
    }
    await expect(read()).rejects.toThrow()
    expect(text.split(/\r?\n\r?\n/).filter(Boolean).length).toBe(2)
  })

  it("waits as long as the script says", async () => {
    const provider = await start({ api, script: [{ text: "late", delayMs: 60 }] })
    const before = performance.now()
    await (await post(provider, paths[api], healthy[api])).json()
    expect(performance.now() - before).toBeGreaterThan(50)
  })

  it("refuses a body above its limit", async () => {
    const provider = await start({ api, limitBytes: 10 })
    expect((await post(provider, paths[api], healthy[api])).status).toBe(413)
  })
})

describe("violations over HTTP", () => {
  it("have Anthropic's error shape", async () => {
    const provider = await start({ api: "anthropic" })
    const response = await post(provider, paths.anthropic, { messages: [] })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: "messages: at least one message is required" },
    })
  })

  it("have OpenAI's error shape", async () => {
    const provider = await start({ api: "openai-chat" })
    const response = await post(provider, paths["openai-chat"], {
      messages: [
        { role: "user", content: "hi" },
        { role: "tool", tool_call_id: "a", content: "x" },
      ],
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: {
        message: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with " + "'tool_calls'.",
        type: "invalid_request_error",
        param: "messages.[1].role",
        code: null,
      },
    })
  })

  it("have the Responses API's error shape", async () => {
    const provider = await start({ api: "openai-responses" })
    const response = await post(provider, paths["openai-responses"], {
      input: [{ type: "function_call", call_id: "a", name: "ls", arguments: "{}" }],
    })
    expect(await response.json()).toEqual({
      error: {
        message: "No tool output found for function call a.",
        type: "invalid_request_error",
        param: "input",
        code: null,
      },
    })
  })

  it("have Gemini's error shape, by the model of the path", async () => {
    const provider = await start({ api: "gemini" })
    const body = {
      contents: [
        { role: "user", parts: [{ text: "hi" }] },
        { role: "model", parts: [{ functionCall: { name: "ls", args: {} } }] },
        { role: "user", parts: [{ functionResponse: { name: "ls", response: {} } }] },
      ],
    }
    expect((await post(provider, paths.gemini, body)).status).toBe(200)
    const refused = await post(provider, "/v1beta/models/gemini-3-pro:generateContent", body)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { code: 400, status: "INVALID_ARGUMENT" } })
  })
})

describe("what a server remembers", () => {
  it("takes back its own Responses items, and misses the reasoning of one that lost it", async () => {
    const provider = await start({ api: "openai-responses", script: [calling] })
    const first = (await (await post(provider, paths["openai-responses"], { input: "hi" })).json()) as {
      id: string
      output: { type: string; call_id?: string }[]
    }
    const outputs = first.output
      .filter((item) => item.type === "function_call")
      .map((item) => ({ type: "function_call_output", call_id: item.call_id, output: "ok" }))
    const whole = { input: [{ role: "user", content: "hi" }, ...first.output, ...outputs] }
    expect((await post(provider, paths["openai-responses"], whole)).status).toBe(200)
    await post(provider, paths["openai-responses"], { input: whole.input.filter((item) => !("summary" in item)) })
    expect(provider.requests.at(-1)?.verdict).toMatchObject({
      rule: "openai-responses-message-needs-reasoning",
      message: "Item 'msg_fake0001' of type 'message' was provided without its required 'reasoning' item: " + "'rs_fake0001'.",
    })
    const chained = await post(provider, paths["openai-responses"], { input: outputs, previous_response_id: first.id })
    expect(chained.status).toBe(200)
    await post(provider, paths["openai-responses"], { input: outputs, previous_response_id: "resp_1" })
    expect(provider.requests.at(-1)?.verdict).toMatchObject({
      rule: "openai-responses-previous-not-found",
      message: "Previous response with id 'resp_1' not found.",
    })
  })

  it("takes its own calls back in a tool loop", async () => {
    const provider = await start({ api: "openai-chat", script: [calling] })
    const ask = { role: "user", content: "hi" }
    const {
      choices: [choice],
    } = (await (await post(provider, paths["openai-chat"], { messages: [ask] })).json()) as {
      choices: [{ message: { tool_calls: { id: string }[] } }]
    }
    const tools = choice.message.tool_calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "ok" }))
    const again = await post(provider, paths["openai-chat"], { messages: [ask, choice.message, ...tools] })
    expect(again.status).toBe(200)
  })
})
