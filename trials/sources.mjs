/** Sessions that are moved into an agent: each of another format, each with something that is hard to move. Written here, by hand. */

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
const compacted = (convert) => {
  const { value } = convert(request(20, 2, "the compacted part"), { from: "anthropic", to: "claude-code" })
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
  const text = {
    ...common,
    type: "assistant",
    uuid: "00000000-0000-4000-8000-000000000003",
    parentUuid: summary.uuid,
    message: {
      id: "msg_after",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text: "I go on after the summary." }],
      stop_reason: "end_turn",
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  }
  return [...before, boundary, summary, text]
}

const asLines = (records) => records.map((record) => `${JSON.stringify(record)}\n`).join("")

/** `[name, format, file name, text]` of each, made with the library's `convert` where a session file is wanted. */
export const sourcesWith = (convert) => [
  [
    "long",
    "claude-code",
    "long.jsonl",
    asLines(convert(request(140, 3, "a long session"), { from: "anthropic", to: "claude-code" }).value.records),
  ],
  ["parallel", "pi", "parallel.jsonl", asLines(convert(request(15, 5, "parallel calls"), { from: "anthropic", to: "pi" }).value.records)],
  ["damaged", "anthropic", "damaged.json", JSON.stringify(damaged())],
  ["tags", "cline-api", "api_conversation_history.json", JSON.stringify(tags())],
  ["compacted", "claude-code", "compacted.jsonl", asLines(compacted(convert))],
]
