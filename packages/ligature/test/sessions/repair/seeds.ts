/** Small healthy sessions of every format that can be written, with all kinds of records and blocks in them. */
import type { Wire } from "../../../src/model/index.ts"
import { FileBuilder } from "../claude-code/builder.ts"
import * as codex from "../codex-rollout/records.ts"
import * as cline from "../cline-api/records.ts"
import * as continued from "../continue/session.ts"
import * as copilot from "../copilot-cli/events.ts"
import * as gemini from "../gemini-cli/records.ts"
import * as neovate from "../neovate/records.ts"
import * as chats from "../open-webui/chats.ts"
import * as opencode from "../opencode-export/session.ts"
import * as pi from "../pi/records.ts"
import * as qwen from "../qwen-code/records.ts"
import { samples } from "../read-only/samples.ts"

const claudeCode = (): readonly Wire[] => {
  const file = new FileBuilder()
  file.outside({ type: "summary", summary: "Files", leafUuid: "u9" })
  file.prompt("list the files")
  const spoke = file.reply({ type: "thinking", thinking: "two at once", signature: "c2lnbmF0dXJl" })
  const first = file.call("toolu_a", spoke)
  const second = file.call("toolu_b", first)
  file.result("toolu_a", first, first)
  file.result("toolu_b", second, second)
  file.aside("system", undefined, { subtype: "turn_duration", durationMs: 5 })
  file.reply("two files")
  file.prompt("and now?")
  file.reply("looking")
  const third = file.call("toolu_c")
  file.result("toolu_c", third, third)
  file.reply("done")
  return file.records
}

/** Several blocks in one record, as other writers leave it. */
const claudeMixed = (): readonly Wire[] => {
  const file = new FileBuilder()
  file.prompt("go")
  const blocks = [
    { type: "text", text: "both" },
    { type: "tool_use", id: "toolu_a", name: "ls", input: {} },
    { type: "tool_use", id: "toolu_b", name: "cat", input: { path: "a" } },
  ]
  file.tree({ type: "assistant", message: { role: "assistant", id: "msg_1", model: "claude-x", content: blocks } })
  const content = [
    { type: "tool_result", tool_use_id: "toolu_a", content: "a" },
    { type: "tool_result", tool_use_id: "toolu_b", content: [{ type: "text", text: "b" }], is_error: true },
    { type: "text", text: "go on" },
  ]
  file.tree({ type: "user", message: { role: "user", content } })
  file.reply("fine")
  return file.records
}

const streamed = (id: string, block: Wire): Wire => ({
  type: "assistant",
  message: { id, type: "message", role: "assistant", model: "claude-x", content: [block] },
  parent_tool_use_id: null,
  session_id: "s-1",
  uuid: `${id}-${String(block["id"] ?? "t")}`,
})

const claudeStream: readonly Wire[] = [
  { type: "system", subtype: "init", cwd: "/p", session_id: "s-1", tools: [], model: "claude-x" },
  streamed("m1", { type: "text", text: "delegating" }),
  streamed("m1", { type: "tool_use", id: "t1", name: "ls", input: {} }),
  {
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "a.txt" }] },
    parent_tool_use_id: null,
    session_id: "s-1",
  },
  streamed("m4", { type: "text", text: "done" }),
  { type: "result", subtype: "success", result: "done", session_id: "s-1" },
]

const clineBlocks: readonly unknown[] = [
  { role: "user", content: [cline.text("<task>\nRead a.ts\n</task>"), cline.surroundings], ts: 1_759_500_000_000 },
  { role: "assistant", content: [cline.text("reading"), cline.use("toolu_a"), cline.use("toolu_b")], ts: 1_759_500_001_000 },
  { role: "user", content: [cline.answer("toolu_a"), cline.answer("toolu_b"), cline.surroundings], ts: 1_759_500_002_000 },
  { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "gAAA", ts: 1_759_500_002_500 },
  { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "c2ln" }, cline.text("done")], ts: 1_759_500_003_000 },
  { role: "user", content: "thanks", ts: 1_759_500_004_000 },
]

const clineXml: readonly unknown[] = [
  { role: "user", content: [cline.text("<task>\nRead a.ts\n</task>"), cline.surroundings], ts: 1_759_500_000_000 },
  { role: "assistant", content: [cline.text(`I read.\n\n${cline.tag("a.ts")}`)], ts: 1_759_500_001_000 },
  { role: "user", content: [...cline.told("a.ts", "const a = 1"), cline.surroundings], ts: 1_759_500_002_000 },
  { role: "assistant", content: `And b.\n${cline.tag("b.ts")}`, ts: 1_759_500_003_000, reasoning_content: "next" },
  { role: "user", content: [...cline.told("b.ts", "const b = 2")], ts: 1_759_500_004_000 },
  { role: "assistant", content: [cline.text("Both read.")], ts: 1_759_500_005_000 },
]

const clineCliCall = (id: string): Wire => ({ type: "tool_use", id, name: "run_commands", input: { commands: ["ls"] } })

const clineCliAnswer = (id: string, content: unknown): Wire => ({ type: "tool_result", tool_use_id: id, name: "run_commands", content })

const clineCli: Wire = {
  version: 1,
  updated_at: "2026-03-01T10:00:05.000Z",
  agent: "lead",
  sessionId: "1772359200000_a",
  origin: { source: "cli", mode: "user", sessionId: "1772359200000_a" },
  messages: [
    { id: "a", role: "user", content: [{ type: "text", text: '<user_input mode="act">list files</user_input>' }], ts: 1_772_359_200_000 },
    {
      id: "b",
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "c2ln" },
        { type: "text", text: "Looking." },
        clineCliCall("c1"),
        clineCliCall("c2"),
      ],
      ts: 1_772_359_201_000,
      modelInfo: { id: "m", provider: "p" },
    },
    {
      id: "c",
      role: "user",
      content: [clineCliAnswer("c1", [{ query: "ls", result: "a.txt", success: true }]), clineCliAnswer("c2", "b.txt")],
      ts: 1_772_359_202_000,
    },
    { id: "d", role: "assistant", content: [{ type: "text", text: "Two files." }], ts: 1_772_359_203_000 },
  ],
  system_prompt: "You are Cline.",
}

const reasoningItem = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "hm" }],
  encrypted_content: "gAAA",
}

const codexRollout: readonly unknown[] = [
  codex.meta(),
  ...codex.prompt("list files"),
  codex.item(reasoningItem),
  codex.item(codex.callItem("c1")),
  codex.item(codex.callItem("c2", "exec_command", '{"cmd":"ls"}')),
  codex.item(codex.outputItem("c1", "a.txt")),
  codex.item(codex.outputItem("c2", [{ type: "input_text", text: "b.txt" }])),
  codex.event({ type: "token_count", info: null }),
  codex.item(codex.customItem("c3")),
  codex.item(codex.customOutputItem("c3")),
  ...codex.spoken("Two files."),
  codex.compacted({ message: "", replacement_history: [codex.userItem("list files"), codex.spokenItem("Two files.")] }),
  ...codex.prompt("and now?"),
  ...codex.spoken("Done."),
]

const codexOld: readonly unknown[] = [
  { id: "bc45dae1", timestamp: "2025-08-30T11:49:52.079Z", instructions: null, git: { branch: "main" } },
  { record_type: "state" },
  { ...codex.userItem("list files"), id: null },
  reasoningItem,
  codex.callItem("c1"),
  codex.callItem("c2"),
  codex.outputItem("c1", "a.txt"),
  { record_type: "state" },
  codex.outputItem("c2", "b.txt"),
  codex.spokenItem("Two files."),
]

const call1 = continued.toolCall("call_1", "ls")
const call2 = continued.toolCall("call_2", "cat", "{}")

const continueSession = continued.session(
  continued.said("user", "list files"),
  continued.item({ role: "thinking", content: "hm", signature: "c2ln" }),
  continued.calling([call1, call2], {
    toolCallStates: [continued.state(call1, "done", "a.txt"), continued.state(call2, "errored")],
  }),
  continued.tool("call_1", "a.txt"),
  continued.tool("call_2", "no file"),
  continued.said("assistant", [{ type: "text", text: "One file." }]),
)

const copilotCli = copilot.chain(
  copilot.start,
  copilot.system("You are careful."),
  copilot.user("list files", "list files\n\n<reminder>"),
  copilot.assistant("looking", [copilot.request("c1"), copilot.request("c2")], { reasoningText: "hm" }),
  copilot.started("c1"),
  copilot.complete("c1", "a.txt"),
  copilot.started("c2"),
  copilot.failed("c2", "no"),
  copilot.assistant("done"),
  copilot.user("thanks"),
)

const geminiMessages: readonly Wire[] = [
  gemini.userRecord("m1", "list files"),
  gemini.geminiRecord("m2", "looking", {
    thoughts: [{ subject: "Plan", description: "two calls", timestamp: "2026-05-01T10:00:00.000Z" }],
    toolCalls: [gemini.answered("c1", "ls", "a.txt"), gemini.answered("c2", "cat", "b", { status: "error" })],
  }),
  gemini.notice("m3", "info", "Update available"),
  gemini.geminiRecord("m4", [{ text: "two files" }]),
]

const geminiValue = { ...gemini.metadata, messages: geminiMessages }
const geminiLines: readonly Wire[] = [
  gemini.metadata,
  ...geminiMessages,
  gemini.set({ lastUpdated: "2026-05-01T10:00:01.000Z" }),
  gemini.userRecord("m5", "wrong"),
  gemini.rewindTo("m5"),
  gemini.userRecord("m6", "go on"),
]

const gooseSay = (id: string, role: string, ...content: readonly unknown[]): Wire => ({
  id,
  role,
  created: 1_784_278_801,
  content,
  metadata: { userVisible: true, agentVisible: true },
})

const goose: readonly Wire[] = [
  { id: "20250724_1", description: "Cleaning", working_dir: "/home/ada/work", message_count: 4 },
  gooseSay("g1", "user", { type: "text", text: "list files" }),
  gooseSay(
    "g2",
    "assistant",
    { type: "thinking", thinking: "hm", signature: "c2ln" },
    { type: "text", text: "looking" },
    { type: "toolRequest", id: "c1", toolCall: { status: "success", value: { name: "shell", arguments: { command: "ls" } } } },
    { type: "toolRequest", id: "c2", toolCall: { status: "success", value: { name: "shell", arguments: {} } } },
  ),
  gooseSay(
    "g3",
    "user",
    { type: "toolResponse", id: "c1", toolResult: { status: "success", value: [{ type: "text", text: "a.txt" }] } },
    { type: "toolResponse", id: "c2", toolResult: { status: "error", error: "no" } },
  ),
  gooseSay("g4", "assistant", { type: "text", text: "One file." }),
]

const neovateSession: readonly unknown[] = [
  neovate.config,
  neovate.user("n1", null, "list files"),
  neovate.assistant("n2", "n1", { type: "reasoning", text: "hm" }, neovate.say("looking"), neovate.use("c1"), neovate.use("c2")),
  neovate.tool("n3", "n2", neovate.answer("c1"), neovate.answer("c2", "no", { isError: true })),
  neovate.assistant("n4", "n3", neovate.say("One file.")),
  neovate.user("n5", "n4", [{ type: "text", text: "thanks" }]),
]

const neovateEarly: readonly unknown[] = [
  neovate.config,
  neovate.user("n1", null, "list files"),
  neovate.assistant("n2", "n1", neovate.use("c1")),
  neovate.user("n3", "n2", [neovate.earlyAnswer("c1")]),
  neovate.assistant("n4", "n3", neovate.say("One file.")),
]

const openWebuiCards = chats.chat([
  chats.node("w1", null, "user", "weather?"),
  chats.node("w2", "w1", "assistant", chats.withCards),
  chats.node("w3", "w2", "user", "thanks"),
])

const openWebuiItems = chats.chat(
  [
    chats.node("w1", null, "user", "weather?"),
    chats.node("w2", "w1", "assistant", "Rain.", { output: chats.output }),
    chats.node("w3", "w1", "assistant", "Another answer."),
  ],
  "w2",
)

const opencodeExport = opencode.session(
  opencode.user("msg_1", { id: "prt_1", type: "text", text: "list files" }),
  opencode.model("msg_2", [
    { id: "prt_2", type: "step-start" },
    { id: "prt_3", type: "reasoning", text: "hm", metadata: { anthropic: { signature: "c2ln" } } },
    { id: "prt_4", type: "text", text: "looking" },
    { id: "prt_5", type: "tool", callID: "c1", tool: "ls", state: opencode.completed("a.txt") },
    {
      id: "prt_6",
      type: "tool",
      callID: "c2",
      tool: "cat",
      state: { status: "error", input: {}, error: "no", time: { start: 1, end: 2 } },
    },
    { id: "prt_7", type: "step-finish", reason: "tool-calls" },
  ]),
  opencode.model("msg_3", [{ id: "prt_8", type: "text", text: "One file." }]),
)

const handTime = "2025-03-01T10:00:00.000000"

const handsMetadata = (id: string): Wire => ({
  function_name: "execute_bash",
  tool_call_id: id,
  total_calls_in_response: 1,
  model_response: {
    id: `r-${id}`,
    choices: [
      {
        message: {
          role: "assistant",
          content: "I look.",
          tool_calls: [{ id, type: "function", function: { name: "execute_bash", arguments: '{"command":"ls"}' } }],
        },
      },
    ],
  },
})

const openhandsV0: readonly Wire[] = [
  { id: 1, timestamp: handTime, source: "user", message: "go", action: "message", args: { content: "go", image_urls: null } },
  {
    id: 2,
    timestamp: handTime,
    source: "agent",
    message: "Running",
    action: "run",
    args: { command: "ls", thought: "I look." },
    tool_call_metadata: handsMetadata("a"),
  },
  {
    id: 3,
    timestamp: handTime,
    source: "agent",
    message: "",
    cause: 2,
    observation: "run",
    content: "a.txt",
    extras: { command: "ls" },
    tool_call_metadata: handsMetadata("a"),
  },
  { id: 4, timestamp: handTime, source: "environment", message: "", observation: "agent_state_changed", content: "", extras: {} },
  { id: 5, timestamp: handTime, source: "agent", message: "done", action: "message", args: { content: "done" } },
]

const handsHead = (kind: string, id: string, source: string): Wire => ({ kind, id, timestamp: handTime, source })

const handsAction = (id: string, call: string): Wire => ({
  ...handsHead("ActionEvent", id, "agent"),
  thought: [{ type: "text", text: "I look." }],
  reasoning_content: "hm",
  thinking_blocks: [{ type: "thinking", thinking: "hm", signature: "c2ln" }],
  action: { kind: "BashAction", command: "ls" },
  tool_name: "bash",
  tool_call_id: call,
  tool_call: { id: call, type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } },
  llm_response_id: "r1",
})

const handsObservation = (id: string, call: string): Wire => ({
  ...handsHead("ObservationEvent", id, "environment"),
  tool_name: "bash",
  tool_call_id: call,
  action_id: "x",
  observation: { kind: "BashObservation", content: [{ type: "text", text: `result of ${call}` }] },
})

const openhandsV1: readonly Wire[] = [
  { ...handsHead("SystemPromptEvent", "h0", "agent"), system_prompt: { type: "text", text: "careful" }, tools: [] },
  { ...handsHead("MessageEvent", "h1", "user"), llm_message: { role: "user", content: [{ type: "text", text: "go" }] } },
  handsAction("h2", "c1"),
  handsAction("h3", "c2"),
  handsObservation("h4", "c1"),
  handsObservation("h5", "c2"),
  { ...handsHead("MessageEvent", "h6", "agent"), llm_message: { role: "assistant", content: [{ type: "text", text: "done" }] } },
]

const piSession: readonly unknown[] = [
  pi.header,
  pi.user("p1", null, "list files"),
  pi.assistant("p2", "p1", [
    { type: "thinking", thinking: "hm", thinkingSignature: "c2ln" },
    { type: "text", text: "looking" },
    pi.toolCall("c1"),
    pi.toolCall("c2"),
  ]),
  pi.toolResult("p3", "p2", "c1", "a.txt"),
  pi.toolResult("p4", "p3", "c2", "no", true),
  pi.entry("p5", "p4", { type: "model_change", provider: "anthropic", modelId: "claude-x" }),
  pi.assistant("p6", "p5", [{ type: "text", text: "One file." }], { stopReason: "stop" }),
  pi.entry("p7", "p6", { type: "compaction", summary: "Listed files", firstKeptEntryId: "p6", tokensBefore: 10 }),
  pi.user("p8", "p7", "thanks"),
]

const piOldest: readonly unknown[] = [
  pi.header,
  ...[
    pi.user("p1", null, "list files"),
    pi.assistant("p2", "p1", [pi.toolCall("c1")]),
    pi.toolResult("p3", "p2", "c1", "a.txt"),
    pi.assistant("p4", "p3", [{ type: "text", text: "One file." }]),
  ].map(pi.withoutIds),
]

const chatCall = (id: string): Wire => ({ id, type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } })

const sweAgent = {
  environment: "swe_main",
  trajectory: [{ action: "ls", observation: "a.py", response: "", thought: "", state: {} }],
  history: [
    { role: "system", content: "careful", agent: "main", message_type: "system_prompt" },
    { role: "user", content: "Fix the bug", agent: "main", message_type: "observation" },
    {
      role: "assistant",
      content: "I look.",
      thought: "I look.",
      action: "ls",
      agent: "main",
      message_type: "action",
      tool_calls: [chatCall("a")],
    },
    { role: "tool", content: "a.py", agent: "main", message_type: "observation", tool_call_ids: ["a"] },
    { role: "assistant", content: "Done.", agent: "main", message_type: "action" },
  ],
  info: { exit_status: "submitted" },
}

const tauBench = {
  task_id: 3,
  reward: 1,
  info: {},
  trial: 0,
  traj: [
    { role: "system", content: "careful" },
    { role: "user", content: "Cancel my flight" },
    { role: "assistant", content: null, tool_calls: [chatCall("call_1"), chatCall("call_2")] },
    { role: "tool", tool_call_id: "call_1", name: "bash", content: "ok" },
    { role: "tool", tool_call_id: "call_2", name: "bash", content: "no" },
    { role: "assistant", content: "Done." },
  ],
}

const tau2Call = (id: string, requestor: string): Wire => ({ id, name: "lookup", arguments: { order: 3 }, requestor })

const tau2 = {
  id: "sim-1",
  task_id: "7",
  termination_reason: "user_stop",
  messages: [
    { role: "assistant", content: "Hi!", tool_calls: null, turn_idx: 0 },
    { role: "user", content: "Where is my order?", tool_calls: null, turn_idx: 1 },
    { role: "assistant", content: null, tool_calls: [tau2Call("a", "assistant"), tau2Call("b", "assistant")], turn_idx: 2 },
    { id: "a", role: "tool", content: "not found", requestor: "assistant", error: true, turn_idx: 3 },
    { id: "b", role: "tool", content: "3", requestor: "assistant", error: false, turn_idx: 4 },
    { role: "user", content: "One moment", tool_calls: [tau2Call("u", "user")], turn_idx: 5 },
    { id: "u", role: "tool", content: "order 3", requestor: "user", error: false, turn_idx: 6 },
    { role: "assistant", content: "Done.", tool_calls: null, turn_idx: 7 },
  ],
}

const kimiContext: readonly Wire[] = [
  { role: "_system_prompt", content: "You are Kimi." },
  { role: "_checkpoint", id: 0 },
  { role: "user", content: "list the files" },
  { role: "_usage", token_count: 18 },
  {
    role: "assistant",
    content: [
      { type: "think", think: "two at once" },
      { type: "text", text: "I look." },
    ],
    tool_calls: [
      { type: "function", id: "Shell:0", function: { name: "Shell", arguments: '{"command":"ls"}' } },
      { type: "function", id: "ReadFile:1", function: { name: "ReadFile", arguments: '{"path":"a"}' } },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "text", text: "<system>Command executed successfully.</system>" },
      { type: "text", text: "a b" },
    ],
    tool_call_id: "Shell:0",
  },
  { role: "tool", content: "hello", tool_call_id: "ReadFile:1" },
  { role: "assistant", content: "Two files." },
]

const droid: readonly Wire[] = [
  { type: "session_start", id: "d-1", title: "files", version: 2, cwd: "/project" },
  {
    type: "message",
    id: "m1",
    timestamp: "2026-03-01T10:00:00.000Z",
    message: { role: "user", content: [{ type: "text", text: "list the files" }] },
  },
  {
    type: "message",
    id: "m2",
    timestamp: "2026-03-01T10:00:01.000Z",
    message: {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "two", signature: "c2lnbmF0dXJl" },
        { type: "tool_use", id: "tu-1", name: "LS", input: {} },
        { type: "tool_use", id: "tu-2", name: "Read", input: { path: "a" } },
      ],
    },
  },
  {
    type: "message",
    id: "m3",
    timestamp: "2026-03-01T10:00:02.000Z",
    message: {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "tu-1", content: "a b" },
        { type: "tool_result", tool_use_id: "tu-2", content: "no", is_error: true },
      ],
    },
  },
  { type: "session_event", data: "saved" },
  { type: "message", id: "m4", timestamp: "2026-03-01T10:00:03.000Z", message: { role: "assistant", content: "Two files." } },
]

const atif: Wire = {
  schema_version: "ATIF-v1.7",
  session_id: "a-1",
  agent: { name: "terminus", version: "2.0.0", model_name: "m" },
  steps: [
    { step_id: 1, source: "system", message: "Be careful." },
    {
      step_id: 2,
      source: "user",
      message: [
        { type: "text", text: "what is on it?" },
        { type: "image", source: { media_type: "image/png", path: "images/one.png" } },
      ],
    },
    {
      step_id: 3,
      timestamp: "2026-03-01T10:00:01.000Z",
      source: "agent",
      message: "I look.",
      reasoning_content: "two at once",
      tool_calls: [
        { tool_call_id: "c1", function_name: "ls", arguments: {} },
        { tool_call_id: "c2", function_name: "cat", arguments: { path: "a" } },
      ],
      observation: {
        results: [
          { source_call_id: "c1", content: "a b" },
          { source_call_id: "c2", content: "hello" },
        ],
      },
      metrics: { prompt_tokens: 4 },
    },
    { step_id: 4, source: "agent", message: '{"commands": []}', observation: { results: [{ content: "New output" }] } },
    { step_id: 5, source: "agent", message: "Done." },
  ],
  final_metrics: { total_prompt_tokens: 4 },
}

/** What a file of each format holds. */
export const seeds: Readonly<Record<string, readonly [unknown, ...unknown[]]>> = {
  atif: [atif],
  "claude-code": [claudeCode(), claudeMixed()],
  "claude-code-array": [claudeCode()],
  "claude-stream-json": [claudeStream],
  "cline-api": [clineBlocks, clineXml],
  "cline-cli": [clineCli],
  "codex-rollout": [codexRollout],
  "codex-rollout-old": [codexOld],
  continue: [continueSession],
  "copilot-cli": [copilotCli],
  droid: [droid],
  "gemini-cli": [geminiValue, geminiLines],
  goose: [goose],
  "hermes-agent": [samples["hermes-agent"]?.value],
  "kilo-cli": [opencodeExport],
  "kimi-context": [kimiContext],
  neovate: [neovateSession, neovateEarly],
  "open-webui": [openWebuiCards, openWebuiItems],
  "opencode-export": [opencodeExport],
  "openhands-v0": [openhandsV0],
  "openhands-v1": [openhandsV1],
  pi: [piSession, piOldest],
  "qwen-code": [qwen.records],
  "swe-agent": [sweAgent],
  "tau-bench": [tauBench],
  tau2: [tau2],
}
