/** What an export says of its session, where it goes, and how it is known. */
import { isWire, type Wire } from "../../model/index.ts"
import type { Recognised, SessionCompaction, SessionOutline, SessionPath, SessionPlace, SessionSample } from "../../formats/engine/session.ts"
import { listOf, stringOf, wireOf } from "../engine/fields.ts"
import { isoOf } from "../engine/iso-time.ts"
import { hasPart, infoOf, numberOf, partsOf, sessionOf } from "./fields.ts"
import { pathIds, revertOf } from "./path.ts"
import { isCleared } from "./read-part.ts"
import { namedPlace } from "../engine/place-names.ts"

const field = (name: string, value: unknown): Wire =>
  (typeof value === "string" && value !== "" ? { [name]: value } : {})

const firstWords = (message: unknown): string => {
  for (const part of isWire(message) ? partsOf(message) : []) {
    const text =
      isWire(part) && part["type"] === "text" && part["synthetic"] !== true ? stringOf(part["text"]).trim() : ""
    if (text !== "") return text.slice(0, 80)
  }
  return ""
}

const summaryText = (message: unknown): string | undefined => {
  if (!isWire(message) || infoOf(message)["summary"] !== true) return undefined
  for (const part of partsOf(message)) if (isWire(part) && part["type"] === "text") return stringOf(part["text"])
  return undefined
}

const hasCleared = (message: Wire): boolean =>
  partsOf(message).some((part) => isWire(part) && part["type"] === "tool" && isCleared(wireOf(part["state"])))

const compactionsOf = (messages: readonly unknown[]): readonly SessionCompaction[] => {
  const compactions: SessionCompaction[] = []
  messages.forEach((message, record) => {
    if (!isWire(message)) return
    if (hasCleared(message)) compactions.push({ record, kind: "cleared-results", trigger: "auto" })
    if (!hasPart(message, "compaction")) return
    const part = partsOf(message).find((one) => isWire(one) && one["type"] === "compaction")
    const summary = summaryText(messages[record + 1])
    const auto = isWire(part) ? part["auto"] : undefined
    const trigger = auto === true ? "auto" : "manual"
    compactions.push({
      record,
      kind: "summary",
      ...(typeof auto === "boolean" && { trigger }),
      ...(summary !== undefined && { summary }),
    })
  })
  return compactions
}

const modelOf = (messages: readonly unknown[]): string => {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]
    const model = isWire(message) ? stringOf(infoOf(message)["modelID"]) : ""
    if (model !== "") return model
  }
  return ""
}

export const outline = (value: unknown): SessionOutline => {
  const { info, messages } = sessionOf(value)
  const cut = revertOf(value)?.cut
  const ids = pathIds(value, cut)
  const title = firstWords(messages.find((message) => isWire(message) && infoOf(message)["role"] === "user"))
  const own = stringOf(info["parentID"]) === "" ? "active" : "subagent"
  const end = cut ? cut.message + (cut.part > 0 ? 1 : 0) : messages.length
  const active: SessionPath = { id: ids.active, kind: own, ...field("title", title), messages: end, first: 0 }
  const reverted: readonly SessionPath[] = cut
    ? [
        {
          id: ids.reverted,
          kind: "abandoned",
          ...field("title", firstWords(messages[cut.message])),
          messages: messages.length - cut.message,
          first: cut.message,
          ...(cut.message > 0 && { leaves: cut.message - 1 }),
        },
      ]
    : []
  const created = numberOf(wireOf(info["time"])["created"])
  const parent = stringOf(info["parentID"])
  return {
    ...field("id", info["id"]),
    ...field("title", stringOf(info["title"]) || title),
    ...field("folder", info["directory"]),
    ...field("model", modelOf(messages)),
    ...field("agentVersion", info["version"]),
    ...(created !== undefined && Math.abs(created) < 8.64e15 && { startedAt: isoOf(Math.floor(created)) }),
    paths: [active, ...reverted],
    compactions: compactionsOf(messages),
    ...(parent !== "" && { subagent: { session: parent } }),
    ...(parent !== "" && { needs: [`the session ${parent}, which started this one as its subagent`] }),
  }
}

export const place = (value: unknown): SessionPlace => {
  return namedPlace({
    id: stringOf(sessionOf(value).info["id"]),
    otherwise: "session",
    path: (name) => `${name}.json`,
    resume: (name) => `opencode import ${name}.json && opencode --session ${name === "session" ? "<id>" : name}`,
    note: "Import it in the folder of the project: the session is filed under the project it is imported in.",
  })
}

const isMessage = (value: unknown): boolean => isWire(value) && isWire(value["info"]) && Array.isArray(value["parts"])

/** Ids are no mark: they may be redacted. */
export const recognise = ({ syntax, records }: SessionSample): Recognised | undefined => {
  const [value] = records
  if (syntax !== "value" || !isWire(value)) return undefined
  if (!isWire(value["info"]) || !Array.isArray(value["messages"])) return undefined
  const { info } = value
  const messages = listOf(value["messages"])
  const marks = ["slug", "projectID", "directory", "version"].filter((key) => key in info).length
  if (messages.length > 0 ? !messages.slice(0, 8).some(isMessage) : marks < 2) return undefined
  if (marks >= 2) return { certainty: "certain", why: "info of a session around messages of info and parts" }
  return { certainty: "likely", why: "messages of info and parts" }
}
