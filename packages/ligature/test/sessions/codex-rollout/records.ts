/** Records of a rollout, written as short as the thing itself. */
import type { Wire } from "../../../src/model/index.ts"

const stamp = (second: number): string => `2026-03-01T10:00:${String(second).padStart(2, "0")}.000Z`

export const item = (payload: Wire, second = 1): Wire => ({ timestamp: stamp(second), type: "response_item", payload })
export const event = (payload: Wire, second = 1): Wire => ({ timestamp: stamp(second), type: "event_msg", payload })

export const meta = (more: Wire = {}): Wire => ({
  timestamp: stamp(0),
  type: "session_meta",
  payload: {
    id: "0198aaaa-0000-7000-8000-000000000001",
    timestamp: stamp(0),
    cwd: "/home/me/project",
    originator: "codex-tui",
    cli_version: "0.142.3",
    source: "cli",
    model_provider: "openai",
    ...more,
  },
})

export const userItem = (text: string): Wire => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text }],
})
export const developerItem = (text: string): Wire => ({ ...userItem(text), role: "developer" })
export const spokenItem = (text: string): Wire => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
})
export const callItem = (id: string, name = "exec_command", args = "{}"): Wire => ({
  type: "function_call",
  name,
  arguments: args,
  call_id: id,
})
export const outputItem = (id: string, output: unknown = "ok"): Wire => ({
  type: "function_call_output",
  call_id: id,
  output,
})
export const customItem = (id: string, input = "*** Begin Patch"): Wire => ({
  type: "custom_tool_call",
  status: "completed",
  call_id: id,
  name: "apply_patch",
  input,
})
export const customOutputItem = (id: string, output = "Done"): Wire => ({
  type: "custom_tool_call_output",
  call_id: id,
  output,
})

/** A prompt as Codex writes it: the item, and the event that repeats it. */
export const prompt = (text: string): readonly Wire[] => [item(userItem(text)), event({ type: "user_message", message: text, images: [] })]
/** Words of the agent: the event first. */
export const spoken = (text: string): readonly Wire[] => [event({ type: "agent_message", message: text }), item(spokenItem(text))]
export const rollBack = (turns: number): Wire => event({ type: "thread_rolled_back", num_turns: turns })
export const compacted = (payload: Wire): Wire => ({ timestamp: stamp(9), type: "compacted", payload })
