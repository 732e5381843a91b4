/** One small healthy session of each agent whose files are only ever written back: a request, a call, its result, a reply. */
import type { Wire } from "../../../src/model/index.ts"

const say = (text: string): Wire => ({ type: "text", text })

const chatCall = (id: string): Wire => ({ id, type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } })

const at = "2026-01-01T00:00:00.000Z"

const chain = (...events: readonly Wire[]): readonly Wire[] =>
  events.map((event, index) => ({ ...event, id: `e${index}`, timestamp: at, parentId: index === 0 ? null : `e${index - 1}` }))

const openWebuiNode = (id: string, parentId: string | null, childrenIds: readonly string[], role: string, content: string): Wire => ({
  id,
  parentId,
  childrenIds,
  role,
  content,
  timestamp: 1_750_000_000,
  ...(role === "assistant" && { model: "gpt-x", done: true }),
})

const openWebuiMessages = [
  openWebuiNode("m1", null, ["m2"], "user", "List the files"),
  openWebuiNode("m2", "m1", [], "assistant", "One file."),
]

export const samples: Readonly<Record<string, unknown>> = {
  "openhands-v0": [
    { id: 1, timestamp: at, source: "user", message: "go", action: "message", args: { content: "List the files", image_urls: null } },
    {
      id: 2,
      timestamp: at,
      source: "agent",
      message: "Running",
      action: "run",
      args: { command: "ls", thought: "" },
      tool_call_metadata: {
        function_name: "execute_bash",
        tool_call_id: "c1",
        total_calls_in_response: 1,
        model_response: {
          id: "r1",
          choices: [{ message: { role: "assistant", content: [say("I look.")], tool_calls: [chatCall("c1")] } }],
        },
      },
    },
    {
      id: 3,
      timestamp: at,
      source: "agent",
      message: "",
      cause: 2,
      observation: "run",
      content: "a.txt",
      extras: { command: "ls" },
      tool_call_metadata: {
        function_name: "execute_bash",
        tool_call_id: "c1",
        total_calls_in_response: 1,
        model_response: { id: "r1", choices: [] },
      },
    },
    { id: 4, timestamp: at, source: "agent", message: "One file.", action: "message", args: { content: "One file.", image_urls: null } },
  ],
  "openhands-v1": [
    {
      kind: "MessageEvent",
      id: "e1",
      timestamp: at,
      source: "user",
      llm_message: { role: "user", content: [say("List the files")] },
      activated_microagents: [],
      extended_content: [],
    },
    {
      kind: "ActionEvent",
      id: "e2",
      timestamp: at,
      source: "agent",
      thought: [say("I look.")],
      action: { kind: "BashAction", command: "ls" },
      tool_name: "bash",
      tool_call_id: "c1",
      tool_call: chatCall("c1"),
      llm_response_id: "r1",
    },
    {
      kind: "ObservationEvent",
      id: "e3",
      timestamp: at,
      source: "environment",
      tool_name: "bash",
      tool_call_id: "c1",
      action_id: "e2",
      observation: { kind: "BashObservation", content: [say("a.txt")] },
    },
    {
      kind: "MessageEvent",
      id: "e4",
      timestamp: at,
      source: "agent",
      llm_message: { role: "assistant", content: [say("One file.")] },
      activated_microagents: [],
      extended_content: [],
    },
  ],
  "codex-rollout-old": [
    { id: "bc45dae1", timestamp: at, instructions: null, git: { branch: "main" } },
    { record_type: "state" },
    { type: "message", role: "user", id: null, content: [{ type: "input_text", text: "List the files" }] },
    { type: "function_call", name: "exec_command", arguments: '{"cmd":"ls"}', call_id: "c1" },
    { type: "function_call_output", call_id: "c1", output: "a.txt" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "One file." }] },
  ],
  "open-webui": {
    id: "c-1",
    user_id: "u",
    title: "Files",
    chat: {
      id: "",
      title: "Files",
      models: ["gpt-x"],
      params: {},
      messages: openWebuiMessages,
      history: { messages: Object.fromEntries(openWebuiMessages.map((node) => [node["id"], node])), currentId: "m2" },
    },
  },
  "copilot-cli": chain(
    {
      type: "session.start",
      data: {
        sessionId: "s-1",
        version: 1,
        producer: "copilot-agent",
        copilotVersion: "1.0.64",
        startTime: at,
        context: { cwd: "/home/ada" },
      },
    },
    { type: "user.message", data: { content: "List the files", attachments: [] } },
    {
      type: "assistant.message",
      data: {
        messageId: "m",
        model: "claude",
        content: "I look.",
        toolRequests: [{ toolCallId: "c1", name: "bash", arguments: { command: "ls" }, type: "function" }],
        turnId: "0",
      },
    },
    { type: "tool.execution_complete", data: { toolCallId: "c1", success: true, result: { content: "a.txt", detailedContent: "a.txt" } } },
    { type: "assistant.message", data: { messageId: "n", model: "claude", content: "One file.", toolRequests: [], turnId: "1" } },
  ),
  "swe-agent": {
    environment: "swe_main",
    trajectory: [{ action: "ls", observation: "a.py", response: "", thought: "", state: {} }],
    info: { exit_status: "submitted" },
    replay_config: "{}",
    history: [
      { role: "user", content: [say("List the files")], agent: "main", message_type: "observation" },
      {
        role: "assistant",
        content: "I look.",
        thought: "I look.",
        action: "ls",
        agent: "main",
        message_type: "action",
        tool_calls: [chatCall("c1")],
      },
      { role: "tool", content: [say("a.txt")], agent: "main", message_type: "observation", tool_call_ids: ["c1"] },
      { role: "assistant", content: [say("One file.")], agent: "main", message_type: "action" },
    ],
  },
  tau2: {
    id: "sim-1",
    task_id: "7",
    termination_reason: "user_stop",
    start_time: "2026-05-01T10:00:00",
    messages: [
      { role: "assistant", content: "Hello", tool_calls: null, turn_idx: 0 },
      { role: "user", content: "Where is my order?", tool_calls: null, turn_idx: 1 },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", name: "lookup", arguments: { order: 3 }, requestor: "assistant" }],
        turn_idx: 2,
      },
      { id: "c1", role: "tool", content: "on its way", requestor: "assistant", error: false, turn_idx: 3 },
      { role: "assistant", content: "It is on its way.", tool_calls: null, turn_idx: 4 },
    ],
  },
  "tau-bench": {
    task_id: 7,
    reward: 1,
    info: {},
    trial: 0,
    traj: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [say("Where is my order?")] },
      { role: "assistant", content: null, tool_calls: [chatCall("c1")] },
      { role: "tool", tool_call_id: "c1", name: "bash", content: "on its way" },
      { role: "assistant", content: "It is on its way." },
    ],
  },
  crush: {
    session: { id: "s", title: "T", message_count: 4 },
    messages: [
      { id: "1", session_id: "s", role: "user", model: "m", parts: [{ type: "text", data: { text: "List the files" } }] },
      {
        id: "2",
        session_id: "s",
        role: "assistant",
        model: "m",
        parts: [{ type: "tool_call", data: { id: "c1", name: "ls", input: "{}", type: "", finished: true } }],
      },
      {
        id: "3",
        session_id: "s",
        role: "tool",
        model: "m",
        parts: [{ type: "tool_result", data: { tool_call_id: "c1", name: "ls", content: "a.txt", metadata: "", is_error: false } }],
      },
      { id: "4", session_id: "s", role: "assistant", model: "m", parts: [{ type: "text", data: { text: "One file." } }] },
    ],
  },
  "claude-code-array": [
    {
      type: "user",
      uuid: "u1",
      parentUuid: null,
      isSidechain: false,
      sessionId: "s",
      message: { role: "user", content: "How many files?" },
    },
    {
      type: "assistant",
      uuid: "u2",
      parentUuid: "u1",
      isSidechain: false,
      sessionId: "s",
      message: {
        id: "m1",
        role: "assistant",
        model: "claude-x",
        content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } }],
      },
    },
    {
      type: "user",
      uuid: "u3",
      parentUuid: "u2",
      isSidechain: false,
      sessionId: "s",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "a.txt" }] },
    },
    {
      type: "assistant",
      uuid: "u4",
      parentUuid: "u3",
      isSidechain: false,
      sessionId: "s",
      message: { id: "m2", role: "assistant", model: "claude-x", content: [say("One file.")] },
    },
  ],
  "claude-stream-json": [
    { type: "system", subtype: "init", cwd: "/p", session_id: "s-1", tools: [], model: "claude-x" },
    {
      type: "assistant",
      message: {
        id: "m1",
        type: "message",
        role: "assistant",
        model: "claude-x",
        content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } }],
      },
      parent_tool_use_id: null,
      session_id: "s-1",
    },
    {
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: [say("a.txt")] }] },
      parent_tool_use_id: null,
      session_id: "s-1",
    },
    {
      type: "assistant",
      message: { id: "m2", type: "message", role: "assistant", model: "claude-x", content: [say("One file.")] },
      parent_tool_use_id: null,
      session_id: "s-1",
    },
  ],
  langgraph: {
    thread: "t",
    checkpoint: "c",
    messages: [
      { type: "human", id: "1", content: [say("List the files")], additional_kwargs: {} },
      {
        type: "ai",
        id: "2",
        content: [say("I look.")],
        tool_calls: [{ id: "c1", name: "ls", args: {}, type: "tool_call" }],
        invalid_tool_calls: [],
        additional_kwargs: {},
      },
      { type: "tool", id: "3", content: [say("a.txt")], name: "ls", tool_call_id: "c1", status: "success", artifact: null },
      { type: "ai", id: "4", content: "One file.", tool_calls: [], invalid_tool_calls: [], additional_kwargs: {} },
    ],
  },
  goose: [
    { id: "20250724_1", description: "Cleaning", working_dir: "/home/ada/work", message_count: 4, created_at: at },
    { id: "m1", role: "user", created: 1_784_278_801, content: [say("List the files")] },
    {
      id: "m2",
      role: "assistant",
      created: 1_784_278_802,
      content: [
        say("I look."),
        { type: "toolRequest", id: "c1", toolCall: { status: "success", value: { name: "shell", arguments: { command: "ls" } } } },
      ],
    },
    {
      id: "m3",
      role: "user",
      created: 1_784_278_803,
      content: [{ type: "toolResponse", id: "c1", toolResult: { status: "success", value: { content: [say("a.txt")] } } }],
    },
    { id: "m4", role: "assistant", created: 1_784_278_804, content: [say("One file.")] },
  ],
  continue: {
    sessionId: "s1",
    title: "Files",
    workspaceDirectory: "/home/a",
    history: [
      { message: { role: "user", content: [say("List the files")], id: "u1" }, contextItems: [] },
      {
        message: { role: "assistant", content: [say("I look.")], id: "a1", toolCalls: [chatCall("c1")] },
        contextItems: [],
        toolCallStates: [
          {
            toolCallId: "c1",
            toolCall: chatCall("c1"),
            status: "done",
            parsedArgs: { command: "ls" },
            output: [{ name: "out", description: "", content: "a.txt" }],
          },
        ],
      },
      { message: { role: "assistant", content: "One file.", id: "a2" }, contextItems: [] },
    ],
  },
  "codex-exec": [
    { type: "thread.started", thread_id: "0199a213" },
    { type: "turn.started" },
    {
      type: "item.completed",
      item: {
        id: "item_5",
        type: "mcp_tool_call",
        server: "docs",
        tool: "search",
        arguments: { q: "x" },
        result: { content: [say("found")] },
        error: null,
        status: "completed",
      },
    },
    { type: "item.completed", item: { id: "item_8", type: "agent_message", text: "Done." } },
  ],
}
