/** Items that only the server understands: what a reader of another format sees instead, in the words of the codec. */
import { isWire, type OpaqueBlock, type Wire } from "../../model/index.ts"
import { previewOf } from "../fields.ts"

const words = (...values: readonly unknown[]): string =>
  values.filter((value) => typeof value === "string" && value !== "").join(" ")

const queries = (value: unknown): string => (Array.isArray(value) ? words(...(value as readonly unknown[])) : "")

const captions: Readonly<Record<string, (wire: Wire) => string>> = {
  web_search_call: ({ action }) =>
    isWire(action)
      ? `[web search: ${words(action["query"], queries(action["queries"]), action["url"])}]`
      : "[web search]",
  file_search_call: (wire) => `[file search: ${queries(wire["queries"])}]`,
  code_interpreter_call: (wire) => `[code interpreter: ${words(wire["code"])}]`,
  image_generation_call: (wire) => `[image generated: ${words(wire["revised_prompt"])}]`,
  mcp_call: (wire) => {
    const asked = `[${words(wire["server_label"], wire["name"])}: ${words(wire["arguments"])}]`
    return words(asked, wire["output"], wire["error"])
  },
  mcp_approval_request: (wire) =>
    `[approval requested for ${words(wire["server_label"], wire["name"])}: ${words(wire["arguments"])}]`,
  program: (wire) => `[program: ${words(wire["code"])}]`,
  program_output: (wire) => `[program output: ${previewOf(wire["result"] ?? wire["output"] ?? "")}]`,
}

const silent: ReadonlySet<string> = new Set(["compaction", "mcp_list_tools", "tool_search_call", "tool_search_output"])

const halves: Readonly<Record<string, "call" | "result">> = {
  program: "call",
  program_output: "result",
  tool_search_call: "call",
  tool_search_output: "result",
}

export const opaqueItem = (wire: Wire, type: string): OpaqueBlock => {
  const caption = Object.hasOwn(captions, type) ? captions[type] : undefined
  const half = Object.hasOwn(halves, type) ? halves[type] : undefined
  const span = wire["call_id"]
  return {
    type: "opaque",
    kind: type,
    ...(half && typeof span === "string" && { span, half }),
    text: silent.has(type) ? "" : previewOf(caption ? caption(wire) : wire),
    native: { "openai-responses": wire },
  }
}
