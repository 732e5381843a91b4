/**
 * Sessions of opencode, as `opencode export` writes them and `opencode import` reads them: `{ info, messages: [{ info, parts }] }`.
 * Kilo CLI is the same program under another name since its version 7, and has the same files.
 *
 * The order is that of the file: ids, by which the agent orders its own storage, may have been redacted. A revert hides a
 * message or a part and all after it, which are a path of their own. The default view is `whole`, with outputs that were cleared
 * for the model; `effective` begins with the last finished compaction (and the tail it keeps), shows cleared results as the
 * model sees them, and leaves out messages that ended with an error, as the agent does.
 */
import { type Diagnostic, isWire, phrase, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { anomaly } from "../engine/anomaly.ts"
import type { CallIds } from "../engine/call-id.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, stringOf, textOf, wireOf } from "../engine/fields.ts"
import { isoOf, millisecondsOf } from "../engine/iso-time.ts"
import { patchList } from "../engine/patch.ts"
import type { FindOptions, FoundPath, SessionFormat, WritePlace } from "../engine/session-format.ts"
import { nameAll, renewIds, timedId, withNewIds } from "./ids.ts"
import { createdIn, format, idOf, infoOf, messageReader, partIn, partsOf, redacted } from "./read-message.ts"
import { writeMessage } from "./write-message.ts"

/** The version whose export has this shape. */
const version = "1.2.0"

/** The session and its messages; a bare list is taken for the messages. */
const sessionOf = (value: unknown): { readonly info: Wire; readonly messages: readonly unknown[] } =>
  Array.isArray(value)
    ? { info: {}, messages: value }
    : { info: wireOf(wireOf(value)["info"]), messages: listOf(wireOf(value)["messages"]) }

const isMessage = (value: unknown): value is Wire => isWire(value) && isWire(value["info"]) && Array.isArray(value["parts"])

/** The value with ids of messages and parts under which the agent can store each of them. */
const withOwnIds: NonNullable<SessionFormat["prepare"]> = (value) => {
  const { info, messages } = sessionOf(value)
  const renewed = renewIds(info, messages)
  if (renewed === messages) return { value, diagnostics: [] }
  const changed = messages.filter((message, index) => message !== renewed[index])
  const what = `${changed.length} messages have an id, or parts with an id, that is missing, redacted or not their own`
  const ids = new Set(changed.map((message) => stringOf(infoOf(wireOf(message))["id"])))
  return {
    value: isWire(value) ? { ...value, messages: renewed } : renewed,
    diagnostics: [
      anomaly(
        "duplicate-record-id",
        {},
        what,
        [...ids].filter((id) => id !== ""),
      ),
    ],
  }
}

/** What a revert hides: a message from one of its parts on (0: the whole message), and everything after it. */
interface Cut {
  readonly message: number
  readonly part: number
}

const indexOfId = (messages: readonly unknown[], id: string): number =>
  id === "" || id === redacted ? -1 : messages.findIndex((message) => isWire(message) && infoOf(message)["id"] === id)

/** Undefined also for a revert to what is not there. */
const cutOf = (revert: Wire, messages: readonly unknown[]): Cut | undefined => {
  const message = indexOfId(messages, stringOf(revert["messageID"]))
  if (message < 0) return undefined
  const id = stringOf(revert["partID"])
  const isNamed = id !== "" && id !== redacted
  const part = isNamed ? partsOf(wireOf(messages[message])).findIndex((each) => isWire(each) && each["id"] === id) : -1
  return { message, part: Math.max(0, part) }
}

const isFinishedSummary = (info: Wire): boolean =>
  info["role"] === "assistant" && info["summary"] === true && Boolean(info["finish"]) && !info["error"]

/** The message from which on the agent would send: the last compaction whose summary was finished, or the tail it keeps. */
const effectiveStart = (messages: readonly unknown[]): number => {
  const finished = new Set<string>()
  let isNextFinished = false
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]
    if (!isWire(message)) continue
    const info = infoOf(message)
    const asked = info["role"] === "user" && (isNextFinished || finished.has(idOf(info))) ? partIn(message, "compaction") : undefined
    if (asked) {
      const tail = indexOfId(messages, stringOf(asked["tail_start_id"]))
      return tail >= 0 && tail < index ? tail : index
    }
    isNextFinished = isFinishedSummary(info)
    const parent = idOf({ id: info["parentID"] })
    if (isNextFinished && parent !== "") finished.add(parent)
  }
  return 0
}

/** How many calls among these parts have each id. */
const countIds = (parts: Iterable<readonly unknown[]>): CallIds["uses"] => {
  const uses = new Map<string, number>()
  for (const list of parts) {
    for (const part of list) {
      const id = isWire(part) && part["type"] === "tool" ? stringOf(part["callID"]) : ""
      if (id !== "") uses.set(id, (uses.get(id) ?? 0) + 1)
    }
  }
  return uses
}

const findPath = (value: unknown, records: readonly unknown[], { branch, view, placeOf }: FindOptions): FoundPath => {
  const diagnostics: Diagnostic[] = []
  const revert = wireOf(sessionOf(value).info["revert"])
  const reverted = stringOf(revert["messageID"])
  const cut = cutOf(revert, records)
  if (reverted !== "" && !cut) {
    const what = `The session was reverted to ${reverted}, which is not in the file`
    diagnostics.push(anomaly("unknown-rewind", { path: "info.revert" }, what, [reverted]))
  }
  const endOf = (at: Cut | undefined): number => (at ? at.message + (at.part > 0 ? 1 : 0) : records.length)
  const nameAt = (index: number): string => idOf(infoOf(wireOf(records[index])))
  const id = nameAt(endOf(cut) - 1)
  const last = nameAt(records.length - 1)
  const other = last === "" || last === id ? "reverted" : last
  const isOther = cut !== undefined && branch === other && branch !== id
  const shown = isOther ? undefined : cut
  const end = endOf(shown)
  const path: number[] = []
  for (let index = view === "effective" ? effectiveStart(records.slice(0, end)) : 0; index < end; index++) {
    const record = records[index]
    if (isMessage(record)) path.push(index)
    // What is no object at all is reported by the engine.
    else if (isWire(record))
      diagnostics.push(anomaly("malformed-record", placeOf(index), `Message ${index + 1} is not one of info and parts`))
  }
  const partsAt = (message: Wire, index: number): readonly unknown[] =>
    shown?.message === index && shown.part > 0 ? partsOf(message).slice(0, shown.part) : partsOf(message)
  const uses = countIds(path.map((index) => partsAt(wireOf(records[index]), index)))
  for (const [shared, count] of uses) {
    if (count > 1) diagnostics.push(anomaly("collapsed-id", {}, `${count} calls have the id ${shared}`, [shared]))
  }
  const hidden = cut
    ? Array.from(records.keys())
        .slice(cut.message)
        .filter((index) => isMessage(records[index]))
    : []
  return {
    path,
    id,
    ...(hidden.length > 0 && { others: [{ id: other, own: hidden, leaves: cut && cut.message > 0 ? cut.message - 1 : undefined }] }),
    isKnown: branch === undefined || branch === id || isOther,
    diagnostics,
    read: messageReader({ view, uses, calls: 0, records, partsAt }),
  }
}

/** The opening words of the user. */
const titleOf = (messages: readonly Wire[]): string => {
  for (const message of messages) {
    if (infoOf(message)["role"] !== "user") continue
    for (const part of partsOf(message)) {
      const words = isWire(part) && part["type"] === "text" ? stringOf(part["text"]).trim() : ""
      if (words !== "") return words.slice(0, 80)
    }
  }
  return "Conversation"
}

/** The agent keeps the system text with the messages of the user: where the first message is none, one is made for it. */
const withSystem = (messages: readonly Wire[], system: string, created: number): readonly Wire[] => {
  if (system === "") return messages
  const [first, ...others] = messages
  const info = infoOf(first ?? {})
  if (first && info["role"] === "user") return [{ ...first, info: { ...info, system } }, ...others]
  const { providerID = "unknown", modelID = "unknown" } = info
  const own = { id: "", sessionID: "", role: "user", time: { created }, agent: "build", model: { providerID, modelID }, system }
  return [{ info: own, parts: [] }, ...messages]
}

/** A new session: its first record is the header, which also has what only the messages can take. */
const newExport = ([header = {}, ...records]: readonly Wire[]): Wire => {
  const { system, seed, ...info } = header
  const created = createdIn(info) ?? 0
  const said = records.filter((record) => partsOf(record).length > 0)
  const messages = withSystem(said, stringOf(system), created)
  const first = timedId("msg", created, 0, stringOf(seed))
  const title = textOf(info["title"]) ?? titleOf(messages)
  const updated = createdIn(infoOf(records.at(-1) ?? {})) ?? created
  return { info: { ...info, title, time: { created, updated } }, messages: nameAll(messages, stringOf(info["id"]), first, stringOf(seed)) }
}

const hasMessages = (messages: readonly unknown[]): boolean => messages.slice(0, 8).some(isMessage)

/** How much of the session's own info is there. Ids are no mark: they may be redacted. */
const marksOf = (value: unknown): number =>
  isWire(value) && isWire(value["info"]) && Array.isArray(value["messages"])
    ? ["slug", "projectID", "directory", "version"].filter((key) => key in wireOf(value["info"])).length
    : -1

const exportHeader = ({ session, time, system, seed }: WritePlace, agentVersion: string): readonly Wire[] => [
  {
    id: session.id,
    slug: "conversation",
    projectID: "global",
    directory: session.folder ?? "/",
    title: session.title ?? "",
    version: agentVersion,
    time: { created: millisecondsOf(time) ?? 0 },
    system,
    seed,
  },
]

const placeFor =
  (program: string): SessionFormat["place"] & {} =>
  () => ({
    path: (name) => `${name}.json`,
    resume: (name) => `${program} import ${name}.json && ${program} --session ${name === "session" ? "<id>" : name}`,
    reopen: (name) => `${program} --session ${name === "session" ? "<id>" : name}`,
    note: phrase`Import it in the folder of the project: the session belongs to the project it is imported in.`,
  })

const opencode: SessionFormat = {
  format,
  title: "opencode session export",
  agent: "opencode",
  noun: "parts",
  aliases: ["opencode"],
  sources: "anomalyco/opencode packages/opencode/src/session and src/cli/cmd/import.ts; sessions of version 1.18.33, which was run",
  // Parts in their order, calls together with their results.
  capabilities: declareHomes({
    native: [
      "result-error",
      "result-image",
      "result-document",
      "result-video",
      "empty-result",
      "thinking",
      "block-order",
      "parallel-calls",
      "call-grouping",
      "call-id",
      "result-tool-name",
      "audio",
    ],
    convention: ["structured-result", "refusal", "server-tools", "system-in-the-middle"],
  }),
  layout: "value",
  listKey: "messages",
  view: "whole",
  prepare: withOwnIds,
  records: (value) => sessionOf(value).messages,
  wrap: (value, records, change) => {
    if (value === undefined) return newExport(records as readonly Wire[])
    const { info, messages } = sessionOf(value)
    const renewed = change ? patchList(messages, renewIds(info, records)) : messages
    if (renewed === messages && isWire(value)) return value
    return isWire(value) ? { ...value, messages: renewed } : { info, messages: renewed }
  },
  // Messages have it: this takes it off a conversation from elsewhere.
  system: { read: () => undefined, write: (value) => value },
  find: findPath,
  read: (record, view) => {
    const partsAt = partsOf
    return isMessage(record) ? messageReader({ view, uses: countIds([partsOf(record)]), calls: 0, records: [], partsAt })(record, 0) : {}
  },
  write: writeMessage,
  results: "with-call",
  sessionId: (seed, startedAt) => timedId("ses", millisecondsOf(startedAt) ?? 0, 0, seed),
  header: (place) => exportHeader(place, version),
  facts: (record) => ({ model: textOf(infoOf(record)["modelID"]) }),
  about: (value) => {
    const { info } = sessionOf(value)
    const created = createdIn(info)
    const parent = textOf(info["parentID"])
    return {
      id: textOf(info["id"]),
      title: textOf(info["title"]),
      folder: textOf(info["directory"]),
      agentVersion: textOf(info["version"]),
      startedAt: created !== undefined && Math.abs(created) < 8.64e15 ? isoOf(Math.floor(created)) : undefined,
      ...(parent !== undefined && {
        subagent: { session: parent },
        needs: `the session ${parent}, which started this one as its subagent`,
      }),
    }
  },
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "info of a session around messages of info and parts",
      isOn: (value, syntax) => {
        const messages = sessionOf(value).messages
        return syntax === "value" && marksOf(value) >= 2 && (messages.length === 0 || hasMessages(messages))
      },
    },
    {
      certainty: "likely",
      evidence: "messages of info and parts",
      isOn: (value, syntax) => syntax === "value" && marksOf(value) >= 0 && hasMessages(sessionOf(value).messages),
    },
  ],
  place: placeFor("opencode"),
  copy: withNewIds,
}

export const opencodeExport = defineSession(opencode)

/** Kilo's versions go on from 7; those of opencode begin with 1. Nothing else in an export tells them apart. */
const isKilo = (value: unknown): boolean => Number.parseInt(stringOf(sessionOf(value).info["version"]), 10) >= 7

export const kiloCli = defineSession({
  ...opencode,
  format: "kilo-cli",
  title: "Kilo CLI session export",
  agent: "Kilo CLI",
  aliases: ["kilo", "kilocode"],
  sources: "Kilo-Org/kilocode packages/opencode/src; sessions of version 7.7.9, which was run",
  header: (place) => exportHeader(place, "7.0.0"),
  valueMarks: (opencode.valueMarks ?? []).map((mark) => ({ ...mark, isOn: (value, syntax) => isKilo(value) && mark.isOn(value, syntax) })),
  place: placeFor("kilo"),
})
