/** Sessions that are moved into an agent: each of another format, each with something that is hard to move. Written here, by hand. */
import { convert } from "ligature"

const tool = (index) => ({
  type: "tool_use",
  id: `toolu_${String(index).padStart(6, "0")}`,
  name: "Bash",
  input: { command: `cat part-${index}.txt` },
})

const answer = (index) => ({
  type: "tool_result",
  tool_use_id: `toolu_${String(index).padStart(6, "0")}`,
  content: [{ type: "text", text: `content of part ${index}: ${"lorem ".repeat(index % 17)}end-${index}` }],
})

/** A request of `rounds` rounds; each answer of the model makes `width` calls at once. */
const request = (rounds, width, topic) => {
  const messages = [{ role: "user", content: `Please read the parts about ${topic}.` }]
  for (let round = 0; round < rounds; round++) {
    const indices = Array.from({ length: width }, (_, each) => round * width + each)
    messages.push({ role: "assistant", content: [{ type: "text", text: `Round ${round} about ${topic}.` }, ...indices.map(tool)] })
    messages.push({ role: "user", content: indices.map(answer) })
    if (round % 10 === 9) {
      messages.push({ role: "assistant", content: [{ type: "text", text: `Report ${round} about ${topic}.` }] })
      messages.push({
        role: "user",
        content: round % 20 === 9 ? `/note ${round}: go on with ${topic}` : `Go on with ${topic}, report ${round} is fine.`,
      })
    }
  }
  messages.push({ role: "assistant", content: [{ type: "text", text: `That was everything about ${topic}.` }] })
  return { model: "claude-sonnet-4-5", max_tokens: 1024, messages }
}

/** Results of up to 400,000 characters. */
const large = () => {
  const { messages, ...rest } = request(4, 1, "large files")
  const sizes = [2_000, 20_000, 100_000, 400_000]
  const enlarged = messages.map((message, index) => {
    const size = index % 2 === 0 ? sizes[index / 2 - 1] : undefined
    if (size === undefined || !Array.isArray(message.content)) return message
    const lines = Array.from({ length: size / 50 }, (_, line) => `line ${String(line).padStart(6, "0")} of a file of ${size} characters`)
    return { ...message, content: message.content.map((block) => ({ ...block, content: [{ type: "text", text: lines.join("\n") }] })) }
  })
  return { ...rest, messages: enlarged }
}

/** A call without a result in the middle, a result without a call, and a result given twice. */
const damaged = () => {
  const { messages, ...rest } = request(12, 2, "damage")
  const broken = messages.map((message, index) => {
    if (!Array.isArray(message.content)) return message
    if (index === 4) return { ...message, content: message.content.slice(1) }
    if (index === 8) return { ...message, content: [...message.content, { ...answer(900), tool_use_id: "toolu_never_made" }] }
    if (index === 12) return { ...message, content: [...message.content, message.content[0]] }
    return message
  })
  return { ...rest, messages: broken }
}

/** The text of a Cline task of the time when calls were tags in text. */
const tags = () => {
  const list = [{ role: "user", content: [{ type: "text", text: "<task>\nRead the old files\n</task>" }] }]
  for (let index = 0; index < 23; index++) {
    list.push({
      role: "assistant",
      content: [{ type: "text", text: `I read file ${index}.\n\n<read_file>\n<path>src/file-${index}.ts</path>\n</read_file>` }],
    })
    list.push({
      role: "user",
      content: [
        { type: "text", text: `[read_file for 'src/file-${index}.ts'] Result:` },
        { type: "text", text: `export const value${index} = ${index}` },
      ],
    })
  }
  list.push({
    role: "assistant",
    content: [{ type: "text", text: "<attempt_completion>\n<result>\nAll old files are read.\n</result>\n</attempt_completion>" }],
  })
  return list
}

/** Claude Code records around a compaction: what is before it is not sent any more. */
const compacted = (folder) => {
  const { value } = convert(request(20, 2, "the compacted part"), { from: "anthropic", to: "claude-code", session: { folder } })
  const before = value.records
  const last = before.findLast(({ uuid }) => uuid !== undefined)
  const common = {
    sessionId: last.sessionId,
    cwd: last.cwd,
    version: last.version,
    isSidechain: false,
    userType: "external",
    timestamp: last.timestamp,
  }
  const boundary = {
    ...common,
    type: "system",
    subtype: "compact_boundary",
    content: "Conversation compacted",
    uuid: "00000000-0000-4000-8000-000000000001",
    parentUuid: null,
    logicalParentUuid: last.uuid,
    compactMetadata: { trigger: "auto", preTokens: 150_000 },
  }
  const summary = {
    ...common,
    type: "user",
    isCompactSummary: true,
    uuid: "00000000-0000-4000-8000-000000000002",
    parentUuid: boundary.uuid,
    message: { role: "user", content: "This session is being continued. Summary: the parts were read." },
  }
  const later = (index, parentUuid, type, message) => ({
    ...common,
    type,
    uuid: `00000000-0000-4000-8000-00000000001${index}`,
    parentUuid,
    message,
  })
  const said = (index, parent, content) =>
    later(index, parent.uuid, "assistant", {
      id: `msg_after_${index}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [content],
      stop_reason: content.type === "text" ? "end_turn" : "tool_use",
      usage: { input_tokens: 1, output_tokens: 1 },
    })
  const call = said(0, summary, tool(901))
  const result = later(1, call.uuid, "user", { role: "user", content: [answer(901)] })
  const text = said(2, result, { type: "text", text: "I go on after the summary." })
  return [...before, boundary, summary, call, result, text]
}

const asLines = (records) => records.map((record) => `${JSON.stringify(record)}\n`).join("")

/** A history in the sessions of agents, as files. */
const sessionsOf = (name, valueIn, from, formats) =>
  formats.map((to) => [to, `${name}.jsonl`, (folder) => asLines(convert(valueIn(folder), { from, to, session: { folder } }).value.records)])

/**
 * `[name, files]`: each file `[format, file name, text of a session of this folder]`. An agent is given the first that is not
 * its own format. Session files of agents are made with the library's `convert`; damaged and tags name no folder.
 */
export const sources = [
  ["long", sessionsOf("long", () => request(140, 3, "a long session"), "anthropic", ["claude-code", "codex-rollout"])],
  ["parallel", sessionsOf("parallel", () => request(15, 5, "parallel calls"), "anthropic", ["pi", "copilot-cli"])],
  ["large results", sessionsOf("large", large, "anthropic", ["claude-code", "codex-rollout"])],
  ["damaged", [["anthropic", "damaged.json", () => JSON.stringify(damaged())]]],
  ["tags", [["cline-api", "api_conversation_history.json", () => JSON.stringify(tags())]]],
  [
    "compacted",
    [
      ["claude-code", "compacted.jsonl", (folder) => asLines(compacted(folder))],
      ...sessionsOf("compacted", (folder) => ({ records: compacted(folder) }), "claude-code", ["pi"]),
    ],
  ],
]
