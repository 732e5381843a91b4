/**
 * One small healthy session per format that nothing of ours writes from scratch: files of agents whose sessions are only
 * read, or only written back, and shapes of a format that its writer does not choose. Made up for this purpose; the other
 * formats get theirs from generated histories.
 */

const chatCall = (id: string, name: string, args: unknown): unknown => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
})

const chat: readonly unknown[] = [
  { role: "system", content: "You are a careful engineer." },
  { role: "user", content: "Please look at the folder first." },
  { role: "assistant", content: "I look.", tool_calls: [chatCall("call_1", "bash", { command: "ls --all" })] },
  { role: "tool", tool_call_id: "call_1", name: "bash", content: "README.md\npackage.json" },
  { role: "assistant", content: "There are two files in it." },
]

const traced = {
  "gen_ai.system_instructions": [{ type: "text", content: "You are a careful engineer." }],
  "gen_ai.input.messages": [
    {
      role: "user",
      name: "somebody",
      parts: [
        { type: "text", content: "Please look at the folder first." },
        { type: "blob", modality: "image", mime_type: "image/png", content: "iVBORw0KGgo=" },
        { type: "uri", modality: "document", mime_type: "application/pdf", uri: "https://example.com/plan.pdf" },
        { type: "file", modality: "document", file_id: "file_plan" },
      ],
    },
    {
      role: "assistant",
      parts: [
        { type: "reasoning", content: "The folder shows what is there." },
        { type: "server_tool_call", id: "srv_1", name: "web_search", server_tool_call: { type: "web_search", query: "folders" } },
        { type: "server_tool_call_response", id: "srv_1", server_tool_call_response: { type: "web_search", found: "nothing useful" } },
        { type: "tool_call", id: "call_1", name: "bash", arguments: { command: "ls --all" } },
        { type: "tool_call", name: "read_file", arguments: '{"path":"notes.md"}' },
      ],
    },
    { role: "tool", parts: [{ type: "tool_call_response", id: "call_1", response: { files: ["README.md", "package.json"] } }] },
    {
      role: "tool",
      parts: [
        {
          type: "tool_call_response",
          response: [
            { type: "text", content: "my notes" },
            { type: "blob", modality: "image", content: "AAAA" },
          ],
        },
      ],
    },
  ],
  "gen_ai.output.messages": [
    {
      role: "assistant",
      parts: [
        { type: "text", content: "There are two files in it." },
        { type: "annotation", source: "folder listing" },
      ],
      finish_reason: "stop",
    },
  ],
  "gen_ai.request.model": "some-model",
}

/** Most exporters write attributes as text. */
const tracedAsText = Object.fromEntries(
  Object.entries(traced).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
)

const claudeRecord = (message: unknown, inside: string | null = null): unknown => ({
  type: (message as { readonly role: string }).role,
  message,
  parent_tool_use_id: inside,
  session_id: "session-one",
  uuid: JSON.stringify(message).length.toString(),
})

const claudeStreamJson: readonly unknown[] = [
  { type: "system", subtype: "init", cwd: "/project", session_id: "session-one", tools: [], model: "claude-x" },
  claudeRecord({
    id: "m1",
    type: "message",
    role: "assistant",
    model: "claude-x",
    content: [{ type: "text", text: "I delegate this task." }],
  }),
  claudeRecord({
    id: "m1",
    type: "message",
    role: "assistant",
    content: [{ type: "tool_use", id: "toolu_1", name: "Task", input: { prompt: "look inside" } }],
  }),
  claudeRecord(
    { id: "m2", type: "message", role: "assistant", content: [{ type: "tool_use", id: "toolu_2", name: "Read", input: {} }] },
    "toolu_1",
  ),
  claudeRecord({ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_2", content: "inner result" }] }, "toolu_1"),
  claudeRecord({ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "outer result" }] }),
  { type: "result", subtype: "success", result: "all done here", session_id: "session-one" },
]

const responseItems: readonly unknown[] = [
  { type: "message", role: "user", content: [{ type: "input_text", text: "list the files please" }] },
  { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "thinking about files" }], encrypted_content: "gAAAencrypted" },
  { type: "function_call", name: "shell", arguments: '{"command":["ls"]}', call_id: "call_1" },
  { type: "function_call_output", call_id: "call_1", output: "a.txt and b.txt" },
  { type: "message", role: "assistant", content: [{ type: "output_text", text: "There are two files." }] },
]

const codexRolloutOld: readonly unknown[] = [
  { id: "bc45dae1", timestamp: "2025-08-30T11:49:52.079Z", instructions: null, git: { branch: "main" } },
  { record_type: "state" },
  ...responseItems,
  { record_type: "state" },
]

const codexItem = (moment: string, item: unknown): unknown => ({ type: `item.${moment}`, item })

const codexExec: readonly unknown[] = [
  { type: "thread.started", thread_id: "0199a213" },
  { type: "turn.started" },
  codexItem("completed", { id: "item_0", type: "reasoning", text: "**Thinking about it**" }),
  codexItem("started", {
    id: "item_1",
    type: "command_execution",
    command: "ls",
    aggregated_output: "",
    exit_code: null,
    status: "in_progress",
  }),
  codexItem("completed", {
    id: "item_1",
    type: "command_execution",
    command: "ls",
    aggregated_output: "a.txt\n",
    exit_code: 0,
    status: "completed",
  }),
  codexItem("completed", {
    id: "item_2",
    type: "mcp_tool_call",
    server: "docs",
    tool: "search",
    arguments: { query: "weather" },
    status: "completed",
    result: { content: [{ type: "text", text: "found something" }] },
    error: null,
  }),
  codexItem("completed", { id: "item_3", type: "agent_message", text: "That is finished." }),
  { type: "turn.completed", usage: { input_tokens: 1 } },
]

const copilotCli: readonly unknown[] = [
  {
    type: "session.start",
    data: {
      sessionId: "session-one",
      version: 1,
      producer: "copilot-agent",
      copilotVersion: "1.0.64",
      selectedModel: "claude-sonnet",
      context: { cwd: "/home/ada/work" },
    },
  },
  { type: "user.message", data: { content: "look at this folder", transformedContent: "look at this folder", attachments: [] } },
  {
    type: "assistant.message",
    data: {
      messageId: "m1",
      model: "claude-sonnet",
      content: "I look there.",
      turnId: "0",
      toolRequests: [{ toolCallId: "call_1", name: "bash", arguments: { command: "ls" }, type: "function", intentionSummary: "look" }],
    },
  },
  { type: "tool.execution_start", data: { toolCallId: "call_1", toolName: "bash", arguments: {} } },
  {
    type: "tool.execution_complete",
    data: { toolCallId: "call_1", success: true, result: { content: "a.txt found", detailedContent: "a.txt found, in detail" } },
  },
  {
    type: "assistant.message",
    data: { messageId: "m2", model: "claude-sonnet", content: "One file is there.", toolRequests: [], turnId: "1" },
  },
].map((event, index) => ({
  ...event,
  id: `e${index}`,
  timestamp: "2026-01-01T00:00:01.000Z",
  parentId: index === 0 ? null : `e${index - 1}`,
}))

const webuiNode = (id: string, parentId: string | null, children: readonly string[], role: string, content: string): unknown => ({
  id,
  parentId,
  childrenIds: children,
  role,
  content,
  timestamp: 1_750_000_000,
  ...(role === "assistant" ? { model: "gpt-x", done: true } : { models: ["gpt-x"] }),
})

const card = [
  '<details type="tool_calls" done="true" id="call_1" name="weather" arguments="&quot;{\\&quot;city\\&quot;: \\&quot;Oslo\\&quot;}&quot;"',
  ' result="&quot;rain until tomorrow&quot;" files="" embeds="">\n<summary>Tool Executed</summary>\n</details>\nIt rains in Oslo.',
].join("")

const webuiNodes = {
  n1: webuiNode("n1", null, ["n2"], "user", "How is the weather in Oslo?"),
  n2: webuiNode("n2", "n1", ["n3"], "assistant", card),
  n3: webuiNode("n3", "n2", [], "user", "Thank you very much."),
}

const openWebui: unknown = {
  id: "chat-one",
  user_id: "user-one",
  title: "Weather in Oslo",
  chat: {
    id: "",
    title: "Weather in Oslo",
    models: ["gpt-x"],
    history: { messages: webuiNodes, currentId: "n3" },
    messages: Object.values(webuiNodes),
    params: {},
  },
  updated_at: 1_750_000_000,
  created_at: 1_750_000_000,
}

const gooseMessage = (role: string, ...content: readonly unknown[]): unknown => ({
  id: `m-${role}-${content.length}`,
  role,
  created: 1_784_278_801,
  content,
})

const goose: readonly unknown[] = [
  {
    id: "20250724_1",
    description: "Cleaning the folder",
    working_dir: "/home/ada/work",
    message_count: 3,
    created_at: "2026-01-01T00:00:00Z",
  },
  gooseMessage("user", { type: "text", text: "clean this folder" }),
  gooseMessage(
    "assistant",
    { type: "thinking", thinking: "where to begin", signature: "c2lnbmF0dXJl" },
    {
      type: "toolRequest",
      id: "call_1",
      toolCall: { status: "success", value: { name: "developer__shell", arguments: { command: "ls" } } },
    },
  ),
  gooseMessage("user", {
    type: "toolResponse",
    id: "call_1",
    toolResult: { status: "success", value: [{ type: "text", text: "nothing to clean" }] },
  }),
  gooseMessage("assistant", { type: "text", text: "It is clean already." }),
]

const continueCall = { id: "call_1", type: "function", function: { name: "read_file", arguments: '{"path": "src/index.ts"}' } }

const continueSession: unknown = {
  sessionId: "session-one",
  title: "A short session",
  workspaceDirectory: "/home/ada",
  history: [
    { message: { role: "user", content: "read the index file", id: "u1" }, contextItems: [] },
    {
      message: { role: "assistant", content: "", toolCalls: [continueCall] },
      contextItems: [],
      toolCallStates: [
        {
          toolCallId: "call_1",
          toolCall: continueCall,
          status: "done",
          parsedArgs: {},
          output: [{ name: "out", description: "", content: "export everything" }],
        },
      ],
    },
    { message: { role: "tool", content: "export everything", toolCallId: "call_1" }, contextItems: [] },
    { message: { role: "assistant", content: "It exports everything.", id: "a1" }, contextItems: [] },
  ],
}

const openhandsMetadata: unknown = {
  function_name: "execute_bash",
  tool_call_id: "call_1",
  total_calls_in_response: 1,
  model_response: {
    id: "response-one",
    choices: [
      { message: { role: "assistant", content: "I list the files.", tool_calls: [chatCall("call_1", "execute_bash", { command: "ls" })] } },
    ],
  },
}

const openhandsV0: readonly unknown[] = [
  {
    id: 0,
    timestamp: "2025-03-01T10:00:00.000000",
    source: "user",
    message: "list the files",
    action: "message",
    args: { content: "list the files", image_urls: null, wait_for_response: false },
  },
  {
    id: 1,
    timestamp: "2025-03-01T10:00:01.000000",
    source: "agent",
    message: "Running",
    action: "run",
    args: { command: "ls", thought: "I list the files." },
    tool_call_metadata: openhandsMetadata,
  },
  {
    id: 2,
    timestamp: "2025-03-01T10:00:02.000000",
    source: "agent",
    message: "",
    cause: 1,
    observation: "run",
    content: "a.txt is here",
    extras: { command: "ls" },
    tool_call_metadata: openhandsMetadata,
  },
]

const openhandsEvent = (kind: string, source: string, fields: object): unknown => ({
  kind,
  id: `event-${kind}`,
  timestamp: "2025-09-25T11:33:20.537644",
  source,
  ...fields,
})

const openhandsV1: readonly unknown[] = [
  openhandsEvent("MessageEvent", "user", {
    llm_message: { role: "user", content: [{ type: "text", text: "list the files" }] },
    activated_microagents: [],
    extended_content: [],
  }),
  openhandsEvent("ActionEvent", "agent", {
    thought: [{ type: "text", text: "I list the files." }],
    action: { kind: "BashAction", command: "ls" },
    tool_name: "bash",
    tool_call_id: "call_1",
    tool_call: chatCall("call_1", "bash", { command: "ls" }),
    llm_response_id: "response-one",
  }),
  openhandsEvent("ObservationEvent", "environment", {
    tool_name: "bash",
    tool_call_id: "call_1",
    action_id: "x",
    observation: { kind: "BashObservation", content: [{ type: "text", text: "a.txt is here" }] },
  }),
]

const sweAgent: unknown = {
  environment: "swe_main",
  info: { exit_status: "submitted" },
  replay_config: "{}",
  trajectory: [{ action: "ls", observation: "a.py", response: "", thought: "", state: {} }],
  history: [
    { role: "user", content: "Fix this bug now", agent: "main", message_type: "observation" },
    {
      role: "assistant",
      content: "I look there.",
      thought: "I look there.",
      action: "ls",
      agent: "main",
      message_type: "action",
      tool_calls: [chatCall("call_1", "bash", { command: "ls" })],
    },
    { role: "tool", content: "a.py is here", agent: "main", message_type: "observation", tool_call_ids: ["call_1"] },
  ],
}

const tau2: unknown = {
  id: "simulation-one",
  task_id: "7",
  termination_reason: "user_stop",
  start_time: "2026-05-01T10:00:00",
  messages: [
    { role: "assistant", content: "How can I help you?", tool_calls: null, turn_idx: 0 },
    { role: "user", content: "Where is my order?", tool_calls: null, turn_idx: 1 },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", name: "lookup", arguments: { order: 3 }, requestor: "assistant" }],
      turn_idx: 2,
    },
    { id: "call_1", role: "tool", content: "order not found", requestor: "assistant", error: true, turn_idx: 3 },
    {
      role: "user",
      content: "One moment please",
      tool_calls: [{ id: "call_2", name: "check_phone", arguments: {}, requestor: "user" }],
      turn_idx: 4,
    },
    { id: "call_2", role: "tool", content: "order number three", requestor: "user", error: false, turn_idx: 5 },
  ],
}

const crushPart = (type: string, data: unknown): unknown => ({ type, data })

const crush: unknown = {
  session: { id: "session-one", title: "Looking", message_count: 3 },
  messages: [
    {
      id: "1",
      session_id: "session-one",
      role: "user",
      model: "m",
      parts: [crushPart("text", { text: "look at this picture" }), crushPart("finish", { reason: "end_turn", time: 1 })],
    },
    {
      id: "2",
      session_id: "session-one",
      role: "assistant",
      model: "m",
      parts: [
        crushPart("reasoning", { thinking: "let me see", signature: "c2ln" }),
        crushPart("tool_call", { id: "call_1", name: "view", input: '{"path":"x.png"}', type: "", finished: true }),
      ],
    },
    {
      id: "3",
      session_id: "session-one",
      role: "tool",
      model: "m",
      parts: [crushPart("tool_result", { tool_call_id: "call_1", name: "view", content: "a cat on a mat", metadata: "", is_error: false })],
    },
  ],
}

const langgraph: unknown = {
  thread: "thread-one",
  checkpoint: "checkpoint-one",
  messages: [
    { type: "human", id: "1", content: "search for it", additional_kwargs: {} },
    {
      type: "ai",
      id: "2",
      content: "I search now",
      tool_calls: [{ id: "call_1", name: "search", args: { query: "it" }, type: "tool_call" }],
      invalid_tool_calls: [],
      additional_kwargs: {},
    },
    { type: "tool", id: "3", content: "found nothing here", name: "search", tool_call_id: "call_1", status: "success", artifact: null },
  ],
}

export const sessionSeeds: Readonly<Record<string, readonly unknown[]>> = {
  "claude-stream-json": [claudeStreamJson],
  "codex-rollout-old": [codexRolloutOld],
  "codex-exec": [codexExec],
  "copilot-cli": [copilotCli],
  "open-webui": [openWebui],
  goose: [goose],
  continue: [continueSession],
  "openhands-v0": [openhandsV0],
  "openhands-v1": [openhandsV1],
  "swe-agent": [sweAgent],
  tau2: [tau2],
  "tau-bench": [{ task_id: 3, reward: 1, info: { note: "kept as it is" }, traj: chat, trial: 0 }],
  crush: [crush],
  langgraph: [langgraph],
  "otel-messages": [
    { traceId: "0af7651916cd43dd", attributes: traced },
    tracedAsText,
    { "gen_ai.output.messages": traced["gen_ai.output.messages"] },
  ],
}

/** Sessions that are kept as text, as the file has them. */
export const textSeeds: Readonly<Record<string, readonly string[]>> = {
  aider: [
    [
      "# aider chat started at 2026-01-02 10:00:00",
      "> Aider v0.86.1  \n> Main model: m with diff edit format  ",
      "#### add a line to the readme  \n#### and another below  ",
      "Certainly, both lines.\n\n#### Heading of the answer\n\n> a quotation of somebody",
      "> Applied edit to readme.md  ",
      "#### now the second question  ",
      "An answer to the second question.",
    ].join("\n\n"),
  ],
}
