import { describe, expect, it } from "vitest"
import { apis, calling, closeAfterEach, events, healthy, paths, post, start, streamed } from "./http-setup.ts"

closeAfterEach()

describe("streamed replies", () => {
  it("follow Anthropic's sequence", async () => {
    const provider = await start({ api: "anthropic", script: [calling] })
    const response = await post(provider, paths.anthropic, { ...healthy.anthropic, stream: true })
    const { names, values } = await events(response)
    const block = (deltas: number): string[] => [
      "content_block_start",
      ...Array<string>(deltas).fill("content_block_delta"),
      "content_block_stop",
    ]
    expect(names).toEqual(["message_start", "ping", ...block(4), ...block(3), ...block(4), ...block(0), "message_delta", "message_stop"])
    const json = (value: unknown): string => (value as { delta?: { partial_json?: string } }).delta?.partial_json ?? ""
    expect(values.map(json).join("")).toBe('{"path":"."}')
    expect(values.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } })
  })

  it("follow the chat sequence", async () => {
    const provider = await start({ api: "openai-chat", script: [calling] })
    const body = { ...healthy["openai-chat"], stream: true, stream_options: { include_usage: true } }
    const { values } = await events(await post(provider, paths["openai-chat"], body))
    type Chunk = { choices: { delta: { content?: string; tool_calls?: { index: number; id?: string }[] } }[] }
    const deltas = (values.slice(0, -1) as Chunk[]).flatMap((chunk) => chunk.choices).map((choice) => choice.delta)
    expect(deltas.map((delta) => delta.content ?? "").join("")).toBe("Looking.")
    expect(deltas.flatMap((delta) => delta.tool_calls ?? []).filter((call) => call.id !== undefined)).toMatchObject([
      { index: 0, id: "call_fake00010001", function: { name: "ls", arguments: "" } },
      { index: 1, id: "call_fake00010002", function: { name: "pwd", arguments: "" } },
    ])
    expect(values.at(-3)).toMatchObject({ choices: [{ finish_reason: "tool_calls" }] })
    expect(values.at(-2)).toMatchObject({ choices: [], usage: { total_tokens: 30 } })
    expect(values.at(-1)).toBe("[DONE]")
  })

  it("follow the Responses sequence, and the completed response equals the plain one", async () => {
    const provider = await start({ api: "openai-responses", script: () => calling })
    const { names, values } = await events(
      await post(provider, paths["openai-responses"], { ...healthy["openai-responses"], stream: true }),
    )
    expect(names.slice(0, 3)).toEqual(["response.created", "response.in_progress", "response.output_item.added"])
    expect(names.filter((name) => name === "response.output_item.done").length).toBe(4)
    expect(names.at(-1)).toBe("response.completed")
    const numbers = values.map((value) => (value as { sequence_number: number }).sequence_number)
    expect(numbers).toEqual(values.map((_, index) => index))
    const { response } = values.at(-1) as { response: { output: { type: string }[] } }
    expect(response.output.map((item) => item.type)).toEqual(["reasoning", "message", "function_call", "function_call"])
    const plain = await (await post(provider, paths["openai-responses"], healthy["openai-responses"])).json()
    expect(JSON.stringify(plain).replaceAll("fake0002", "fake0001")).toBe(JSON.stringify(response))
  })

  it("follow Gemini's sequence, as events and as an array", async () => {
    const provider = await start({ api: "gemini", script: () => calling })
    const { values } = await events(await post(provider, `${streamed}?alt=sse`, healthy.gemini))
    const array = (await (await post(provider, streamed, healthy.gemini)).json()) as unknown[]
    expect(array.length).toBe(values.length)
    expect(values.at(-1)).toMatchObject({
      candidates: [
        {
          finishReason: "STOP",
          content: {
            parts: [{ functionCall: { name: "ls" }, thoughtSignature: "c2lnbmF0dXJl0001" }, { functionCall: { name: "pwd" } }],
          },
        },
      ],
    })
    expect(values[0]).toMatchObject({
      candidates: [{ content: { parts: [{ text: "I should look", thought: true }] } }],
    })
  })

  it.each(apis)("end with an error inside the stream of %s", async (api) => {
    const streamError = { message: "Overloaded", afterEvents: 2 }
    const provider = await start({ api, script: [{ ...calling, streamError }] })
    const path = api === "gemini" ? `${streamed}?alt=sse` : paths[api]
    const response = await post(provider, path, api === "gemini" ? healthy[api] : { ...healthy[api], stream: true })
    const { values } = await events(response)
    expect(response.status).toBe(200)
    expect(values.length).toBe(3)
    expect(JSON.stringify(values.at(-1))).toContain("Overloaded")
  })
})
