/**
 * Question: what does recording a stream cost beside joining its text? One call whose arguments are JSON in deltas of 12
 * characters, as parsed events; the other side takes the same deltas out of the same events and joins them.
 *
 *   node bench/record.mjs [dist]      compiled code to measure, default packages/ligature/dist
 *
 * `concatenate`: the deltas joined, and the joined text looked at once. `append`: the deltas appended to a text that
 * nobody looks at, which engines keep as a tree of its pieces; shown so that nobody takes it for the text. `record`:
 * every event pushed, with events for a screen, then end(), which also parses; `quiet`: the same without events for a
 * screen; `draft`: the same as `record`, with the message so far read after every hundredth event.
 */
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { fastest } from "./measure.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = resolve(process.argv[2] ?? join(root, "packages/ligature/dist"))
const { createRecorder } = await import(pathToFileURL(join(dist, "record/index.js")).href)

const sizes = [100_000, 1_000_000, 4_000_000]
const deltaLength = 12

const line = "0123456789 line of text\n"
const argumentsOf = (length) => JSON.stringify({ path: "a.txt", content: line.repeat(length / line.length) })

const deltasOf = (text) => {
  const deltas = []
  for (let start = 0; start < text.length; start += deltaLength) deltas.push(text.slice(start, start + deltaLength))
  return deltas
}

/** Through JSON, as events come: no string is shared with the text they were cut from. */
const parsed = (events) => events.map((event) => JSON.parse(JSON.stringify(event)))

const part = (functionCall) => ({ candidates: [{ content: { role: "model", parts: [{ functionCall }] } }] })
const chunk = (piece) => ({ choices: [{ index: 0, delta: { tool_calls: [piece] } }] })

const streams = {
  anthropic: {
    events: (deltas) => [
      { type: "message_start", message: { id: "m", model: "c" } },
      { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "write", input: {} } },
      ...deltas.map((partial_json) => ({
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json },
      })),
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
      { type: "message_stop" },
    ],
    deltaOf: (event) => event.delta?.partial_json ?? "",
  },
  "openai-chat": {
    events: (deltas) => [
      { choices: [{ index: 0, delta: { role: "assistant", content: null } }] },
      chunk({ index: 0, id: "c", function: { name: "write", arguments: "" } }),
      ...deltas.map((piece) => chunk({ index: 0, function: { arguments: piece } })),
      { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    ],
    deltaOf: (event) => event.choices[0].delta.tool_calls?.[0].function.arguments ?? "",
  },
  "openai-responses": {
    events: (deltas) => [
      { type: "response.created", response: { id: "r" } },
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { type: "function_call", id: "fc", call_id: "c", name: "write", arguments: "" },
      },
      ...deltas.map((delta) => ({ type: "response.function_call_arguments.delta", output_index: 0, delta })),
      { type: "response.completed", response: { status: "completed" } },
    ],
    deltaOf: (event) => event.delta ?? "",
  },
  "ai-sdk-model": {
    events: (deltas) => [
      { type: "stream-start", warnings: [] },
      { type: "tool-input-start", id: "t", toolName: "write" },
      ...deltas.map((delta) => ({ type: "tool-input-delta", id: "t", delta })),
      { type: "tool-input-end", id: "t" },
      { type: "tool-call", toolCallId: "t", toolName: "write", input: deltas.join("") },
      { type: "finish", finishReason: "tool-calls", usage: {} },
    ],
    deltaOf: (event) => event.delta ?? "",
  },
  /** Fields of the arguments come in pieces, not their JSON. A draft in between has to write the JSON anew, so that none is asked for. */
  gemini: {
    drafts: false,
    events: (deltas) => [
      part({ name: "write", willContinue: true }),
      ...deltas.map((stringValue) =>
        part({ partialArgs: [{ jsonPath: "$.content", stringValue, willContinue: true }], willContinue: true }),
      ),
      part({}),
      { candidates: [{ content: { parts: [] }, finishReason: "STOP" }] },
    ],
    deltaOf: (event) => event.candidates[0].content.parts[0]?.functionCall.partialArgs?.[0].stringValue ?? "",
  },
}

const record = (format, events, { draftEvery, telling }) => {
  const recorder = createRecorder(format, { events: telling })
  let told = 0
  for (let index = 0; index < events.length; index++) {
    told += recorder.push(events[index]).length
    if (draftEvery > 0 && index % draftEvery === 0) told += recorder.draft().blocks.length
  }
  const { message, complete } = recorder.end()
  if (!complete || message.blocks[0].fault !== undefined) throw new Error(`${format} was not recorded whole`)
  if (telling !== told > 0) throw new Error(`${format} told ${told} events`)
  return message
}

const append = (events, deltaOf) => {
  let text = ""
  for (const event of events) text += deltaOf(event)
  return text
}

/** What was seen of the joined texts. */
let seen = 0

/**
 * A rope is no text yet: looking at a character makes it one. What was seen is kept: an optimizer leaves out a look of
 * which nothing is kept (the one of Node 24 does), and the rope stays a rope.
 */
const concatenate = (events, deltaOf) => {
  let text = ""
  for (const event of events) text += deltaOf(event)
  seen += text.charCodeAt(text.length >> 1)
  return text
}

for (const [format, { events: render, deltaOf, drafts = true }] of Object.entries(streams)) {
  for (const size of sizes) {
    const events = parsed(render(deltasOf(argumentsOf(size))))
    const rounds = size > 1_000_000 ? 12 : 200
    const best = await fastest(
      {
        append: () => append(events, deltaOf),
        concatenate: () => concatenate(events, deltaOf),
        "concatenate + parse": () => JSON.parse(concatenate(events, deltaOf)),
        record: () => record(format, events, { draftEvery: 0, telling: true }),
        quiet: () => record(format, events, { draftEvery: 0, telling: false }),
        ...(drafts && { draft: () => record(format, events, { draftEvery: 100, telling: true }) }),
      },
      { size: 0, rounds },
    )
    const ratio = (name, to) => Number((best[name] / best[to]).toFixed(2))
    console.log(
      JSON.stringify({
        format,
        argumentBytes: size,
        deltas: events.length,
        milliseconds: Object.fromEntries(Object.entries(best).map(([name, time]) => [name, Number(time.toFixed(2))])),
        recordToConcatenation: ratio("record", "concatenate"),
        quietToConcatenation: ratio("quiet", "concatenate"),
        ...(drafts && { draftToConcatenation: ratio("draft", "concatenate") }),
        recordToConcatenationAndParse: ratio("record", "concatenate + parse"),
      }),
    )
  }
}
if (!(seen > 0)) throw new Error("Nothing was joined")
