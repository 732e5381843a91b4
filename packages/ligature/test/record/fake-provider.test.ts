/**
 * Recording over a real connection: the fake providers stream an answer, cut it or fail in the middle of it; what was
 * recorded goes into the next request, which the provider judges.
 */
import { afterEach, describe, expect, it } from "vitest"
import { encode } from "../../src/convert/index.ts"
import { settle } from "../../src/rules/index.ts"
import { type Message, user } from "../../src/model/index.ts"
import { createRecorder, Iteration, type Recorded, streamText, type StreamSyntax } from "../../src/record/index.ts"
import { type FakeApi, type FakeProvider, type ScriptedReply, startFakeProvider } from "../../src/testing/index.ts"

type Api = readonly [name: string, api: FakeApi, path: string, body: object, syntax: StreamSyntax]

const geminiPath = "/v1beta/models/gemini-2.5-pro:streamGenerateContent"

const apis: readonly Api[] = [
  ["anthropic", "anthropic", "/v1/messages", { model: "claude-opus-4-6", max_tokens: 100, stream: true }, "event-stream"],
  ["openai-chat", "openai-chat", "/v1/chat/completions", { model: "gpt-5", stream: true }, "event-stream"],
  ["openai-responses", "openai-responses", "/v1/responses", { model: "gpt-4.1", stream: true }, "event-stream"],
  ["gemini", "gemini", `${geminiPath}?alt=sse`, {}, "event-stream"],
  ["gemini without server-sent events", "gemini", geminiPath, {}, "json-array"],
]

const call = { name: "read_file", arguments: { path: "a.txt" } }
const scripted: ScriptedReply = { text: "Let me look: 看 🎉", calls: [call, { ...call, arguments: { path: "b.txt" } }] }

let provider: FakeProvider | undefined

afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const recordReply = async ([, api, path, body, syntax]: Api, messages: readonly Message[]): Promise<Recorded> => {
  const { conversation } = settle({ format: api, messages })
  const { value: request } = encode(conversation, api)
  const response = await fetch(`${provider?.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...request, ...body }),
  })
  expect([response.status, response.ok ? "" : await response.text()]).toEqual([200, ""])
  const recorder = createRecorder(api)
  const text = streamText(syntax)
  const decoder = new TextDecoder()
  try {
    for await (const bytes of response.body ?? []) {
      for (const event of text.push(decoder.decode(bytes, { stream: true }))) recorder.push(event)
    }
    for (const event of text.end()) recorder.push(event)
    return recorder.end()
  } catch {
    return recorder.end("error")
  }
}

describe.each(apis)("%s over HTTP", (...each) => {
  const [, api] = each
  it("records an answer, runs its calls, and the next request is accepted", async () => {
    provider = await startFakeProvider({ api, script: [scripted, { text: "Done." }] })
    const recorded = await recordReply(each, [user("go")])
    expect([recorded.complete, recorded.stop, recorded.problems]).toEqual([true, "calls", []])
    const iteration = new Iteration(recorded.message, { ...(recorded.ids && { ids: recorded.ids }) })
    for (const { id, arguments: output } of iteration.executable.toReversed()) iteration.land(id, { kind: "done", output })
    const next = await recordReply(each, [user("go"), ...iteration.commit().messages])
    expect([next.stop, next.message.blocks.map((block) => block.type === "text" && block.text)]).toEqual(["end", ["Done."]])
  })

  it("cut by the connection or failed by the provider, what was recorded can be sent on", async () => {
    const failures: readonly ScriptedReply[] = [
      { ...scripted, cutAfterEvents: 3 },
      { ...scripted, streamError: { message: "overloaded", afterEvents: 3 } },
    ]
    for (const failure of failures) {
      provider = await startFakeProvider({ api, script: [failure, { text: "Done." }] })
      const recorded = await recordReply(each, [user("go")])
      expect([recorded.complete, recorded.stop]).toEqual([false, "failed"])
      const iteration = new Iteration(recorded.message, { ...(recorded.ids && { ids: recorded.ids }) })
      const { messages } = iteration.commit({ rest: "not-run" })
      const next = await recordReply(each, [user("go"), ...messages, user("again")])
      expect(next.stop).toBe("end")
      await provider.close()
      provider = undefined
    }
  })
})
