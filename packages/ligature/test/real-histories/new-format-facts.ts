/** How the manifest of new formats counts, folder by folder, and why a file differs. */
import type { Role } from "../../src/model/index.ts"

interface ReadAs {
  readonly format: string
  /** Whose messages the manifest counts; undefined where it counts something else, such as spans or steps. */
  readonly roles?: readonly Role[] | "branches"
  readonly certainty?: string
  /** The manifest counts the calls of subagents too, which are on branches of their own. */
  readonly subagents?: true
}

const turns: readonly Role[] = ["user", "assistant", "tool"]

const folders: Readonly<Record<string, ReadAs>> = {
  // Turns and steps.
  "kimi-wire": { format: "kimi-wire", roles: ["user", "assistant"] },
  "kimi-code-wire": { format: "kimi-code-wire", roles: ["user", "assistant"] },
  // Lines: a reply has one for each of its blocks.
  "claude-code-array": { format: "claude-code-array", subagents: true },
  // Requests, twice.
  "copilot-chat": { format: "copilot-chat" },
  "copilot-cli": { format: "copilot-cli" },
  "inspect-json": { format: "inspect-log", roles: ["system", ...turns] },
  "inspect-eval": { format: "inspect-log", roles: ["system", ...turns] },
  // Steps.
  atif: { format: "atif" },
  // Spans.
  "visualstudio-copilot": { format: "visualstudio-copilot" },
  // All branches together.
  librechat: { format: "librechat", roles: "branches" },
  "chatgpt-export": { format: "chatgpt-export", roles: "branches" },
  // Events.
  "openhands-output": { format: "openhands-v0" },
  "openhands-v0": { format: "openhands-v0" },
  // Lines of prompts, of which several are one prompt.
  aider: { format: "aider" },
  // Messages of the assistant, which calls are no part of.
  dsh: { format: "dsh" },
  gptme: { format: "gptme", roles: ["system", "user", "assistant"] },
  "grok-build": { format: "grok-build" },
  "kiro-sqlite-payload": { format: "kiro", roles: turns },
  "kiro-export": { format: "kiro", roles: turns },
  // Texts.
  "opencode-run": { format: "opencode-run" },
  traex: { format: "codex-rollout" },
  // A bare list of messages, as other programs have it.
  "mini-swe-agent": { format: "openai-chat", roles: ["system", ...turns], certainty: "guess" },
}

export const readAs = (folder: string): ReadAs => folders[folder] ?? { format: folder, roles: turns }

interface Reason {
  readonly reason: string
  readonly messages?: number
  readonly tool_calls?: number
  readonly results?: number
  readonly unanswered?: number
  readonly orphans?: number
}

export const reasons: Readonly<Record<string, Reason>> = {
  "kimi-wire/getagentseal+codeburn-00.jsonl": { reason: "calls without a step are a message of the assistant", messages: 2 },
  "kimi-wire/MoonshotAI+kimi-code-01.jsonl": { reason: "the last step has nothing", messages: 2 },
  "kimi-code-wire/es617+claude-replay-00.jsonl": { reason: "prompts that no message repeats are messages", messages: 8 },
  "chatgpt-export/danny-avila+LibreChat-00.json": { reason: "a system message without text is none", messages: 11 },
  "openhands-output/OpenHands+OpenHands-00.jsonl": { reason: "the action that ends a run is no call", tool_calls: 103, unanswered: 0 },
  "openhands-v0/OpenHands+OpenHands-00.json": { reason: "the action that ends a run is no call", tool_calls: 1, unanswered: 0 },
  "iflow/kenn-io+agentsview-00.jsonl": { reason: "records repeat blocks while an answer streams", messages: 11, tool_calls: 6 },
  "gptme/kenn-io+agentsview-00.jsonl": { reason: "what a code block printed answers no call: it is text", results: 0, orphans: 0 },
  "codebuff/getagentseal+codeburn-00.json": { reason: "four messages are empty or a divider", messages: 3 },
  "posit-assistant/kenn-io+agentsview-00.jsonl": { reason: "calls of the AI SDK are calls", tool_calls: 1, results: 1 },
}
