/** Somebody who shows a message while it grows looks at it after every piece: what has come must not be parsed each time. */
import { afterEach, expect, it, vi } from "vitest"
import { createRecorder } from "../../src/record/index.ts"

const part = (delta: string): unknown => ({
  choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: delta } }] } }],
})

const streams = {
  anthropic: {
    start: [{ type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "write", input: {} } }],
    piece: (delta: string) => ({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: delta } }),
  },
  "openai-chat": {
    start: [{ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: "t", function: { name: "write", arguments: "" } }] } }] }],
    piece: part,
  },
  "openai-responses": {
    start: [
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { type: "function_call", id: "fc", call_id: "t", name: "write", arguments: "" },
      },
    ],
    piece: (delta: string) => ({ type: "response.function_call_arguments.delta", output_index: 0, delta }),
  },
  "ai-sdk-model": {
    start: [{ type: "tool-input-start", id: "t", toolName: "write" }],
    piece: (delta: string) => ({ type: "tool-input-delta", id: "t", delta }),
  },
} as const

afterEach(() => vi.restoreAllMocks())

it.each(Object.entries(streams))("a draft of %s does not parse the arguments that have come so far", (format, { start, piece }) => {
  const recorder = createRecorder(format as keyof typeof streams)
  for (const event of start) recorder.push(event)
  const parse = vi.spyOn(JSON, "parse")
  for (const delta of ['{"text":', '"one ', 'two"', ',"n":1}']) {
    recorder.push(piece(delta))
    const [block] = recorder.draft().blocks
    expect(block).toMatchObject({ type: "call", name: "write", arguments: {}, fault: "unparsable" })
  }
  expect(parse.mock.calls.filter(([text]) => text.includes("text"))).toEqual([])
  expect(recorder.draft().blocks[0]).toMatchObject({ raw: '{"text":"one two","n":1}' })
})
