/** How files of tau2 are recognised, and what a simulation says beside its messages. */
import { isWire } from "../../model/index.ts"
import type { Path } from "../../json/json-value.ts"
import type { Recognised, SessionOutline, SessionSample } from "../../formats/engine/session.ts"
import { textOf } from "../engine/fields.ts"
import { isLoneSimulation, isResults, isSimulation, isUserTraffic, messagesOf, simulationOf } from "./simulation.ts"

export const recognise = ({ records }: SessionSample): Recognised | undefined => {
  const [root] = records
  if (isResults(root)) return { certainty: "certain", why: "it holds simulations beside the tasks they ran" }
  if (!isLoneSimulation(root)) return undefined
  return { certainty: "likely", why: "it holds messages beside a task and the reason why the simulation ended" }
}

export const sessionsIn = (root: unknown): readonly { readonly path: Path; readonly value: unknown }[] => {
  if (isLoneSimulation(root)) return [{ path: [], value: root }]
  if (!isResults(root)) return []
  return root.simulations.flatMap((value, index) =>
    isSimulation(value) ? [{ path: ["simulations", index], value }] : [],
  )
}

export const outline = (value: unknown): SessionOutline => {
  const simulation = simulationOf(value)
  const seen = messagesOf(simulation).filter((message) => !isWire(message) || !isUserTraffic(message))
  const id = textOf(simulation["id"])
  const task = simulation["task_id"]
  const startedAt = textOf(simulation["start_time"])
  return {
    ...(id !== undefined && { id }),
    ...((typeof task === "string" || typeof task === "number") && { title: `task ${task}` }),
    ...(startedAt !== undefined && { startedAt }),
    paths: [{ id: id ?? "simulation", kind: "active", messages: seen.length, first: 0 }],
    compactions: [],
  }
}
