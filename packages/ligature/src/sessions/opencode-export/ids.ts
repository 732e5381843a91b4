/**
 * Ids as this agent makes them: a prefix, twelve hexadecimal digits of time, fourteen letters. It stores messages and parts
 * under their ids and orders them by id, so that an import would reject or lose those whose id is missing, redacted or shared
 * with others. They get ids that sort where they are. What is sound is not touched.
 */
import { isWire, shortHash, type Wire } from "../../model/index.ts"
import { listOf, stringOf, wireOf } from "../engine/fields.ts"
import { patch } from "../engine/patch.ts"
import { createdIn, idOf, infoOf, partsOf } from "./read-message.ts"

type Prefix = "ses" | "msg" | "prt"

const places = 2 ** 48

/** `ordinal` counts what was made in the same millisecond, below 4096. Sessions sort newest first. */
export const timedId = (prefix: Prefix, milliseconds: number, ordinal: number, seed: string): string => {
  const time = (Math.max(0, Math.floor(milliseconds)) * 4096 + ordinal) % places
  const shown = prefix === "ses" ? places - 1 - time : time
  return `${prefix}_${shown.toString(16).padStart(12, "0")}${shortHash(`${prefix} ${seed} ${ordinal}`, 14)}`
}

const timed = /^[a-z]{3}_[0-9a-f]{12}/

/** An id that sorts right after another one: no letter comes after z. */
const idAfter = (prefix: Prefix, previous: string, ordinal: number): string => {
  const time = timed.test(previous) ? previous.slice(4, 16) : "0".repeat(12)
  return `${prefix}_${time}zzzz${String(ordinal).padStart(10, "0")}`
}

class Names {
  readonly #taken = new Set<string>()
  readonly #prefix: Prefix
  #made = 0

  constructor(prefix: Prefix) {
    this.#prefix = prefix
  }

  /** The given id where it is free, else one that sorts after the previous one. */
  take(given: string, previous: string, first?: string): string {
    let id = given === "" && first !== undefined ? first : given
    while (id === "" || this.#taken.has(id)) id = idAfter(this.#prefix, previous, this.#made++)
    this.#taken.add(id)
    return id
  }
}

/** The part under these ids, with its attachments, which are named after it. */
const namedPart = (part: Wire, ids: Wire): Wire => {
  const named = { ...part, ...ids }
  const state = wireOf(part["state"])
  const files = listOf(state["attachments"])
  if (!files.some((file) => isWire(file) && file["id"] === "")) return named
  const attachments = files.map((file, index) =>
    isWire(file) && file["id"] === "" ? { ...file, ...ids, id: `${stringOf(ids["id"])}${index}` } : file,
  )
  return { ...named, state: { ...state, attachments } }
}

/** `session`: for parts whose message is named anew; `own`: for new parts. */
const renewParts = (message: Wire, messageID: string, session: string, own: unknown, names: Names): readonly unknown[] => {
  const before = partsOf(message)
  let after: unknown[] | undefined
  let previous = messageID
  before.forEach((part, index) => {
    let next = part
    // A value that was put together from tables may have no ids at all.
    if (isWire(part) && part["id"] !== undefined) {
      const id = names.take(idOf(part), previous)
      const isSound = part["id"] === id && (part["messageID"] ?? messageID) === messageID
      const sessionID = part["id"] === "" ? own : session
      if (!isSound) next = namedPart(part, { id, ...(stringOf(sessionID) !== "" && { sessionID }), messageID })
      previous = id
    }
    if (next !== part) after ??= before.slice(0, index)
    after?.push(next)
  })
  return after ?? before
}

/** Values that are no messages, and whatever is sound, come back as they are. */
export const renewIds = (session: Wire, messages: readonly unknown[]): readonly unknown[] => {
  const parts = new Names("prt")
  const names = new Names("msg")
  const sessionId = idOf(session)
  let lastUser = ""
  let lastSession: unknown = sessionId
  let previous = ""
  let after: unknown[] | undefined
  messages.forEach((message, index) => {
    let next = message
    const info = isWire(message) ? infoOf(message) : {}
    if (isWire(message) && Array.isArray(message["parts"]) && info["id"] !== undefined) {
      const created = createdIn(info)
      const first = previous === "" && created !== undefined ? timedId("msg", created, 0, stringOf(session["id"])) : undefined
      const id = names.take(idOf(info), previous, first)
      const isNamed = info["role"] !== "assistant" || idOf({ id: info["parentID"] }) !== "" || lastUser === ""
      const isNew = info["id"] === "" && info["sessionID"] === ""
      const own = isNew ? lastSession : (info["sessionID"] ?? sessionId)
      const fresh = patch(info, { id, ...(isNew && { sessionID: own }), ...(!isNamed && { parentID: lastUser }) })
      const list = renewParts(message, id, id === info["id"] ? "" : sessionId, own, parts)
      if (fresh !== info || list !== partsOf(message)) next = { ...message, info: fresh, parts: list }
      if (info["role"] === "user") lastUser = id
      lastSession = own
      previous = id
    }
    if (next !== message) after ??= messages.slice(0, index)
    after?.push(next)
  })
  return after ?? messages
}

/** The messages of a new session under ids that follow from their times. `first` is the parent where no message of the user is. */
export const nameAll = (messages: readonly Wire[], sessionID: string, first: string, seed: string): readonly Wire[] => {
  let parentID = first
  return messages.map((message) => {
    const info = infoOf(message)
    const created = createdIn(info) ?? 0
    const id = timedId("msg", created, 1, seed)
    const isUser = info["role"] === "user"
    const parts = partsOf(message).map((part, ordinal) =>
      namedPart(wireOf(part), { id: timedId("prt", created, ordinal, seed), sessionID, messageID: id }),
    )
    const named = { ...message, info: { ...info, id, sessionID, ...(!isUser && { parentID }) }, parts }
    if (isUser) parentID = id
    return named
  })
}

const idFields = new Set(["id", "sessionID", "messageID", "parentID", "partID", "tail_start_id"])

/** What has ids in a session: itself, its messages, their parts, and the files of these. */
const idsIn = (value: unknown): readonly string[] =>
  [
    wireOf(wireOf(value)["info"]),
    ...listOf(wireOf(value)["messages"]).flatMap((message) => {
      const parts = listOf(wireOf(message)["parts"]).map(wireOf)
      return [infoOf(wireOf(message)), ...parts, ...parts.flatMap((part) => listOf(wireOf(part["state"])["attachments"]).map(wireOf))]
    }),
  ]
    .map(idOf)
    .filter((id) => id !== "")

/**
 * The same session under other ids: an import does not change a session that the agent has. All ids move by the same amount
 * of time, less than two milliseconds, so that they stay apart and in order. The amount follows from what is in the session:
 * the same session gives the same copy, and one that went on gives another.
 */
export const withNewIds = (value: unknown): unknown => {
  if (!isWire(value)) return value
  const seed = JSON.stringify([value["info"], listOf(value["messages"]).length, listOf(value["messages"]).at(-1)])
  const shift = 1 + (Number.parseInt(shortHash(`copy ${seed}`, 6), 36) % 4095)
  const moved = (id: string): string => {
    if (!timed.test(id)) return `${id}${shift.toString(36)}`
    const time = (Number.parseInt(id.slice(4, 16), 16) + shift) % places
    return `${id.slice(0, 4)}${time.toString(16).padStart(12, "0")}${id.slice(16)}`
  }
  const renamed = new Map(idsIn(value).map((id) => [id, moved(id)]))
  const copy = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(copy)
    if (!isWire(each)) return each
    return Object.fromEntries(
      Object.entries(each).map(([key, held]) => [
        key,
        idFields.has(key) && typeof held === "string" ? (renamed.get(held) ?? held) : copy(held),
      ]),
    )
  }
  return { ...value, info: copy(value["info"]), messages: copy(value["messages"]) }
}
