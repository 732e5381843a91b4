/** A client of any wire, for tests: keeps its history as its wire spells it, and reads answers as a strict client would. */
import { type Block, encode, type Message, settle, transcript } from "ligature"
import { createRecorder, type Recorded } from "ligature/record"
import { type FakeApi, judgeStream } from "ligature/testing"
import { type Answer, eventsIn, paths, post } from "./serve.ts"

const beside: Readonly<Record<FakeApi, (stream: boolean) => object>> = {
  anthropic: (stream) => ({
    model: "m-1",
    max_tokens: 1000,
    stream,
    tools: [
      { name: "read_file", description: "Reads", input_schema: { type: "object", properties: { path: { type: "string" } } } },
      { name: "bash", input_schema: { type: "object" } },
    ],
  }),
  "openai-chat": (stream) => ({
    model: "m-1",
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
    tools: [
      {
        type: "function",
        function: { name: "read_file", description: "Reads", parameters: { type: "object", properties: { path: { type: "string" } } } },
      },
      { type: "function", function: { name: "bash" } },
    ],
  }),
  "openai-responses": (stream) => ({
    model: "m-1",
    stream,
    store: false,
    tools: [
      {
        type: "function",
        name: "read_file",
        description: "Reads",
        parameters: { type: "object", properties: { path: { type: "string" } } },
      },
      { type: "function", name: "bash" },
    ],
  }),
  gemini: () => ({
    tools: [
      {
        functionDeclarations: [
          { name: "read_file", description: "Reads", parametersJsonSchema: { type: "object", properties: { path: { type: "string" } } } },
          { name: "bash" },
        ],
      },
    ],
  }),
}

/** A request of a wire with these messages. */
export const requestOf = (api: FakeApi, messages: readonly Message[], stream: boolean, more: object = {}): string =>
  JSON.stringify({ ...beside[api](stream), ...encode(settle(transcript(...messages), { tip: "open" }).conversation, api).value, ...more })

export interface Said {
  readonly answer: Answer
  readonly recorded: Recorded
  readonly blocks: readonly Block[]
  /** What a strict client objects to in the stream. */
  readonly objections: readonly string[]
}

/** Whether the answer broke as clients of its wire survive it best: the connection was reset, or the stream ends with an error. */
export const isBroken = (api: FakeApi, { answer, recorded }: Said): boolean =>
  api === "gemini" ? !answer.broken && recorded.error !== undefined : answer.broken

/** The events of a stream as `judgeStream` takes them. */
const framesIn = (text: string): readonly { readonly event?: string; readonly data: unknown }[] =>
  text.split(/\r?\n\r?\n/).flatMap((frame) => {
    const event = /^event: (.*)$/m.exec(frame)?.[1]
    const [data] = eventsIn(frame)
    return data === undefined ? [] : [event === undefined ? { data } : { event, data }]
  })

export const say = async (
  url: string,
  api: FakeApi,
  body: string,
  stream: boolean,
  headers: Record<string, string> = {},
): Promise<Said> => {
  const answer = await post(url + paths[api](stream), body, { headers })
  const recorder = createRecorder(api)
  if (stream) for (const event of eventsIn(answer.text)) recorder.push(event)
  else recorder.push(JSON.parse(answer.text))
  const recorded = recorder.end(answer.broken ? "error" : "complete")
  return { answer, recorded, blocks: recorded.message.blocks, objections: stream ? judgeStream(api, framesIn(answer.text)) : [] }
}

/** Blocks without what only one wire has. */
export const plain = (blocks: readonly Block[]): readonly unknown[] =>
  blocks.map((block) => {
    if (block.type === "text") return { text: block.text }
    if (block.type === "thinking") return { thinking: block.text }
    return block.type === "call" ? { name: block.name, arguments: block.arguments } : { type: block.type }
  })
