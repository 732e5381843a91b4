/** Requests of about a size, in which an agent has read many files: of one conversation that grows, or each of its own. */

const turnOf = {
  "openai-chat": (at, content) => {
    const id = `call_${at}`
    const call = { id, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path: `src/file-${at}.ts` }) } }
    return [
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: id, content },
    ]
  },
  anthropic: (at, content) => {
    const id = `toolu_${at}`
    return [
      { role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input: { path: `src/file-${at}.ts` } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
    ]
  },
}

const parameters = { type: "object", properties: { path: { type: "string" } } }

const beside = {
  "openai-chat": { tools: [{ type: "function", function: { name: "read_file", parameters } }] },
  anthropic: { max_tokens: 1000, tools: [{ name: "read_file", input_schema: parameters }] },
}

const fileOf = (at) => `line ${at}\n${"const value = compute(input, options) // a comment\n".repeat(30)}`

/** `salt`: conversations of other salts have nothing in common. */
export const bodyOf = (wire, bytes, { salt = "", turns = 0, stream = false, model = "m" } = {}) => {
  const turn = turnOf[wire]
  const size = Math.ceil(bytes / JSON.stringify(turn(1, fileOf(1))).length)
  const base = Array.from({ length: size }, (_, at) => turn(at, fileOf(at)))
  // What the fake provider answers, and the user's next words.
  const grown = Array.from({ length: turns }, (_, at) => [
    { role: "assistant", content: "ok" },
    { role: "user", content: `Go on, ${at}.` },
  ])
  const messages = [{ role: "user", content: `Read everything ${salt}.` }, ...base.flat(), ...grown.flat()]
  return Buffer.from(JSON.stringify({ model, ...(stream && { stream }), messages, ...beside[wire] }))
}
