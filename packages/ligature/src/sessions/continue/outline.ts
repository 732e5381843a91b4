/** What a Continue session says of itself, where it lies, and how it is known. */
import { isWire, type Wire } from "../../model/index.ts"
import type { Recognised, SessionCompaction, SessionOutline, SessionPlace, SessionSample } from "../../formats/engine/session.ts"
import { listOf, stringOf, wireOf } from "../engine/fields.ts"
import { historyOf, messageOf, summaryOf } from "./fields.ts"
import { namedPlace } from "../engine/place-names.ts"

const field = (name: string, value: unknown): Wire =>
  (typeof value === "string" && value !== "" ? { [name]: value } : {})

const modelOf = (history: readonly unknown[]): string => {
  for (let index = history.length - 1; index >= 0; index--) {
    const item = history[index]
    const log = isWire(item) ? wireOf(listOf(item["promptLogs"])[0]) : {}
    const model = stringOf(wireOf(log["completionOptions"])["model"]) || stringOf(log["modelTitle"])
    if (model !== "") return model
  }
  return ""
}

const compactionsOf = (history: readonly unknown[]): readonly SessionCompaction[] =>
  history.flatMap((item, record) => {
    const summary = isWire(item) ? summaryOf(item) : ""
    return summary === "" ? [] : [{ record, kind: "summary" as const, summary }]
  })

export const outline = (value: unknown): SessionOutline => {
  const session = wireOf(value)
  const history = historyOf(value)
  const title = stringOf(session["title"])
  return {
    ...field("id", session["sessionId"]),
    ...field("title", title),
    ...field("folder", session["workspaceDirectory"]),
    ...field("model", modelOf(history)),
    paths: [{ id: "active", kind: "active", ...(title !== "" && { title }), messages: history.length, first: 0 }],
    compactions: compactionsOf(history),
  }
}

export const place = (value: unknown): SessionPlace => {
  return namedPlace({
    id: stringOf(wireOf(value)["sessionId"]),
    otherwise: "<sessionId>",
    path: (name) => `~/.continue/sessions/${name}.json`,
    resume: () => "open it from the history of the Continue side bar",
    note: "The history lists what ~/.continue/sessions/sessions.json names: the session needs an entry there.",
  })
}

const isItem = (value: unknown): boolean =>
  isWire(value) && isWire(value["message"]) && typeof messageOf(value)["role"] === "string"

export const recognise = ({ syntax, records }: SessionSample): Recognised | undefined => {
  const [value] = records
  if (syntax !== "value" || !isWire(value) || !Array.isArray(value["history"])) return undefined
  const history = historyOf(value)
  const named = typeof value["sessionId"] === "string" && "workspaceDirectory" in value
  const items = history.slice(0, 8)
  if (items.length > 0 && !items.some(isItem)) return undefined
  if (named) return { certainty: "certain", why: "a history with a sessionId and a workspaceDirectory" }
  const marked = items.some((item) => isItem(item) && isWire(item) && "contextItems" in item)
  return marked ? { certainty: "likely", why: "a history of messages with contextItems" } : undefined
}
