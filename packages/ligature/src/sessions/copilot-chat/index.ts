/**
 * Chats of GitHub Copilot in VS Code: `chatSessions/ID.json` in the storage of a workspace, the same as "Export Chat" without
 * version and id, and the newer `ID.jsonl`, a log of changes: its first line is the whole session, every other one sets,
 * extends or deletes a value at a path. Facts are from files of versions 0.31 to 0.36 of the extension and from VS Code's
 * chatModel.ts (August 2026). Only read: VS Code keeps an index beside the files.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, textOf, wireOf } from "../engine/fields.ts"
import { isoOf } from "../engine/iso-time.ts"
import { format, readRequest } from "./response.ts"

type Step = string | number

const isIndex = (step: Step | undefined): boolean => typeof step === "number" || (typeof step === "string" && /^\d{1,9}$/.test(step))

/** `value` with `change` applied at a path; nothing of `value` itself is changed. */
const changedAt = (value: unknown, path: readonly Step[], change: (before: unknown) => unknown): unknown => {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  if (Array.isArray(value) && isIndex(step)) {
    const at = Number(step)
    return at > value.length ? value : value.toSpliced(at, 1, changedAt(value[at], rest, change))
  }
  const wire = wireOf(value)
  return { ...wire, [String(step)]: changedAt(Object.hasOwn(wire, String(step)) ? wire[String(step)] : undefined, rest, change) }
}

const without = (value: unknown, path: readonly Step[]): unknown =>
  changedAt(value, path.slice(0, -1), (holder) => {
    const last = path.at(-1)
    if (Array.isArray(holder) && isIndex(last)) return holder.filter((_, index) => index !== Number(last))
    return isWire(holder) ? Object.fromEntries(Object.entries(holder).filter(([key]) => key !== String(last))) : holder
  })

/** Kinds of lines: 0 the whole session, 1 set, 2 extend the list from an index on, 3 delete. */
const replay = (lines: readonly unknown[]): unknown => {
  let state: unknown
  for (const line of lines) {
    if (!isWire(line)) continue
    const { kind, k, v, i } = line
    const path = listOf(k).filter((step): step is Step => typeof step === "string" || typeof step === "number")
    if (kind === 0) state = v
    else if (path.length === 0) continue
    else if (kind === 1) state = changedAt(state, path, () => v)
    else if (kind === 2)
      state = changedAt(state, path, (list) => [...(typeof i === "number" ? listOf(list).slice(0, i) : listOf(list)), ...listOf(v)])
    else if (kind === 3) state = without(state, path)
  }
  return state
}

const isLog = (value: unknown): value is readonly Wire[] =>
  Array.isArray(value) && isWire(value[0]) && value[0]["kind"] === 0 && isSession(value[0]["v"])

const isSession = (value: unknown): value is Wire =>
  isWire(value) &&
  Array.isArray(value["requests"]) &&
  ("responderUsername" in value || "requesterUsername" in value || "initialLocation" in value)

const sessionOf = (value: unknown): Wire => wireOf(Array.isArray(value) ? replay(value) : value)

export const copilotChat = defineSession({
  format,
  title: "VS Code Copilot chat",
  agent: "VS Code Copilot",
  aliases: ["vscode-copilot", "vscode-chat"],
  sources: "microsoft/vscode src/vs/workbench/contrib/chat/common/model (August 2026); exports of versions 0.31 to 0.36 of the extension",
  capabilities: declareHomes({
    native: ["result-image", "thinking", "parallel-calls", "call-grouping", "raw-arguments", "call-id", "block-order"],
  }),
  layout: "value",
  listKey: "requests",
  orLines: true,
  view: "whole",
  records: (value) => listOf(sessionOf(value)["requests"]),
  wrap: (value) => (Array.isArray(value) ? { records: value } : wireOf(value)),
  read: readRequest,
  facts: ({ modelId, timestamp }) => ({ model: textOf(modelId), ...(typeof timestamp === "number" && { startedAt: isoOf(timestamp) }) }),
  about: (value) => {
    const { sessionId, customTitle, creationDate } = sessionOf(value)
    return {
      id: textOf(sessionId),
      title: textOf(customTitle),
      ...(typeof creationDate === "number" && { startedAt: isoOf(creationDate) }),
    }
  },
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "its first line is a whole chat, and the others change it",
      isOn: (value, syntax) => syntax === "lines" && isLog(value),
    },
    {
      certainty: "certain",
      evidence: "it holds the requests of a chat beside the name of who answers",
      isOn: (value, syntax) => syntax === "value" && isSession(value),
    },
  ],
})
