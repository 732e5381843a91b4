/** One run of the benchmark: `{ task_id, reward, info, traj, trial }`. Files hold a list of them. */
import { isWire, type Wire } from "../../model/index.ts"

/** The messages must be there; of the fields around them one is enough, since forks of the benchmark drop some. */
export const isRun = (value: unknown): value is Wire =>
  isWire(value) && Array.isArray(value["traj"]) && ("task_id" in value || "reward" in value || "trial" in value)

/** The run in what was handed over: a run, a file with runs (its first), or the bare messages. */
export const runOf = (value: unknown): Wire => {
  if (isWire(value)) return value
  if (!Array.isArray(value)) return {}
  return (value as readonly unknown[]).find(isRun) ?? { traj: value }
}

export const messagesOf = (run: Wire): readonly unknown[] => {
  const list = run["traj"]
  return Array.isArray(list) ? list : []
}
