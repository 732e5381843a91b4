/**
 * The one message form the benchmark works on, whatever file a trajectory came from, so that every strategy and every
 * measure sees the same thing:
 *
 *   { role: "user", content, summary? }      summary: stands for others, a compaction wrote it
 *   { role: "assistant", content, calls? }   calls: [{ id, name, arguments }]
 *   { role: "tool", call, content, error? }
 *
 * System text, thinking and media are not part of it; ids are numbered, because random ids cost tokens and say nothing.
 */

const textOfBlocks = (blocks) =>
  blocks
    .flatMap((block) => {
      if (block.type === "text" || block.type === "opaque") return block.text === "" ? [] : [block.text]
      return block.type === "media" ? [`[${block.kind}]`] : []
    })
    .join("\n")

const argumentsOf = ({ fault, raw = "", arguments: given }) => (fault === "unparsable" || fault === "not-object" ? { input: raw } : given)

/**
 * The messages of a flattened conversation; system text apart. Empty assistant messages (only thinking) are left out.
 */
export const fromMessages = (source) => {
  const messages = []
  const system = []
  for (const { role, blocks, summary } of source) {
    if (role === "tool") {
      for (const block of blocks) {
        if (block.type !== "result") continue
        const content = textOfBlocks(block.content)
        messages.push({ role, call: block.callId, content, ...(block.error && { error: true }) })
      }
      continue
    }
    const content = textOfBlocks(blocks)
    if (role === "system") {
      system.push(content)
      continue
    }
    const calls = blocks
      .filter((block) => block.type === "call")
      .map((block) => ({ id: block.id, name: block.name, arguments: argumentsOf(block) }))
    if (content.trim() === "" && calls.length === 0) continue
    messages.push({ role, content, ...(calls.length > 0 && { calls }), ...(summary && { summary: true }) })
  }
  return { messages, system: system.join("\n") }
}

export const withNumberedIds = (messages) => {
  const ids = new Map()
  return messages.map((message) => {
    if (message.role === "tool") return { ...message, call: ids.get(message.call) ?? message.call }
    if (message.calls === undefined) return message
    const calls = message.calls.map((call) => {
      const id = `c${ids.size + 1}`
      ids.set(call.id, id)
      return { ...call, id }
    })
    return { ...message, calls }
  })
}

/** The other way: what `settle` takes. */
export const toTranscript = (messages) => ({
  format: "canonical",
  messages: messages.map((message) => {
    const text = message.content === "" ? [] : [{ type: "text", text: message.content }]
    if (message.role === "tool") {
      const error = message.error && { error: true }
      return { role: "tool", blocks: [{ type: "result", callId: message.call, content: text, ...error }] }
    }
    const calls = (message.calls ?? []).map((call) => ({ type: "call", ...call }))
    return { role: message.role, blocks: [...text, ...calls], ...(message.summary && { summary: true }) }
  }),
})

const collectValues = (value, into) => {
  if (typeof value === "string") into.push(value)
  else if (Array.isArray(value)) for (const each of value) collectValues(each, into)
  else if (value !== null && typeof value === "object") for (const key in value) collectValues(value[key], into)
  else if (value !== null && value !== undefined) into.push(String(value))
}

/** Values of arguments, one per line; never keys: they come from the schema, not from the agent. */
export const argumentValues = (call) => {
  const values = []
  collectValues(call.arguments, values)
  return values.join("\n")
}

/** What a message says, for the metric. */
export const textOf = (message) => {
  if (message.calls === undefined) return message.content
  const said = message.calls.flatMap((call) => [call.name, argumentValues(call)])
  return message.content === "" ? said.join("\n") : [message.content, ...said].join("\n")
}

export const textOfAll = (messages) => messages.map(textOf).join("\n")

/** As a provider's JSON body would write it: the second way of counting. */
export const toWire = (messages) =>
  messages.map((message) => {
    if (message.role === "tool") return { role: "tool", tool_call_id: message.call, content: message.content }
    const calls = message.calls?.map((call) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    }))
    return { role: message.role, content: message.content, ...(calls && { tool_calls: calls }) }
  })

/** Equal but for ids, which tools may renumber. */
export const sameMessage = (left, right) => {
  if (left.role !== right.role || left.content !== right.content) return false
  const [a, b] = [left.calls ?? [], right.calls ?? []]
  if (a.length !== b.length) return false
  return a.every((call, index) => {
    const other = b[index]
    return call.name === other.name && JSON.stringify(call.arguments) === JSON.stringify(other.arguments)
  })
}
