/**
 * LangGraph checkpoints: for each thread and namespace the messages of the newest checkpoint, and what tasks have
 * written since. Ids of checkpoints sort by time. A delta channel is not in every checkpoint: then its value is found
 * by walking to the newest ancestor that has it, and the writes on the way are added, oldest first.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { readLanggraphMsgpack } from "../msgpack/read-msgpack.ts"
import { type Database, has, type Reading, type Row, type Schema } from "./database.ts"

export const isLanggraph = (schema: Schema): boolean =>
  has(schema, "checkpoints", "thread_id", "checkpoint_id", "checkpoint") && has(schema, "writes", "channel", "value")

const messageKinds: ReadonlySet<unknown> = new Set(["ai", "human", "system", "tool", "AIMessageChunk", "constructor"])

const isMessageList = (value: unknown): value is readonly unknown[] => {
  const first: unknown = Array.isArray(value) ? value[0] : undefined
  return isWire(first) && (messageKinds.has(first["type"]) || ("role" in first && "content" in first))
}

const asText = (value: unknown): string => (value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : String(value))

/** Throws where the bytes are none; pickled objects are programs, and are never run. */
const unpacked = (type: unknown, value: unknown): unknown => {
  if (value === null || value === undefined || type === "null" || type === "empty") return null
  if (type === "msgpack" && value instanceof Uint8Array) return readLanggraphMsgpack(value)
  if (type === "pickle") throw new Error("it is pickled, which only Python may read")
  if (type === "json" || type === null || type === undefined) return JSON.parse(asText(value)) as unknown
  return null
}

const channelsOf = (checkpoint: unknown): Wire => {
  const values = isWire(checkpoint) ? checkpoint["channel_values"] : undefined
  return isWire(values) ? values : {}
}

/** The channel is called `messages` nearly always; else it is the one that holds some. */
const messageChannel = (channels: Wire): string => {
  if (Array.isArray(channels["messages"])) return "messages"
  return Object.keys(channels).find((name) => isMessageList(channels[name])) ?? "messages"
}

const ancestorsSql = "SELECT * FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
const writesSql = `SELECT channel, type, value FROM writes
  WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ? ORDER BY task_id, idx`

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : value === null ? [] : [value])

class Thread {
  readonly #database: Database
  readonly #thread: string
  readonly #namespace: string
  isInterrupted = false

  constructor(database: Database, row: Row) {
    this.#database = database
    this.#thread = String(row["thread_id"])
    this.#namespace = String(row["checkpoint_ns"] ?? "")
  }

  /** What tasks wrote at a checkpoint. `isTip`: nothing has come after it, so that a wait there still lasts. */
  #writes(checkpoint: string, channel: string, isTip: boolean): readonly unknown[] {
    const written: unknown[] = []
    for (const row of this.#database.rows(writesSql, this.#thread, this.#namespace, checkpoint)) {
      if (isTip && row["channel"] === "__interrupt__") this.isInterrupted = true
      if (row["channel"] !== channel) continue
      for (const message of listed(unpacked(row["type"], row["value"]))) written.push(message)
    }
    return written
  }

  read(newest: Row): Wire {
    let row: Row | undefined = newest
    const id = String(newest["checkpoint_id"])
    const channels = channelsOf(unpacked(newest["type"], newest["checkpoint"]))
    const channel = messageChannel(channels)
    const batches: (readonly unknown[])[] = [this.#writes(id, channel, true)]
    let held = channels[channel]
    const seen = new Set([id])
    while (held === undefined && row) {
      const parent: unknown = row["parent_checkpoint_id"]
      if (typeof parent !== "string" || seen.has(parent)) break
      seen.add(parent)
      row = this.#database.rows(ancestorsSql, this.#thread, this.#namespace, parent)[0]
      if (!row) break
      held = channelsOf(unpacked(row["type"], row["checkpoint"]))[channel]
      batches.push(this.#writes(parent, channel, false))
    }
    const pending = batches.toReversed().flat()
    return {
      thread: this.#thread,
      ...(this.#namespace !== "" && { namespace: this.#namespace }),
      checkpoint: id,
      messages: held === undefined ? [] : listed(held),
      ...(pending.length > 0 && { pending }),
      ...(this.isInterrupted && { interrupted: true }),
    }
  }
}

/** SQLite takes the other columns from the row that has the maximum. */
const newestSql = `SELECT *, max(checkpoint_id) AS newest FROM checkpoints
  GROUP BY thread_id, checkpoint_ns ORDER BY thread_id, checkpoint_ns`

export const readLanggraph = (database: Database, reading: Reading): void => {
  for (const row of database.rows(newestSql)) {
    const name = [row["thread_id"], row["checkpoint_ns"]].filter((part) => part !== "" && part !== null).join("/")
    try {
      const value = new Thread(database, row).read(row)
      const { messages, pending } = value
      if ((messages as readonly unknown[]).length > 0 || pending !== undefined) {
        reading.sessions.push({ format: "langgraph", value, name })
      }
    } catch (cause) {
      const said = cause instanceof Error ? cause.message : String(cause)
      reading.problems.push(`The thread ${name} cannot be read: ${said}`)
    }
  }
}
