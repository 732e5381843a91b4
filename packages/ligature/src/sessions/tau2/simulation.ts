/**
 * One simulation: `{ id, task_id, messages, termination_reason, reward_info, trial, seed, … }`; files hold many, or
 * one.
 */
import { isWire, type Wire } from "../../model/index.ts"

/** In a list of simulations the messages are mark enough; a file of its own must show more. */
export const isSimulation = (value: unknown): value is Wire => isWire(value) && Array.isArray(value["messages"])

export const isLoneSimulation = (value: unknown): value is Wire =>
  isSimulation(value) && "task_id" in value && "termination_reason" in value

/** A file of results. It may hold no simulation yet: then it is recognised by the task and environment beside them. */
export const isResults = (value: unknown): value is Wire & { readonly simulations: readonly unknown[] } =>
  isWire(value) && Array.isArray(value["simulations"]) && ("tasks" in value || "info" in value)

export const simulationOf = (value: unknown): Wire => {
  if (isResults(value)) return value.simulations.find(isSimulation) ?? {}
  if (isWire(value)) return value
  return Array.isArray(value) ? { messages: value } : {}
}

export const messagesOf = (simulation: Wire): readonly unknown[] => {
  const list = simulation["messages"]
  return Array.isArray(list) ? list : []
}

const isByUser = (value: unknown): boolean => isWire(value) && value["requestor"] === "user"

/**
 * The simulated user has tools of its own. Its calls go to the environment and the results come back to it: the agent
 * sees neither, nor the words beside such a call.
 */
export const isUserTraffic = (message: Wire): boolean => {
  if (message["role"] === "tool") return isByUser(message)
  if (message["role"] !== "user") return false
  const calls = message["tool_calls"]
  return Array.isArray(calls) && calls.length > 0
}
