/**
 * The messages of one thread, as its newest checkpoint holds them: `{ thread, checkpoint, namespace?, messages,
 * pending?, interrupted? }`. `pending` are messages that a node has written and that no checkpoint holds yet;
 * `interrupted`: the graph waits for a person. A message is the plain object of its fields, with its class in `type`
 * (`ai`, `tool`, `human`, `system`, `remove`), or wrapped as LangChain writes it to JSON: `{ lc, type: "constructor",
 * id: […, class], kwargs }`.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { textAt } from "../engine/fields.ts"

export const format = "langgraph"

export interface LanggraphValue {
  readonly envelope: Wire
  readonly messages: readonly unknown[]
  readonly pending: readonly unknown[]
}

const listAt = (wire: Wire, key: string): readonly unknown[] => {
  const list = wire[key]
  return Array.isArray(list) ? list : []
}

export const valueOf = (value: unknown): LanggraphValue => {
  if (Array.isArray(value)) return { envelope: {}, messages: value, pending: [] }
  const envelope = isWire(value) ? value : {}
  return { envelope, messages: listAt(envelope, "messages"), pending: listAt(envelope, "pending") }
}

/** `AIMessage` → `ai`, `HumanMessageChunk` → `human`: as the objects name themselves. */
const kindOfClass = (name: string): string => name.replace(/Message(?:Chunk)?$/, "").toLowerCase()

const classOf = (wire: Wire): string | undefined => {
  const id = wire["id"]
  const last: unknown = Array.isArray(id) ? id.at(-1) : undefined
  return wire["type"] === "constructor" && typeof last === "string" ? last : undefined
}

export interface LanggraphMessage {
  readonly kind: string
  readonly fields: Wire
}

/** The message without its wrapping; undefined where it is none. */
export const unwrap = (value: unknown): LanggraphMessage | undefined => {
  if (!isWire(value)) return undefined
  const name = classOf(value)
  const kwargs = value["kwargs"]
  if (name !== undefined && isWire(kwargs)) return { kind: kindOfClass(name), fields: kwargs }
  const kind = textAt(value, "type") ?? textAt(value, "role")
  return kind === undefined ? undefined : { kind: kindOfClass(kind), fields: value }
}
