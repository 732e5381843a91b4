/** The settings under `store`: a place alone, or a place and what goes with it. */
import type { PostgresSettings, StoreSettings } from "../record/open-store.ts"
import { type Env, isObject, type Reader, secretOf } from "./reader.ts"

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** `30d` in milliseconds; undefined where it is no span of time. */
export const spanMs = (text: string): number | undefined => {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  return count === undefined || unit === undefined ? undefined : Number(count) * (units[unit] as number)
}

const durabilities = ["none", "turn", "entry"] as const

const patternsOf = (texts: readonly string[], reader: Reader): readonly RegExp[] =>
  texts.flatMap((text) => {
    try {
      return [new RegExp(text, "gu")]
    } catch {
      return reader.expect("store.redact", "regular expressions", text) ?? []
    }
  })

const readPostgres = (given: unknown, reader: Reader): PostgresSettings | undefined => {
  if (given === undefined) return undefined
  if (!isObject(given)) return reader.expect("store.postgres", "an object of settings", given)
  const place = "store.postgres."
  reader.known(given, ["schema", "connections", "partitions", "together"], place)
  const [schema, connections] = [reader.text(given, "schema", place), reader.number(given, "connections", place, 1)]
  const partitions = reader.number(given, "partitions", place, 0)
  const { together } = given
  if (together !== undefined && typeof together !== "boolean") return reader.expect(`${place}together`, "true or false", together)
  return {
    ...(schema !== undefined && { schema }),
    ...(connections !== undefined && { connections }),
    ...(partitions !== undefined && { partitions }),
    ...(together !== undefined && { together }),
  }
}

export const readStore = (given: unknown, env: Env, reader: Reader): StoreSettings | undefined => {
  if (given === undefined) return undefined
  const value = typeof given === "string" ? { place: given } : given
  if (!isObject(value)) return reader.expect("store", "a place, or an object with one", given)
  reader.known(value, ["place", "durability", "required", "keep", "redact", "postgres"], "store.")
  const place = secretOf(reader.text(value, "place", "store."), "store.place", env, reader)
  if (place === undefined) return reader.expect("store.place", "a folder, FILE.db or postgres://…", value["place"])
  const durability = value["durability"] ?? "none"
  if (!(durabilities as readonly unknown[]).includes(durability))
    return reader.expect("store.durability", `one of ${durabilities.join(", ")}`, durability)
  const required = value["required"] ?? false
  if (typeof required !== "boolean") return reader.expect("store.required", "true or false", required)
  const keep = reader.text(value, "keep", "store.")
  const keepMs = keep === undefined ? undefined : (spanMs(keep) ?? reader.expect("store.keep", "a span of time such as 30d", keep))
  const postgres = readPostgres(value["postgres"], reader)
  return {
    place,
    durability: durability as StoreSettings["durability"],
    required,
    redact: patternsOf(reader.texts(value, "redact", "store."), reader),
    ...(keepMs !== undefined && { keepMs }),
    ...(postgres && { postgres }),
  }
}
