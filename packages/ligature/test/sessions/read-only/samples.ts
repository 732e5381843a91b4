/** Sessions of the formats that are only read, made up for these tests, each with what its conversation is. */
import type { Wire } from "../../../src/model/index.ts"

export interface Sample {
  /** What a file holds: a list is written as lines, unless it says otherwise. */
  readonly value: unknown
  readonly syntax?: "lines" | "value"
  /** Messages in short: role and blocks. */
  readonly says: readonly string[]
  /** What the agent would send next, where that is something else. */
  readonly sends?: readonly string[]
  readonly id?: string
  readonly title?: string
}

const wire = (type: string, payload: Wire): Wire => ({ timestamp: 1775104348.5, message: { type, payload } })

const kimiWire: Sample = {
  value: [
    { type: "metadata", protocol_version: "1.10" },
    wire("TurnBegin", { user_input: [{ type: "text", text: "list the files" }] }),
    wire("StepBegin", { n: 1 }),
    wire("ContentPart", { type: "text", text: "first attempt" }),
    wire("StepRetry", { n: 1, next_attempt: 2, max_attempts: 3, wait_s: 1, error_type: "APIError" }),
    wire("ContentPart", { type: "think", think: "look" }),
    wire("ToolCall", { type: "function", id: "Shell:0", function: { name: "Shell", arguments: '{"command":' } }),
    wire("ToolCallPart", { arguments_part: '"ls"}' }),
    wire("SubagentEvent", { parent_tool_call_id: "Shell:0", event: { type: "ContentPart", payload: { type: "text", text: "inside" } } }),
    wire("ToolResult", {
      tool_call_id: "Shell:0",
      return_value: { is_error: false, output: "a b", message: "Command executed successfully." },
    }),
    wire("StepBegin", { n: 2 }),
    wire("ContentPart", { type: "text", text: "Two files." }),
    wire("TurnEnd", {}),
  ],
  says: [
    "user: list the files",
    "assistant: look, Shell(ls)",
    "tool: <system>Command executed successfully.</system> a b",
    "assistant: Two files.",
  ],
}

const loop = (event: Wire): Wire => ({ type: "context.append_loop_event", event, time: 1784600297000 })
const said = (role: string, words: string, origin: Wire = { kind: "user" }): Wire => ({
  type: "context.append_message",
  message: { role, content: [{ type: "text", text: words }], toolCalls: [], origin },
  time: 1784600297000,
})

const kimiCodeWire: Sample = {
  value: [
    { type: "metadata", protocol_version: "1.5", created_at: 1784600297000 },
    { type: "config.update", cwd: "/project", systemPrompt: "You are Kimi." },
    { type: "turn.prompt", input: [{ type: "text", text: "list the files" }], origin: { kind: "user" } },
    said("user", "list the files"),
    loop({ type: "step.begin", uuid: "s1", turnId: "0", step: 1 }),
    loop({ type: "content.part", uuid: "p1", stepUuid: "s1", part: { type: "think", think: "look" } }),
    loop({ type: "tool.call", uuid: "t1", stepUuid: "s1", toolCallId: "Shell_0", name: "Shell", args: { command: "ls" } }),
    loop({ type: "tool.result", parentUuid: "t1", toolCallId: "Shell_0", result: { output: "a b" } }),
    loop({ type: "step.end", uuid: "s1" }),
    { type: "turn.prompt", input: [{ type: "text", text: "a mistake" }], origin: { kind: "user" } },
    said("user", "a mistake"),
    { type: "context.undo", count: 1 },
    { type: "context.apply_compaction", summary: "Two files.", compactedCount: 3, keptUserMessageCount: 1 },
    said("user", "and now?"),
  ],
  says: ["system: You are Kimi.", "user: list the files", "assistant: look, Shell(ls)", "tool: a b", "user: and now?"],
  sends: ["system: You are Kimi.", "user: list the files", "user: Two files.", "user: and now?"],
}

const copilotRequest: Wire = {
  requestId: "request_1",
  message: { text: "list the files", parts: [] },
  response: [
    { value: "I look." },
    { kind: "toolInvocationSerialized", toolId: "run_in_terminal", toolCallId: "ui-1", isComplete: true },
    { value: "Two files." },
  ],
  result: {
    metadata: {
      toolCallRounds: [
        { response: "I look.", toolCalls: [{ id: "call_1", name: "run_in_terminal", arguments: '{"command":"ls"}' }] },
        { response: "Two files.", toolCalls: [] },
      ],
      toolCallResults: {
        call_1: {
          content: [
            {
              value: {
                node: {
                  type: 1,
                  children: [
                    { type: 2, text: "a" },
                    { type: 2, text: "b", lineBreakBefore: true },
                  ],
                },
              },
            },
          ],
        },
      },
    },
  },
  modelId: "copilot/gpt-4.1",
  timestamp: 1755734640111,
}

const copilotChat: Sample = {
  value: {
    version: 3,
    sessionId: "chat-1",
    customTitle: "files",
    responderUsername: "GitHub Copilot",
    requests: [
      copilotRequest,
      {
        requestId: "request_2",
        message: { text: "and now?" },
        response: [{ value: "It is " }, { kind: "inlineReference", inlineReference: { path: "/w/a.ts" } }, { value: "." }],
        result: null,
      },
    ],
  },
  says: [
    "user: list the files",
    "assistant: I look., run_in_terminal(ls)",
    "tool: a\nb",
    "assistant: Two files.",
    "user: and now?",
    "assistant: It is a.ts.",
  ],
  id: "chat-1",
  title: "files",
}

/** The same as a log of changes. */
export const copilotLog: Sample = {
  value: [
    { kind: 0, v: { version: 3, sessionId: "chat-1", responderUsername: "GitHub Copilot", requests: [] } },
    { kind: 2, k: ["requests"], v: [{ ...copilotRequest, response: [], result: undefined }] },
    { kind: 2, k: ["requests", 0, "response"], v: [{ value: "I lo" }, { value: "gone" }] },
    { kind: 2, k: ["requests", 0, "response"], i: 0, v: [{ value: "I look." }] },
    { kind: 1, k: ["requests", "0", "result"], v: copilotRequest["result"] },
    { kind: 1, k: ["customTitle"], v: "files" },
  ],
  syntax: "lines",
  says: copilotChat.says.slice(0, 4),
  id: "chat-1",
}

const inspectLog: Sample = {
  value: {
    version: 2,
    status: "success",
    eval: { task: "t" },
    plan: {},
    samples: [
      {
        id: "one",
        epoch: 1,
        input: "list the files",
        target: "2",
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "attachment://0a1b", source: "input" },
          {
            role: "assistant",
            content: [
              { type: "reasoning", reasoning: "look" },
              { type: "text", text: "I look." },
            ],
            tool_calls: [{ id: "c1", function: "bash", arguments: { command: "ls" } }],
          },
          { role: "tool", content: "", tool_call_id: "c1", function: "bash", error: { type: "timeout", message: "timed out" } },
        ],
        events: [{ event: "model", input: [{ role: "user", content: "list the files" }] }],
        attachments: { "0a1b": "list the files" },
      },
    ],
  },
  says: ["system: Be brief.", "user: list the files", "assistant: look, I look., bash(ls)", "tool: failed timed out"],
  id: "one",
}

const cursorTranscript: Sample = {
  value: [
    { role: "user", message: { content: [{ type: "text", text: "<user_query>\nlist the files\n</user_query>" }] } },
    {
      role: "assistant",
      message: {
        content: [
          { type: "text", text: "I look." },
          { type: "tool_use", name: "Shell", input: { command: "ls" } },
        ],
      },
    },
    { role: "assistant", message: { content: [{ type: "text", text: "Two files." }] } },
  ],
  says: ["user: <user_query>\nlist the files\n</user_query>", "assistant: I look., Shell(ls)", "tool: lost", "assistant: Two files."],
  title: "list the files",
}

const iflowRecord = (uuid: string, parentUuid: string | null, type: string, content: unknown): Wire => ({
  uuid,
  parentUuid,
  sessionId: "session-5de701fc-7454-4858-a249-95cac4fd3b51",
  type,
  cwd: "/project",
  version: "1.0.0",
  timestamp: "2026-01-21T05:56:34.812Z",
  message: { role: type, content },
})
const used = (id: string): Wire => ({ type: "tool_use", id, name: "Shell", input: { command: id } })

const iflow: Sample = {
  value: [
    iflowRecord("a", null, "user", "list the files"),
    iflowRecord("b", "a", "assistant", [{ type: "text", text: "I look." }, used("c1")]),
    iflowRecord("c", "a", "assistant", [used("c1"), used("c2")]),
    iflowRecord("d", "c", "user", [{ type: "tool_result", tool_use_id: "c1", content: "a" }]),
    iflowRecord("e", "a", "assistant", [used("c2")]),
    iflowRecord("f", "c", "user", [{ type: "tool_result", tool_use_id: "c2", content: "b" }]),
    iflowRecord("g", "a", "assistant", [{ type: "text", text: "Two files." }]),
  ],
  says: ["user: list the files", "assistant: I look., Shell(c1), Shell(c2)", "user: a", "user: b", "assistant: Two files."],
  id: "session-5de701fc-7454-4858-a249-95cac4fd3b51",
}

const event = (seq: number, type: string, data: Wire, more: Wire = {}): Wire => ({ type, seq, time: 1786728845574, data, ...more })

const dsh: Sample = {
  value: [
    { type: "session", version: 0, id: "d-1", createdAt: 1786728845574, cwd: "/project", delegationDepth: 0, agentPreset: "standard" },
    event(1, "user/message", { message: { role: "user", content: [{ type: "text", text: "list the files" }] } }),
    event(2, "text-chunks", { turn: 1, step: 1, texts: ["I ", "look."] }),
    event(3, "assistant/message", {
      turn: 1,
      step: 1,
      message: {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool-call", id: "c1", name: "bash", arguments: '{"command":"ls"}' },
        ],
      },
    }),
    event(4, "tool/call", { turn: 1, step: 1, callId: "c1", name: "bash", arguments: '{"command":"ls"}' }),
    event(
      5,
      "tool/result",
      { turn: 1, step: 1, message: { role: "tool", content: [{ type: "text", text: "a b" }] } },
      { sourceEventSeqs: [4] },
    ),
    event(6, "text-chunks", { turn: 1, step: 2, texts: ["Two ", "fi"] }),
  ],
  says: ["user: list the files", "assistant: I look., bash(ls)", "tool: a b", "assistant: Two fi"],
  id: "d-1",
}

const grokBuild: Sample = {
  value: [
    { type: "system", content: "You are Grok." },
    { type: "user", content: [{ type: "text", text: "list the files" }], prompt_index: 0 },
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "look" }], encrypted_content: "AAAA" },
    {
      type: "assistant",
      content: "I look.",
      tool_calls: [{ id: "c1", name: "bash", arguments: '{"command":"ls"}' }],
      model_id: "grok-4.5",
    },
    { type: "tool_result", tool_call_id: "c1", content: "a b" },
    { type: "assistant", content: "Two files.", model_id: "grok-4.5" },
  ],
  says: ["system: You are Grok.", "user: list the files", "assistant: look, I look., bash(ls)", "tool: a b", "assistant: Two files."],
}

const runPart = (type: string, messageID: string, part: Wire): Wire => ({
  type,
  timestamp: 1774712786456,
  sessionID: "ses_1",
  part: { id: "prt_1", messageID, sessionID: "ses_1", ...part },
})

const opencodeRun: Sample = {
  value: [
    runPart("step_start", "msg_1", { type: "step-start" }),
    runPart("text", "msg_1", { type: "text", text: "I look." }),
    runPart("tool_use", "msg_1", {
      type: "tool",
      callID: "c1",
      tool: "bash",
      state: { status: "completed", input: { command: "ls" }, output: "a b" },
    }),
    runPart("tool_use", "msg_1", {
      type: "tool",
      callID: "c2",
      tool: "bash",
      state: { status: "error", input: { command: "no" }, error: "not found" },
    }),
    runPart("step_finish", "msg_1", { type: "step-finish" }),
    runPart("text", "msg_2", { type: "text", text: "One file." }),
  ],
  says: ["assistant: I look., bash(ls), bash(no)", "tool: a b", "tool: failed not found", "assistant: One file."],
  id: "ses_1",
}

const positai = { providerOptions: { providerMetadata: { positai: { modelId: "m" } } } }

const positAssistant: Sample = {
  value: [
    { id: 0, message: { role: "user", content: "list the files", ...positai } },
    {
      id: 1,
      message: {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool-call", toolCallId: "c1", toolName: "bash", input: { command: "ls" } },
        ],
        ...positai,
      },
    },
    {
      id: 2,
      message: {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "c1", toolName: "bash", output: { type: "text", value: "a b" } }],
      },
    },
  ],
  says: ["user: list the files", "assistant: I look., bash(ls)", "tool: a b"],
}

const attribute = (key: string, stringValue: string): Wire => ({ key, value: { stringValue } })
const span = (start: string, ...attributes: readonly Wire[]): Wire => ({
  resourceSpans: [
    {
      scopeSpans: [
        { spans: [{ spanId: start, startTimeUnixNano: start, attributes: [attribute("gen_ai.conversation.id", "v-1"), ...attributes] }] },
      ],
    },
  ],
})

const visualstudioCopilot: Sample = {
  value: [
    span(
      "1781293603000000000",
      attribute("gen_ai.tool.name", "run_build"),
      attribute("gen_ai.tool.call.id", "c2"),
      attribute("gen_ai.tool.call.arguments", '{"command":"all"}'),
      attribute("gen_ai.tool.call.result", "done"),
    ),
    span(
      "1781293601000000000",
      attribute("gen_ai.tool.name", "get_file"),
      attribute("gen_ai.tool.call.id", "c1"),
      attribute("gen_ai.tool.call.arguments", '{"command":"a"}'),
      attribute("gen_ai.tool.call.result", "class A"),
    ),
  ],
  says: ["assistant: get_file(a)", "tool: class A", "assistant: run_build(all)", "tool: done"],
  id: "v-1",
}

const kiro: Sample = {
  value: {
    conversation_id: "k-1",
    history: [
      {
        user: { content: { Prompt: { prompt: "list the files" } } },
        assistant: { ToolUse: { message_id: "m1", content: "I look.", tool_uses: [{ id: "c1", name: "fs_ls", args: { command: "ls" } }] } },
      },
      {
        user: { content: { ToolUseResults: [{ tool_use_id: "c1", content: [{ Text: "a b" }], status: "Success" }] } },
        assistant: { Response: { message_id: "m2", content: "Two files." } },
      },
    ],
  },
  says: ["user: list the files", "assistant: I look., fs_ls(ls)", "tool: a b", "assistant: Two files."],
  id: "k-1",
}

/** The older generation. */
export const kiroLines: Sample = {
  value: [
    { version: "v1", kind: "Prompt", data: { content: [{ kind: "text", data: "list the files" }] } },
    {
      version: "v1",
      kind: "AssistantMessage",
      data: {
        content: [
          { kind: "text", data: "I look." },
          { kind: "toolUse", data: { toolUseId: "c1", name: "fs_ls", input: { command: "ls" } } },
        ],
      },
    },
    {
      version: "v1",
      kind: "ToolResults",
      data: { content: [{ kind: "toolResult", data: { toolUseId: "c1", content: [{ kind: "text", data: "a b" }], status: "success" } }] },
    },
  ],
  says: ["user: list the files", "assistant: I look., fs_ls(ls)", "tool: a b"],
}

const codebuff: Sample = {
  value: [
    { id: "u1", variant: "user", content: "list the files", timestamp: "2026-04-14T10:00:10.000Z" },
    {
      id: "a1",
      variant: "ai",
      content: "",
      blocks: [
        { type: "text", textType: "reasoning", content: "look" },
        { type: "text", content: "I look." },
        { type: "tool", toolCallId: "c1", toolName: "run_terminal_command", input: { command: "ls" }, output: "a b" },
      ],
    },
    { id: "a2", variant: "ai", content: "Two files." },
  ],
  syntax: "value",
  says: ["user: list the files", "assistant: look, I look., run_terminal_command(ls)", "tool: a b", "assistant: Two files."],
}

const libreMessage = (messageId: string, parentMessageId: string, fields: Wire): Wire => ({
  messageId,
  parentMessageId,
  conversationId: "l-1",
  sender: "x",
  isCreatedByUser: false,
  text: "",
  ...fields,
})

const librechat: Sample = {
  value: {
    conversationId: "l-1",
    title: "files",
    recursive: true,
    messages: [
      {
        ...libreMessage("u1", "00000000-0000-0000-0000-000000000000", { isCreatedByUser: true, text: "list the files" }),
        children: [
          libreMessage("a0", "u1", { text: "another answer" }),
          libreMessage("a1", "u1", {
            content: [
              { type: "think", think: "look" },
              { type: "text", text: { value: "I look." } },
              { type: "tool_call", tool_call: { id: "c1", name: "bash", args: '{"command":"ls"}', output: "a b", progress: 1 } },
              { type: "text", text: "Two files." },
            ],
          }),
        ],
      },
    ],
  },
  says: ["user: list the files", "assistant: look, I look., bash(ls)", "tool: a b", "assistant: Two files."],
  id: "l-1",
  title: "files",
}

const gptNode = (id: string, parent: string | null, role: string | undefined, content: Wire = {}, more: Wire = {}): Wire => ({
  id,
  parent,
  children: [],
  message:
    role === undefined
      ? null
      : { id, author: { role, name: more["name"] ?? null }, content: { content_type: "text", ...content }, recipient: "all", ...more },
})

const chatgptExport: Sample = {
  value: [
    {
      title: "files",
      conversation_id: "g-1",
      current_node: "e",
      mapping: {
        e: gptNode("e", "d", "assistant", { parts: ["Two files."] }),
        root: gptNode("root", null, undefined),
        a: gptNode("a", "root", "user", { parts: ["list the files"] }),
        b: gptNode("b", "a", "assistant", { content_type: "thoughts", thoughts: [{ summary: "look", content: "" }] }),
        c: gptNode("c", "b", "assistant", { content_type: "code", text: '{"command":"ls"}' }, { recipient: "python" }),
        d: gptNode("d", "c", "tool", { content_type: "execution_output", text: "a b" }, { name: "python" }),
        x: gptNode("x", "a", "assistant", { parts: ["another answer"] }),
      },
    },
  ],
  syntax: "value",
  says: ["user: list the files", "assistant: look", "assistant: python(ls)", "tool: a b", "assistant: Two files."],
  id: "g-1",
  title: "files",
}

const gptme: Sample = {
  value: [
    { role: "system", content: "You are gptme.", timestamp: "2026-06-13T10:00:00.000000", pinned: true, hide: true },
    { role: "user", content: "list the files", timestamp: "2026-06-13T10:00:01.000000" },
    { role: "assistant", content: "```shell\nls\n```", timestamp: "2026-06-13T10:00:05.000000" },
    { role: "tool", content: "a b", timestamp: "2026-06-13T10:00:06.000000" },
  ],
  says: ["system: You are gptme.", "user: list the files", "assistant: ```shell\nls\n```", "user: a b"],
}

const cursorVscdb: Sample = {
  value: {
    composer: {
      composerId: "v-1",
      name: "files",
      fullConversationHeadersOnly: [{ bubbleId: "u1" }, { bubbleId: "inner" }, { bubbleId: "gone" }, { bubbleId: "" }],
    },
    bubbles: [
      { key: "z", bubbleId: "", type: 2, text: "Two files." },
      {
        key: "other",
        bubbleId: "inner",
        type: 2,
        text: "I look.",
        toolFormerData: { name: "ls", params: '{"command":"ls"}', result: "a b", status: "completed" },
      },
      { key: "u1", bubbleId: "u1", type: 1, text: "list the files" },
    ],
  },
  says: ["user: list the files", "assistant: I look.", "assistant: ls(ls)", "tool: a b", "assistant: Two files."],
  id: "v-1",
  title: "files",
}

const entireLine = (type: string, content: readonly Wire[]): Wire => ({
  v: 1,
  agent: "claude-code",
  cli_version: "0.5.1",
  type,
  ts: "2026-04-07T21:07:50.689Z",
  content,
})

const entire: Sample = {
  value: [
    entireLine("user", [{ text: "list the files" }]),
    entireLine("assistant", [
      { type: "text", text: "I look." },
      { type: "tool_use", id: "c1", name: "bash", input: { command: "ls" }, result: { output: "a b", status: "success" } },
    ]),
    entireLine("assistant", [
      { type: "tool_use", id: "c2", name: "bash", input: { command: "no" }, result: { output: "not found", status: "error" } },
    ]),
  ],
  says: ["user: list the files", "assistant: I look., bash(ls)", "tool: a b", "assistant: bash(no)", "tool: failed not found"],
}

const printed = (type: string, fields: Wire): Wire => ({ type, timestamp: 1795125782991, session_id: "d-1", ...fields })

const droidExec: Sample = {
  value: [
    printed("system", { subtype: "init", cwd: "/project", tools: ["Execute"], model: "claude-sonnet-4-5" }),
    printed("message", { role: "user", id: "u1", text: "list the files" }),
    printed("message", { role: "assistant", id: "a1", text: "I look." }),
    printed("tool_call", { id: "c1", messageId: "a1", toolId: "Execute", toolName: "Execute", parameters: { command: "ls" } }),
    printed("tool_call", { id: "c2", messageId: "a1", toolId: "Execute", toolName: "Execute", parameters: { command: "no" } }),
    printed("tool_result", { id: "c1", messageId: "r1", toolId: "Execute", isError: false, value: "a b" }),
    printed("tool_result", {
      id: "c2",
      messageId: "r1",
      toolId: "Execute",
      isError: true,
      error: { type: "tool_error", message: "not found" },
    }),
    printed("message", { role: "assistant", id: "a2", text: "Two files." }),
    printed("completion", { finalText: "Two files.", numTurns: 2 }),
  ],
  says: [
    "user: list the files",
    "assistant: I look., Execute(ls), Execute(no)",
    "tool: a b",
    "tool: failed not found",
    "assistant: Two files.",
  ],
  id: "d-1",
}

const step = (index: number, source: string, type: string, fields: Wire): Wire => ({
  step_index: index,
  source,
  type,
  status: "DONE",
  created_at: "2026-06-01T10:00:00Z",
  ...fields,
})

const antigravity: Sample = {
  value: [
    step(0, "USER_EXPLICIT", "USER_INPUT", { content: "list the files" }),
    step(1, "MODEL", "PLANNER_RESPONSE", {
      thinking: "look",
      content: "I look.",
      tool_calls: [
        { name: "run_command", args: { command: '"ls"' } },
        { name: "view_file", args: { command: '"a"' } },
      ],
    }),
    step(2, "MODEL", "RUN_COMMAND", { content: "a b" }),
    step(3, "MODEL", "VIEW_FILE", { content: "no such file", status: "ERROR" }),
    step(4, "MODEL", "PLANNER_RESPONSE", { content: "Two files." }),
  ],
  says: [
    "user: list the files",
    "assistant: look, I look., run_command(ls), view_file(a)",
    "tool: a b",
    "tool: failed no such file",
    "assistant: Two files.",
  ],
}

const hermes: Sample = {
  value: {
    session_id: "h-1",
    model: "m",
    platform: "cli",
    session_start: "2026-06-01T10:00:00",
    last_updated: "2026-06-01T10:01:00",
    system_prompt: "Be brief.",
    messages: [
      { role: "user", content: "list the files" },
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } }],
      },
      { role: "tool", content: "a b", tool_call_id: "c1" },
      { role: "assistant", content: "Two files." },
    ],
  },
  says: ["user: list the files", "assistant: I look., bash(ls)", "tool: a b", "assistant: Two files."],
  id: "h-1",
}

/** DeepSeek numbers its nodes and does not say which is the last. */
export const deepseekExport: Sample = {
  value: [
    {
      id: "w-1",
      title: "files",
      inserted_at: "2026-06-01T10:00:00.000000+08:00",
      mapping: {
        root: { id: "root", parent: null, children: ["1"], message: null },
        "1": { id: "1", parent: "root", children: ["2", "3"], message: { fragments: [{ type: "REQUEST", content: "list the files" }] } },
        "2": { id: "2", parent: "1", children: [], message: { fragments: [{ type: "RESPONSE", content: "another answer" }] } },
        "3": {
          id: "3",
          parent: "1",
          children: [],
          message: {
            fragments: [
              { type: "THINK", content: "look" },
              { type: "RESPONSE", content: "Two files." },
            ],
          },
        },
      },
    },
  ],
  syntax: "value",
  says: ["user: list the files", "assistant: look, Two files."],
  id: "w-1",
  title: "files",
}

export const samples: Readonly<Record<string, Sample>> = {
  "chatgpt-export": chatgptExport,
  antigravity: antigravity,
  codebuff: codebuff,
  "copilot-chat": copilotChat,
  "cursor-transcript": cursorTranscript,
  "cursor-vscdb": cursorVscdb,
  "droid-exec": droidExec,
  dsh: dsh,
  entire: entire,
  gptme: gptme,
  "grok-build": grokBuild,
  "hermes-agent": hermes,
  iflow: iflow,
  "inspect-log": inspectLog,
  "kimi-code-wire": kimiCodeWire,
  "kimi-wire": kimiWire,
  kiro: kiro,
  librechat: librechat,
  "opencode-run": opencodeRun,
  "posit-assistant": positAssistant,
  "visualstudio-copilot": visualstudioCopilot,
}

export const fileOf = ({ value, syntax }: Sample): string =>
  Array.isArray(value) && syntax !== "value" ? value.map((each) => `${JSON.stringify(each)}\n`).join("") : JSON.stringify(value, null, 2)
