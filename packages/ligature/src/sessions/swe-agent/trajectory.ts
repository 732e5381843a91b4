/**
 * The parts of a trajectory file. SWE-agent keeps what the model saw in `history`; `trajectory` tells the same steps
 * for the analyst (action, observation, state) and copies of the messages, and is no conversation of its own.
 * mini-swe-agent keeps one list, `messages`, and names itself in `trajectory_format`.
 */
import { isWire, type Wire } from "../../model/index.ts"

export const isMini = (value: unknown): value is Wire => {
  if (!isWire(value) || !Array.isArray(value["messages"])) return false
  const { trajectory_format: name } = value
  return typeof name === "string" && name.startsWith("mini-swe-agent")
}

const isStep = (value: unknown): boolean => isWire(value) && "action" in value && "observation" in value

/** An empty trajectory is that of a run which died at its first step: the history around it is one all the same. */
export const isFull = (value: unknown): value is Wire => {
  if (!isWire(value) || !Array.isArray(value["trajectory"])) return false
  const steps: readonly unknown[] = value["trajectory"]
  if (steps.length > 0 && !isStep(steps[0])) return false
  return Array.isArray(value["history"]) || (steps.length > 0 && isWire(value["info"]))
}

export const listKeyOf = (value: Wire): "history" | "messages" =>
  Array.isArray(value["history"]) ? "history" : "messages"

export const fileOf = (value: unknown): Wire => {
  if (isWire(value)) return value
  return Array.isArray(value) ? { history: value } : {}
}

export const recordsOf = (file: Wire): readonly unknown[] => {
  const list = file[listKeyOf(file)]
  return Array.isArray(list) ? list : []
}

/** mini-swe-agent closes its list with the reason why it stopped; nobody said that to the model. */
export const isSpoken = (record: unknown): boolean => !isWire(record) || record["role"] !== "exit"
