/**
 * MessagePack as LangGraph writes it. Python objects are extensions that name a class and what it was made of; here
 * they become plain values: no class is ever looked up, nothing is called. A message becomes the object of its fields
 * with its kind in `type`, other models their fields, and small values (ids, dates, enums, sets) what they were made
 * of.
 *
 * Codes: 0 one argument, 1 a list of arguments, 2 named arguments, 3 a method with one argument, 4 and 5 Pydantic
 * models, 6 a NumPy array, 7 the snapshot of a delta channel, which is the channel's value itself.
 */
import { isWire } from "../../model/index.ts"
import { readMsgpack } from "./read-msgpack.ts"

const snapshotCode = 7
const arrayCode = 6

/** `AIMessage` → `ai`: most messages say so themselves. */
const kindOfClass = (name: string): string | undefined =>
  /Message(?:Chunk)?$/.test(name) ? name.replace(/Message(?:Chunk)?$/, "").toLowerCase() : undefined

const plain = (name: unknown, made: unknown): unknown => {
  if (!isWire(made) || typeof name !== "string") return made
  const kind = kindOfClass(name)
  return kind === undefined || typeof made["type"] === "string" ? made : { type: kind, ...made }
}

export const readLanggraphMsgpack = (bytes: Uint8Array): unknown =>
  readMsgpack(bytes, {
    extension: (code, inner, read) => {
      if (code < 0 || code > snapshotCode) return { extension: code, bytes: inner }
      const parts = read(inner)
      if (code === snapshotCode || code === arrayCode || !Array.isArray(parts)) return parts
      return plain(parts[1], parts[2])
    },
  })
