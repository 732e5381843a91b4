/**
 * Trajectories of SWE-agent (`.traj`) and of mini-swe-agent. SWE-agent keeps what the model saw in `history`; `trajectory`
 * repeats the same steps for analysis (action, observation, state), with copies of the messages, and is no conversation of
 * its own. mini-swe-agent keeps one list, `messages`, and names itself in `trajectory_format`.
 *
 * The messages are those of Chat Completions, but for results, which name their calls in a list (`tool_call_ids`). Runs
 * without native calls keep their actions as text, as the model wrote them.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { defineListSession } from "../engine/define-list-session.ts"
import { textOf, wireOf } from "../engine/fields.ts"

const isMini = (value: unknown): value is Wire => {
  if (!isWire(value) || !Array.isArray(value["messages"])) return false
  const { trajectory_format: name } = value
  return typeof name === "string" && name.startsWith("mini-swe-agent")
}

const isStep = (value: unknown): boolean => isWire(value) && "action" in value && "observation" in value

/** A run that died at its first step has an empty trajectory: the history beside it is one all the same. */
const isFull = (value: unknown): value is Wire => {
  if (!isWire(value) || !Array.isArray(value["trajectory"])) return false
  const steps: readonly unknown[] = value["trajectory"]
  if (steps.length > 0 && !isStep(steps[0])) return false
  return Array.isArray(value["history"]) || (steps.length > 0 && isWire(value["info"]))
}

/** Several ids in one record stay as they are: Chat Completions reports that shape. */
const toMessage = (record: unknown): unknown => {
  if (!isWire(record) || record["role"] !== "tool" || typeof record["tool_call_id"] === "string") return record
  const { tool_call_ids: ids, ...rest } = record
  if (!Array.isArray(ids) || ids.length !== 1 || typeof ids[0] !== "string") return record
  return { ...rest, tool_call_id: ids[0] }
}

/** mini-swe-agent has the plain field. */
const toRecord = (message: unknown, key: string): unknown => {
  if (key !== "history" || !isWire(message) || message["role"] !== "tool") return message
  const { tool_call_id: id, ...rest } = message
  return id === undefined ? message : { ...rest, tool_call_ids: [id] }
}

export const sweAgent = defineListSession({
  format: "swe-agent",
  title: "SWE-agent trajectory",
  agent: "SWE-agent",
  sources:
    "SWE-agent/SWE-agent sweagent/agent and SWE-agent/mini-swe-agent src/minisweagent/agents/default.py (trajectory format 1.1); trajectories of both",
  aliases: ["sweagent", "mini-swe-agent", "traj"],
  api: openaiChat,
  fileOf: (value) => (Array.isArray(value) ? { history: value } : wireOf(value)),
  keyOf: (file) => (Array.isArray(file["history"]) ? "history" : "messages"),
  // mini-swe-agent closes its list with the reason why it stopped, which the model never saw.
  isMessage: (record) => !isWire(record) || record["role"] !== "exit",
  toMessage,
  toRecord,
  path: "history",
  facts: (file) => {
    const info = wireOf(file["info"])
    const configured = wireOf(wireOf(info["config"])["model"])
    return {
      id: textOf(file["instance_id"]) ?? textOf(file["environment"]),
      model: textOf(configured["model_name"]) ?? textOf(wireOf(info["model_stats"])["model_name"]),
      agentVersion: textOf(info["swe_agent_version"]) ?? textOf(info["mini_version"]),
    }
  },
  recognise: ({ records: [root] }) => {
    if (isMini(root)) return { certainty: "certain", why: "trajectory_format names mini-swe-agent" }
    if (!isFull(root)) return undefined
    return { certainty: "certain", why: "it holds a trajectory of actions and observations beside the history" }
  },
  sessionsIn: (root) => (isMini(root) || isFull(root) ? [{ path: [], value: root }] : []),
})
