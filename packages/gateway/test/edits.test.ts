import { describe, expect, it } from "vitest"
import { editBody, edits, editValue } from "../src/exchange/edits.ts"

/** Every name that an edit looks for, as an argument of a call and as a property of a tool's schema. */
const foreign = {
  caller: { type: "person" },
  ttl: "1h",
  cache_control: { type: "ephemeral" },
  clear_at: "noon",
  defer_loading: true,
  tool_calls: [],
  id: "x",
  thoughtSignature: "s",
  type: "tool_reference",
  tool_name: "t",
}

const body = {
  model: "m",
  tools: [
    { name: "call", input_schema: { type: "object", properties: foreign } },
    { type: "function", function: { name: "call", parameters: { type: "object", properties: foreign } } },
  ],
  messages: [
    { role: "user", content: "Go" },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "call", input: foreign }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "done" }] },
  ],
  contents: [{ role: "model", parts: [{ functionCall: { name: "call", args: foreign } }] }],
}

describe("an edit", () => {
  it.each(Object.keys(edits))("for %s leaves arguments of calls and schemas of tools alone", (name) => {
    const edited = [
      editValue(body, [name]),
      JSON.parse(editBody(Buffer.from(JSON.stringify(body)), [name], "messages").toString()) as typeof body,
    ]
    for (const { tools, messages, contents } of edited as readonly (typeof body)[]) {
      expect(tools[0]?.input_schema).toEqual(body.tools[0]?.input_schema)
      expect(tools[1]?.function).toEqual(body.tools[1]?.function)
      expect(messages[1]).toEqual(body.messages[1])
      expect(contents[0]?.parts[0]?.functionCall).toEqual(body.contents[0]?.parts[0]?.functionCall)
    }
  })
})
