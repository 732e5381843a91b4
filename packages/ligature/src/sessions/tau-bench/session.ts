/** How files of tau-bench are recognised, and what a run says beside its messages. */
import { isWire, type Wire } from "../../model/index.ts"
import type { Path } from "../../json/json-value.ts"
import type { Recognised, SessionOutline, SessionSample } from "../../formats/engine/session.ts"
import { isRun, messagesOf, runOf } from "./run.ts"

const lookedAt = 8

export const recognise = ({ syntax, records }: SessionSample): Recognised | undefined => {
  const [root] = records
  const list: readonly unknown[] = syntax === "value" && Array.isArray(root) ? root : records
  if (!list.slice(0, lookedAt).some(isRun)) return undefined
  return { certainty: "certain", why: "its elements are runs with a task and the messages of their agent under traj" }
}

export const sessionsIn = (root: unknown): readonly { readonly path: Path; readonly value: unknown }[] => {
  if (isRun(root)) return [{ path: [], value: root }]
  if (!Array.isArray(root)) return []
  return (root as readonly unknown[]).flatMap((value, index) => (isRun(value) ? [{ path: [index], value }] : []))
}

const firstWords = (messages: readonly unknown[]): string | undefined => {
  for (const message of messages) {
    if (!isWire(message) || message["role"] !== "user") continue
    const { content } = message
    if (typeof content === "string" && content.trim() !== "") return content.trim().slice(0, 80)
  }
  return undefined
}

const idOf = (run: Wire): string | undefined => {
  const { task_id: task, trial } = run
  if (typeof task !== "number" && typeof task !== "string") return undefined
  return typeof trial === "number" ? `task ${task}, trial ${trial}` : `task ${task}`
}

export const outline = (value: unknown): SessionOutline => {
  const run = runOf(value)
  const messages = messagesOf(run)
  const id = idOf(run)
  const title = firstWords(messages)
  return {
    ...(id !== undefined && { id }),
    ...(title !== undefined && { title }),
    paths: [{ id: id ?? "run", kind: "active", messages: messages.length, first: 0 }],
    compactions: [],
  }
}
