/**
 * Results of tau-bench: a list of runs `{ task_id, reward, info, traj, trial }`, each with the Chat Completions messages of
 * its agent under `traj`. Ids that repeat or are missing and arguments that are no JSON are what real runs hold, and go into
 * the transcript as they are.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { defineListSession } from "../engine/define-list-session.ts"
import { listOf, stringOf } from "../engine/fields.ts"

/** The messages must be there; of the fields around them one is enough, since forks of the benchmark drop some. */
const isRun = (value: unknown): value is Wire =>
  isWire(value) && Array.isArray(value["traj"]) && ("task_id" in value || "reward" in value || "trial" in value)

const runsLookedAt = 8

const titleOf = (messages: readonly unknown[]): string | undefined => {
  for (const message of messages) {
    const text = isWire(message) && message["role"] === "user" ? stringOf(message["content"]).trim() : ""
    if (text !== "") return text.slice(0, 80)
  }
  return undefined
}

export const tauBench = defineListSession({
  format: "tau-bench",
  title: "tau-bench results",
  agent: "tau-bench",
  sources:
    "sierra-research/tau-bench tau_bench/run.py and tau_bench/types.py; results in Madhav-Kanda/tau-bench and avaljotsingh/tau-bench",
  aliases: ["taubench", "tau"],
  api: openaiChat,
  // A run, a file with runs (its first), or the bare messages.
  fileOf: (value) => (isWire(value) ? value : Array.isArray(value) ? (value.find(isRun) ?? { traj: value as readonly unknown[] }) : {}),
  keyOf: () => "traj",
  path: "run",
  facts: ({ task_id: task, trial, traj }) => ({
    ...((typeof task === "number" || typeof task === "string") && {
      id: typeof trial === "number" ? `task ${task}, trial ${trial}` : `task ${task}`,
    }),
    title: titleOf(listOf(traj)),
  }),
  recognise: ({ syntax, records }) => {
    const [root] = records
    const list: readonly unknown[] = syntax === "value" && Array.isArray(root) ? root : records
    if (!list.slice(0, runsLookedAt).some(isRun)) return undefined
    return { certainty: "certain", why: "its elements are runs with a task and the messages of their agent under traj" }
  },
  sessionsIn: (root) =>
    isRun(root) ? [{ path: [], value: root }] : listOf(root).flatMap((value, index) => (isRun(value) ? [{ path: [index], value }] : [])),
})
