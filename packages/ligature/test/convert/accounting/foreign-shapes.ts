/**
 * Values that no format documents, full of texts that occur nowhere else, and the places of a file where they may be.
 * A text that went in must come out again: in what was written, or in the report.
 */
import type { Choices } from "../../../src/testing/index.ts"

export class Markers {
  readonly #prefix: string
  readonly all: string[] = []
  /** Those that a model should read. */
  readonly content: string[] = []

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** The text of a message, of arguments or of a result. */
  next(): string {
    const marker = this.aside()
    this.content.push(marker)
    return marker
  }

  /** A text that may end in the report: of a field nobody knows, of a thought, of an image. */
  aside(): string {
    const marker = `${this.#prefix} lantern ${this.all.length} lit`
    this.all.push(marker)
    return marker
  }
}

type Shape = (markers: Markers) => Readonly<Record<string, unknown>>

/** Parts of messages: unknown ones, and such as are nearly a call, a result, a thought, a text or an image. */
export const parts: readonly Shape[] = [
  (markers) => ({ type: "hologram", beam: markers.next(), deep: [{ deeper: { deepest: markers.next() } }] }),
  (markers) => ({ hologram: { beam: markers.next() } }),
  (markers) => ({
    type: "tool_call",
    toolCall: { id: "c9", function: { name: "ls", arguments: `{"path":"${markers.next()}"}` }, note: markers.aside() },
  }),
  (markers) => ({ type: "tool_call", id: "c9", function: { name: "ls", arguments: { path: markers.next() } }, note: markers.aside() }),
  (markers) => ({ type: "tool_result", toolResult: { toolCallId: "c9", result: markers.next() }, note: markers.aside() }),
  (markers) => ({ type: "tool_result", tool_use_id: "c9", data: markers.next() }),
  (markers) => ({ type: "tool_result", tool_use_id: "c9", response: { rows: [markers.next(), markers.next()] } }),
  (markers) => ({ type: "tool_result", tool_use_id: "c9", content: [{ type: "hologram", beam: markers.next() }], data: markers.aside() }),
  (markers) => ({ type: "tool_use", id: "c9", name: "ls", arguments: { path: markers.next() }, note: markers.aside() }),
  (markers) => ({
    type: "tool-invocation",
    toolInvocation: {
      state: "result",
      toolCallId: "c9",
      toolName: "ls",
      args: { path: markers.next() },
      result: { files: [markers.next()] },
    },
  }),
  (markers) => ({ functionCall: { name: "ls", arguments: { path: markers.next() } }, note: markers.aside() }),
  (markers) => ({ functionResponse: { name: "ls", output: markers.next() } }),
  (markers) => ({ toolUse: { toolUseId: "c9", name: "ls", args: { path: markers.next() }, note: markers.aside() } }),
  (markers) => ({ toolResult: { toolUseId: "c9", output: { rows: [markers.next()] } } }),
  (markers) => ({ type: "tool-call", toolCallId: "c9", toolName: "ls", arguments: { path: markers.next() } }),
  (markers) => ({ type: "tool-result", toolCallId: "c9", toolName: "ls", data: markers.next() }),
  (markers) => ({ type: "function_call", call_id: "c9", name: "ls", parameters: { path: markers.next() } }),
  (markers) => ({ type: "function_call_output", call_id: "c9", data: markers.next() }),
  (markers) => ({ type: "text", content: markers.next(), note: markers.aside() }),
  (markers) => ({ type: "text", text: { nested: markers.next() } }),
  (markers) => ({ type: "text", text: markers.next(), note: markers.aside() }),
  (markers) => ({ type: "thinking", text: markers.aside(), note: markers.aside() }),
  (markers) => ({ type: "thinking", thinking: { steps: [markers.aside()] } }),
  (markers) => ({ type: "reasoning", content: markers.aside() }),
  (markers) => ({ type: "image", url: markers.aside(), alt: markers.aside() }),
  (markers) => ({ type: "image", source: { type: "base64", media_type: "image/png", bytes: markers.aside() } }),
  (markers) => ({
    type: "document",
    source: { type: "content", content: [{ type: "text", text: markers.next() }] },
    title: markers.aside(),
  }),
  (markers) => ({ type: "server_tool_use", id: "s9", name: "web", input: { query: markers.next() } }),
  (markers) => ({ note: markers.next() }),
]

/** Messages: of nobody, of another API, with what they say where no one looks. */
export const messages: readonly Shape[] = [
  (markers) => ({ speaker: "narrator", says: markers.next() }),
  (markers) => ({ role: "narrator", content: markers.next(), aside: markers.aside() }),
  (markers) => ({ role: "user", parts: [{ text: markers.next() }], aside: markers.aside() }),
  (markers) => ({ role: "user", text: markers.next(), aside: markers.aside() }),
  (markers) => ({ role: "user", content: { body: markers.next() } }),
  (markers) => ({ role: "assistant", tool_calls: [{ id: "c9", function: { name: "ls", parameters: { path: markers.next() } } }] }),
  (markers) => ({
    role: "assistant",
    content: markers.next(),
    tool_calls: [{ toolCall: { id: "c9", name: "ls", args: { path: markers.next() } } }],
  }),
  (markers) => ({ role: "tool", tool_call_id: "c9", data: markers.next() }),
  (markers) => ({ role: "tool", content: [{ type: "hologram", beam: markers.next() }], tool_call_id: "c9" }),
  (markers) => ({ type: "ai", content: markers.next(), response_metadata: { remark: markers.aside() } }),
  (markers) => ({ type: "tool_call", toolCall: { id: "c9", function: { name: "ls", arguments: `{"path":"${markers.next()}"}` } } }),
  (markers) => ({
    choices: [{ message: { role: "assistant", content: markers.next() } }, { message: { role: "assistant", content: markers.aside() } }],
  }),
  (markers) => ({ candidates: [{ content: { parts: [{ text: markers.next() }] } }, { content: { parts: [{ text: markers.aside() }] } }] }),
  (markers) => ({
    role: "assistant",
    parts: [
      { type: "text", content: markers.next() },
      { type: "tool_call", id: "c9", name: "ls", arguments: { path: markers.next() } },
    ],
    finish_reason: "tool_call",
  }),
  (markers) => ({ role: "tool", parts: [{ type: "tool_call_response", id: "c9", response: markers.next() }] }),
]

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

interface Site {
  readonly list: Json[]
  readonly shapes: readonly Shape[]
}

/** Lists that hold the parts of messages, or messages, by their names. */
const partLists: ReadonlySet<string> = new Set(["content", "parts", "contents", "blocks"])

const sitesIn = (value: Json, messageList: string | undefined, name = "", found: Site[] = []): readonly Site[] => {
  if (Array.isArray(value)) {
    if (name === messageList) found.push({ list: value, shapes: messages })
    else if (partLists.has(name)) found.push({ list: value, shapes: parts })
    for (const inner of value) sitesIn(inner, messageList, "", found)
  } else if (isObject(value)) for (const key of Object.keys(value)) sitesIn(value[key] as Json, messageList, key, found)
  return found
}

/**
 * A copy of the value with up to three foreign shapes in it. `messageList`: the name of the list of messages, where those
 * may be foreign as well.
 */
export const withForeignShapes = (value: unknown, messageList: string | undefined, choices: Choices, markers: Markers): unknown => {
  const copy = { root: JSON.parse(JSON.stringify(value)) as Json }
  const name = messageList ?? ""
  const root = Array.isArray(copy.root) ? { [name]: copy.root } : copy.root
  const sites = sitesIn(root, messageList)
  const [first, ...rest] = sites
  if (!first) return copy.root
  for (let count = 1 + choices.number(3); count > 0; count--) {
    const { list, shapes } = choices.one([first, ...rest])
    const shape = shapes[choices.number(shapes.length)] as Shape
    list.splice(choices.number(list.length + 1), 0, shape(markers) as Json)
  }
  return copy.root
}
