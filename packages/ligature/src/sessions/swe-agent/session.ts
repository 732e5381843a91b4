/** How trajectory files are recognised, and what they say beside their messages. */
import { isWire, type Wire } from "../../model/index.ts"
import type { Path } from "../../json/json-value.ts"
import type { Recognised, SessionOutline, SessionSample } from "../../formats/engine/session.ts"
import { fileOf, isFull, isMini, isSpoken, recordsOf } from "./trajectory.ts"

export const recognise = ({ records }: SessionSample): Recognised | undefined => {
  const [root] = records
  if (isMini(root)) return { certainty: "certain", why: "trajectory_format names mini-swe-agent" }
  if (!isFull(root)) return undefined
  return { certainty: "certain", why: "it holds a trajectory of actions and observations beside the history" }
}

export const sessionsIn = (root: unknown): readonly { readonly path: Path; readonly value: unknown }[] =>
  isMini(root) || isFull(root) ? [{ path: [], value: root }] : []

const textAt = (value: unknown, ...keys: readonly string[]): string | undefined => {
  let current = value
  for (const key of keys) current = isWire(current) && Object.hasOwn(current, key) ? current[key] : undefined
  return typeof current === "string" && current !== "" ? current : undefined
}

/** Where mini-swe-agent and SWE-agent say it, as far as they do. */
const modelOf = (file: Wire): string | undefined =>
  textAt(file, "info", "config", "model", "model_name") ?? textAt(file, "info", "model_stats", "model_name")

export const outline = (value: unknown): SessionOutline => {
  const file = fileOf(value)
  const messages = recordsOf(file).filter(isSpoken).length
  const id = textAt(file, "instance_id") ?? textAt(file, "environment")
  const model = modelOf(file)
  const agentVersion = textAt(file, "info", "swe_agent_version") ?? textAt(file, "info", "mini_version")
  return {
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    ...(agentVersion !== undefined && { agentVersion }),
    paths: [{ id: id ?? "history", kind: "active", messages, first: 0 }],
    compactions: [],
  }
}
