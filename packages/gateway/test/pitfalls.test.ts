/**
 * What real servers do in their streams, in every direction: each case is the stream of one provider, and every client gets
 * an answer that its own provider could have sent, with the same text, calls and reason.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { isExecutable } from "ligature/record"
import { user } from "ligature"
import { type FakeApi } from "ligature/testing"
import { isBroken, plain, requestOf, say } from "./client.ts"
import { apis, serve, upstreamTo } from "./serve.ts"

interface Pitfall {
  readonly name: string
  readonly stream: string
  /** Text, and calls with their arguments. */
  readonly blocks: readonly unknown[]
  /** Default: `calls` with calls, else `end`. */
  readonly stop?: string
  /** The stream is broken: no client may take it for whole. */
  readonly broken?: true
  readonly usage?: readonly [input: number, output: number]
}

const frames = (...events: readonly unknown[]): string =>
  events.map((each) => (typeof each === "string" ? each : `data: ${JSON.stringify(each)}\n\n`)).join("")

const chunk = (delta: object, more: object = {}) => ({
  id: "c",
  object: "chat.completion.chunk",
  model: "m",
  choices: [{ index: 0, delta, ...more }],
})
const begin = (index: number | undefined, id: string | undefined, name: string, given = "") =>
  chunk({
    tool_calls: [
      { ...(index !== undefined && { index }), ...(id !== undefined && { id }), type: "function", function: { name, arguments: given } },
    ],
  })
const more = (index: number, given: string) => chunk({ tool_calls: [{ index, function: { arguments: given } }] })
const finish = (reason: string) => chunk({}, { finish_reason: reason })
const done = "data: [DONE]\n\n"
const ls = { name: "ls", arguments: { path: "a" } }
const cat = { name: "cat", arguments: { path: "b" } }
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, prompt_tokens_details: { cached_tokens: 60 } }
const long = "x".repeat(64 << 10)

const chat: readonly Pitfall[] = [
  {
    name: "text",
    stream: frames(chunk({ role: "assistant", content: "" }), chunk({ content: "hi" }), finish("stop"), done),
    blocks: [{ text: "hi" }],
  },
  {
    name: "the first delta after a block changes",
    stream: frames(
      chunk({ reasoning_content: "hm" }),
      chunk({ content: "first" }),
      chunk({ content: " second" }),
      begin(0, "a", "ls", '{"pa'),
      more(0, 'th":"a"}'),
      finish("tool_calls"),
      done,
    ),
    blocks: [{ text: "first second" }, ls],
  },
  {
    name: "reasoning and text in one chunk",
    stream: frames(chunk({ reasoning_content: "hm", content: "hi" }), finish("stop"), done),
    blocks: [{ text: "hi" }],
  },
  { name: "a whole call in one chunk", stream: frames(begin(0, "a", "ls", '{"path":"a"}'), finish("tool_calls"), done), blocks: [ls] },
  {
    name: "two calls in one chunk",
    stream: frames(
      chunk({
        tool_calls: [
          { index: 0, id: "a", type: "function", function: { name: "ls", arguments: '{"path":"a"}' } },
          { index: 1, id: "b", type: "function", function: { name: "cat", arguments: '{"path":"b"}' } },
        ],
      }),
      finish("tool_calls"),
      done,
    ),
    blocks: [ls, cat],
  },
  {
    name: "two calls of the same index",
    stream: frames(begin(0, "a", "ls", '{"path":"a"}'), begin(0, "b", "cat", '{"path":"b"}'), finish("tool_calls"), done),
    blocks: [ls, cat],
  },
  {
    name: "calls without an index",
    stream: frames(begin(undefined, "a", "ls", '{"path":"a"}'), begin(undefined, "b", "cat", '{"path":"b"}'), finish("tool_calls"), done),
    blocks: [ls, cat],
  },
  { name: "a call without an id", stream: frames(begin(0, undefined, "ls", '{"path":"a"}'), finish("tool_calls"), done), blocks: [ls] },
  {
    name: "calls that interleave",
    stream: frames(
      begin(0, "a", "ls"),
      begin(1, "b", "cat"),
      more(0, '{"path"'),
      more(1, '{"pa'),
      more(0, ':"a"}'),
      more(1, 'th":"b"}'),
      finish("tool_calls"),
      done,
    ),
    blocks: [ls, cat],
  },
  {
    name: "stop as the reason though there are calls",
    stream: frames(begin(0, "a", "ls", '{"path":"a"}'), finish("stop"), done),
    blocks: [ls],
  },
  {
    name: "usage in a last chunk without choices",
    stream: frames(chunk({ content: "hi" }), finish("stop"), { id: "c", choices: [], usage }, done),
    blocks: [{ text: "hi" }],
    usage: [100, 20],
  },
  { name: "no end marker", stream: frames(chunk({ content: "hi" }), finish("stop")), blocks: [{ text: "hi" }] },
  {
    name: "tool_calls: [] beside text",
    stream: frames(chunk({ content: "hi", tool_calls: [] }), chunk({ content: "!", tool_calls: [] }), finish("stop"), done),
    blocks: [{ text: "hi!" }],
  },
  {
    name: "content: null and empty deltas",
    stream: frames(
      chunk({ role: "assistant", content: null }),
      chunk({ content: "" }),
      begin(0, "a", "ls", ""),
      more(0, ""),
      more(0, '{"path":"a"}'),
      chunk({ content: null }),
      finish("tool_calls"),
      done,
    ),
    blocks: [ls],
  },
  { name: "empty arguments", stream: frames(begin(0, "a", "ls"), finish("tool_calls"), done), blocks: [{ name: "ls", arguments: {} }] },
  {
    name: "CRLF and comments",
    stream: frames(": OPENROUTER PROCESSING\r\n\r\n", chunk({ content: "hi" }), ": ping\n\n", finish("stop"), done)
      .replaceAll("\n", "\r\n")
      .replaceAll("\r\r", "\r"),
    blocks: [{ text: "hi" }],
  },
  {
    name: "64 KB of arguments in deltas of 8 bytes",
    stream: frames(
      begin(0, "a", "ls", '{"path":"'),
      ...(long.match(/.{8}/g) ?? []).map((piece) => more(0, piece)),
      more(0, '"}'),
      finish("tool_calls"),
      done,
    ),
    blocks: [{ name: "ls", arguments: { path: long } }],
  },
  {
    name: "a hundred parallel calls",
    stream: frames(...Array.from({ length: 100 }, (_, at) => begin(at, `id${at}`, "ls", `{"path":"${at}"}`)), finish("tool_calls"), done),
    blocks: Array.from({ length: 100 }, (_, at) => ({ name: "ls", arguments: { path: String(at) } })),
  },
  {
    name: "text after calls",
    stream: frames(chunk({ content: "one" }), begin(0, "a", "ls", '{"path":"a"}'), chunk({ content: "two" }), finish("tool_calls"), done),
    blocks: [{ text: "one" }, ls, { text: "two" }],
  },
  {
    name: "a refusal",
    stream: frames(chunk({ refusal: "I cannot." }), finish("content_filter"), done),
    blocks: [{ text: "I cannot." }],
    stop: "refused",
  },
  {
    name: "the limit on length",
    stream: frames(chunk({ content: "half" }), finish("length"), done),
    blocks: [{ text: "half" }],
    stop: "length",
  },
  {
    name: "an error object in the middle",
    stream: frames(chunk({ content: "hi" }), { error: { message: "Overloaded", code: 529 } }),
    blocks: [],
    broken: true,
  },
  { name: "a cut inside a call", stream: frames(begin(0, "a", "ls", '{"pa')), blocks: [], broken: true },
  {
    name: "a cut after a whole call",
    stream: frames(begin(0, "a", "ls", '{"path":"a"}'), begin(1, "b", "cat", '{"pa')),
    blocks: [],
    broken: true,
  },
  { name: "nothing at all", stream: "", blocks: [], broken: true },
]

const event = (type: string, rest: object = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
const start = event("message_start", {
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [],
    model: "m",
    stop_reason: null,
    usage: { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 1 },
  },
})
const block = (index: number, type: object) => event("content_block_start", { index, content_block: type })
const delta = (index: number, each: object) => event("content_block_delta", { index, delta: each })
const stop = (index: number) => event("content_block_stop", { index })
const end = (reason: string) =>
  event("message_delta", { delta: { stop_reason: reason }, usage: { output_tokens: 20 } }) + event("message_stop")
const toolUse = (index: number, id: string, name: string, ...pieces: readonly string[]) =>
  block(index, { type: "tool_use", id, name, input: {} }) +
  pieces.map((each) => delta(index, { type: "input_json_delta", partial_json: each })).join("") +
  stop(index)
const saying = (index: number, ...texts: readonly string[]) =>
  block(index, { type: "text", text: "" }) + texts.map((each) => delta(index, { type: "text_delta", text: each })).join("") + stop(index)

const anthropic: readonly Pitfall[] = [
  {
    name: "text after calls",
    stream: start + saying(0, "one") + toolUse(1, "a", "ls", '{"path":"a"}') + saying(2, "two") + end("tool_use"),
    blocks: [{ text: "one" }, ls, { text: "two" }],
  },
  { name: "a call without deltas", stream: start + toolUse(0, "a", "ls") + end("tool_use"), blocks: [{ name: "ls", arguments: {} }] },
  { name: "empty deltas", stream: start + toolUse(0, "a", "ls", "", '{"path":', "", '"a"}') + end("tool_use"), blocks: [ls] },
  {
    name: "a whole call at its start",
    stream: start + block(0, { type: "tool_use", id: "a", name: "ls", input: { path: "a" } }) + stop(0) + end("tool_use"),
    blocks: [ls],
  },
  {
    name: "64 KB of arguments in deltas of 8 bytes",
    stream: start + toolUse(0, "a", "ls", '{"path":"', ...(long.match(/.{8}/g) ?? []), '"}') + end("tool_use"),
    blocks: [{ name: "ls", arguments: { path: long } }],
  },
  {
    name: "a hundred parallel calls",
    stream: start + Array.from({ length: 100 }, (_, at) => toolUse(at, `id${at}`, "ls", `{"path":"${at}"}`)).join("") + end("tool_use"),
    blocks: Array.from({ length: 100 }, (_, at) => ({ name: "ls", arguments: { path: String(at) } })),
  },
  {
    name: "pings, and events nobody knows",
    stream: start + event("ping") + event("new_thing", { x: 1 }) + saying(0, "hi") + event("ping") + end("end_turn"),
    blocks: [{ text: "hi" }],
    usage: [100, 20],
  },
  {
    name: "thinking with a signature and redacted thinking",
    stream:
      start +
      block(0, { type: "thinking", thinking: "", signature: "" }) +
      delta(0, { type: "thinking_delta", thinking: "hm" }) +
      delta(0, { type: "signature_delta", signature: "sig" }) +
      stop(0) +
      block(1, { type: "redacted_thinking", data: "xyz" }) +
      stop(1) +
      toolUse(2, "a", "ls", '{"path":"a"}') +
      end("tool_use"),
    blocks: [ls],
  },
  {
    name: "usage that begins with zeros",
    stream:
      start.replace('"input_tokens":40', '"input_tokens":0').replace('"cache_read_input_tokens":60', '"cache_read_input_tokens":0') +
      saying(0, "hi") +
      event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { input_tokens: 100, output_tokens: 20 } }) +
      event("message_stop"),
    blocks: [{ text: "hi" }],
    usage: [100, 20],
  },
  { name: "a stop word", stream: start + saying(0, "hi") + end("stop_sequence"), blocks: [{ text: "hi" }] },
  { name: "a refusal", stream: start + saying(0, "no") + end("refusal"), blocks: [{ text: "no" }], stop: "refused" },
  {
    name: "an error event in the middle of a call",
    stream:
      start +
      block(0, { type: "tool_use", id: "a", name: "ls", input: {} }) +
      delta(0, { type: "input_json_delta", partial_json: '{"pa' }) +
      event("error", { error: { type: "overloaded_error", message: "Overloaded" } }),
    blocks: [],
    broken: true,
  },
  {
    name: "an error event in the middle of a text",
    stream:
      start +
      block(0, { type: "text", text: "" }) +
      delta(0, { type: "text_delta", text: "hi" }) +
      event("error", { error: { type: "overloaded_error", message: "Overloaded" } }),
    blocks: [],
    broken: true,
  },
  { name: "nothing at all", stream: "", blocks: [], broken: true },
  {
    name: "a cut after a whole call",
    stream: start + toolUse(0, "a", "ls", '{"path":"a"}') + block(1, { type: "tool_use", id: "b", name: "cat", input: {} }),
    blocks: [],
    broken: true,
  },
]

const item = (index: number, each: object) => ({ type: "response.output_item.done", output_index: index, item: each })
const added = (index: number, each: object) => ({ type: "response.output_item.added", output_index: index, item: each })
const callItem = (id: string, name: string, given: string) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: given,
  status: "completed",
})
const messageItem = (text: string) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
})
const created = { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } }
const completed = (output: readonly object[], rest: object = {}) => ({
  type: "response.completed",
  response: {
    id: "resp_1",
    status: "completed",
    output,
    usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 60 }, output_tokens: 20 },
    ...rest,
  },
})
const argue = (index: number, id: string, piece: string) => ({
  type: "response.function_call_arguments.delta",
  output_index: index,
  item_id: `fc_${id}`,
  delta: piece,
})
const one = callItem("a", "ls", '{"path":"a"}')
const two = callItem("b", "cat", '{"path":"b"}')

const responses: readonly Pitfall[] = [
  {
    name: "64 KB of arguments in deltas of 8 bytes",
    stream: frames(
      created,
      added(0, callItem("a", "ls", "")),
      argue(0, "a", '{"path":"'),
      ...(long.match(/.{8}/g) ?? []).map((piece) => argue(0, "a", piece)),
      argue(0, "a", '"}'),
      item(0, callItem("a", "ls", `{"path":"${long}"}`)),
      completed([callItem("a", "ls", `{"path":"${long}"}`)]),
    ),
    blocks: [{ name: "ls", arguments: { path: long } }],
  },
  {
    name: "a hundred parallel calls",
    stream: frames(
      created,
      ...Array.from({ length: 100 }, (_, at) => callItem(`id${at}`, "ls", `{"path":"${at}"}`)).flatMap((each, at) => [
        added(at, { ...each, arguments: "" }),
        argue(at, `id${at}`, each.arguments),
        item(at, each),
      ]),
      completed([]),
    ),
    blocks: Array.from({ length: 100 }, (_, at) => ({ name: "ls", arguments: { path: String(at) } })),
  },
  {
    name: "text after calls",
    stream: frames(
      created,
      added(0, { ...one, arguments: "" }),
      argue(0, "a", one.arguments),
      item(0, one),
      added(1, { ...messageItem(""), content: [] }),
      { type: "response.output_text.delta", output_index: 1, content_index: 0, item_id: "msg_1", delta: "two" },
      item(1, messageItem("two")),
      completed([one, messageItem("two")]),
    ),
    blocks: [ls, { text: "two" }],
  },
  {
    name: "an error event in the middle",
    stream: frames(created, added(0, { ...one, arguments: "" }), argue(0, "a", '{"pa'), {
      type: "error",
      code: "server_error",
      message: "Overloaded",
    }),
    blocks: [],
    broken: true,
  },
  { name: "nothing at all", stream: "", blocks: [], broken: true },
  {
    name: "items that are repeated at the end",
    stream: frames(
      created,
      added(0, { ...messageItem(""), content: [] }),
      { type: "response.output_text.delta", output_index: 0, content_index: 0, item_id: "msg_1", delta: "hi" },
      item(0, messageItem("hi")),
      completed([messageItem("hi")]),
    ),
    blocks: [{ text: "hi" }],
    usage: [100, 20],
  },
  {
    name: "a call without deltas",
    stream: frames(
      created,
      added(0, { ...one, arguments: "" }),
      { type: "response.function_call_arguments.done", output_index: 0, item_id: "fc_a", arguments: '{"path":"a"}' },
      item(0, one),
      completed([one]),
    ),
    blocks: [ls],
  },
  {
    name: "calls that interleave",
    stream: frames(
      created,
      added(0, { ...one, arguments: "" }),
      added(1, { ...two, arguments: "" }),
      argue(0, "a", '{"path"'),
      argue(1, "b", '{"path":"b"}'),
      argue(0, "a", ':"a"}'),
      item(1, two),
      item(0, one),
      completed([one, two]),
    ),
    blocks: [ls, cat],
  },
  {
    name: "obfuscation and events nobody knows",
    stream: frames(
      created,
      { type: "response.new.thing" },
      added(0, { ...messageItem(""), content: [] }),
      { type: "response.output_text.delta", output_index: 0, content_index: 0, item_id: "msg_1", delta: "hi", obfuscation: "abc" },
      item(0, messageItem("hi")),
      completed([messageItem("hi")]),
    ),
    blocks: [{ text: "hi" }],
  },
  {
    name: "items that were never begun",
    stream: frames(created, item(0, messageItem("hi")), item(1, one), completed([messageItem("hi"), one])),
    blocks: [{ text: "hi" }, ls],
  },
  {
    name: "the limit on length",
    stream: frames(created, item(0, messageItem("half")), {
      ...completed([messageItem("half")], { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
      type: "response.incomplete",
    }),
    blocks: [{ text: "half" }],
    stop: "length",
  },
  {
    name: "a failure",
    stream: frames(created, {
      type: "response.failed",
      response: { id: "resp_1", status: "failed", output: [], error: { code: "server_error", message: "Overloaded" } },
    }),
    blocks: [],
    broken: true,
  },
  {
    name: "a cut inside a call",
    stream: frames(created, added(0, { ...one, arguments: "" }), argue(0, "a", '{"path"')),
    blocks: [],
    broken: true,
  },
  {
    name: "a cut after a whole call",
    stream: frames(created, added(0, { ...one, arguments: "" }), argue(0, "a", one.arguments), item(0, one)),
    blocks: [],
    broken: true,
  },
]

const part = (parts: readonly object[], rest: object = {}) => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...rest }],
  usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 60, candidatesTokenCount: 15, thoughtsTokenCount: 5 },
})

const gemini: readonly Pitfall[] = [
  {
    name: "a call of 64 KB",
    stream: frames(part([{ functionCall: { name: "ls", args: { path: long } } }], { finishReason: "STOP" })),
    blocks: [{ name: "ls", arguments: { path: long } }],
  },
  {
    name: "a hundred parallel calls",
    stream: frames(
      ...Array.from({ length: 100 }, (_, at) => part([{ functionCall: { name: "ls", args: { path: String(at) } } }])),
      part([], { finishReason: "STOP" }),
    ),
    blocks: Array.from({ length: 100 }, (_, at) => ({ name: "ls", arguments: { path: String(at) } })),
  },
  {
    name: "text after calls",
    stream: frames(
      part([{ text: "one" }]),
      part([{ functionCall: { name: "ls", args: { path: "a" } } }]),
      part([{ text: "two" }], { finishReason: "STOP" }),
    ),
    blocks: [{ text: "one" }, ls, { text: "two" }],
  },
  {
    name: "an error object in the middle",
    stream: frames(part([{ text: "hi" }]), { error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } }),
    blocks: [],
    broken: true,
  },
  { name: "nothing at all", stream: "", blocks: [], broken: true },
  {
    name: "a whole call, and stop as the reason",
    stream: frames(part([{ functionCall: { name: "ls", args: { path: "a" } } }]), part([], { finishReason: "STOP" })),
    blocks: [ls],
    usage: [100, 20],
  },
  {
    name: "two calls in one chunk of which one is signed",
    stream: frames(
      part(
        [
          { functionCall: { name: "ls", args: { path: "a" } }, thoughtSignature: "c2ln" },
          { functionCall: { name: "cat", args: { path: "b" } } },
        ],
        { finishReason: "STOP" },
      ),
    ),
    blocks: [ls, cat],
  },
  {
    name: "thought and text, then a signature alone",
    stream: frames(
      part([{ text: "hm", thought: true }]),
      part([{ text: "hi" }]),
      part([{ text: "", thoughtSignature: "c2ln" }], { finishReason: "STOP" }),
    ),
    blocks: [{ text: "hi" }],
  },
  {
    name: "a call without arguments",
    stream: frames(part([{ functionCall: { name: "ls" } }], { finishReason: "STOP" })),
    blocks: [{ name: "ls", arguments: {} }],
  },
  {
    name: "the limit on length",
    stream: frames(part([{ text: "half" }], { finishReason: "MAX_TOKENS" })),
    blocks: [{ text: "half" }],
    stop: "length",
  },
  { name: "a refusal", stream: frames(part([{ text: "no" }], { finishReason: "SAFETY" })), blocks: [{ text: "no" }], stop: "refused" },
  {
    name: "a blocked prompt",
    stream: frames({ promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 5 } }),
    blocks: [],
    stop: "refused",
  },
  {
    name: "a malformed call",
    stream: frames(part([{ text: "hi" }], { finishReason: "MALFORMED_FUNCTION_CALL" })),
    blocks: [],
    broken: true,
  },
  { name: "a cut without a reason", stream: frames(part([{ text: "hi" }])), blocks: [], broken: true },
]

const pitfalls: Readonly<Record<FakeApi, readonly Pitfall[]>> = { anthropic, "openai-chat": chat, "openai-responses": responses, gemini }

const provider = async (stream: string) => {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { "content-type": "text/event-stream" }).end(stream)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const joined = (blocks: readonly unknown[]): string =>
  blocks
    .map((each) => (each as { readonly text?: string }).text ?? "")
    .join("")
    .replace(/\n/g, "")
const calls = (blocks: readonly unknown[]): readonly unknown[] => blocks.filter((each) => Object.hasOwn(each as object, "name"))

describe.each(apis.flatMap((upstream) => pitfalls[upstream].map((pitfall) => [upstream, pitfall.name, pitfall] as const)))(
  "a provider of %s that sends %s",
  (upstream, _name, pitfall) => {
    it.each(apis.filter((each) => each !== upstream))("is understood by a client of %s", async (client) => {
      const gateway = await serve(upstreamTo(upstream, await provider(pitfall.stream)))
      const said = await say(gateway.url, client, requestOf(client, [user("list")], true), true)
      const { recorded, objections, answer } = said
      const blocks = plain(said.blocks)
      if (pitfall.broken) {
        expect([recorded.complete, isBroken(client, said) || recorded.error !== undefined]).toEqual([false, true])
        for (const each of said.blocks)
          if (each.type === "call" && isExecutable(each)) expect([ls, cat]).toContainEqual({ name: each.name, arguments: each.arguments })
        return
      }
      expect([answer.broken, recorded.complete, objections]).toEqual([false, true, []])
      expect(calls(blocks)).toEqual(calls(pitfall.blocks))
      expect(joined(blocks)).toBe(joined(pitfall.blocks))
      expect(recorded.stop).toBe(pitfall.stop ?? (calls(pitfall.blocks).length > 0 ? "calls" : "end"))
      const ids = said.blocks.flatMap((each) => (each.type === "call" ? [each.id] : []))
      expect([new Set(ids).size, ids.includes("")]).toEqual([ids.length, client === "gemini" ? ids.includes("") : false])
      if (pitfall.usage) expect([recorded.usage?.inputTokens, recorded.usage?.outputTokens]).toEqual(pitfall.usage)
    })
  },
)
