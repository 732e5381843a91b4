/** JSON as TypeScript sees it. Wire values are `unknown` until a codec has looked at them. */
import { limitDepth } from "./depth.ts"

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** A wire object of unknown shape: what a codec may read fields from. */
export type Wire = Readonly<Record<string, unknown>>

/** True for `{…}`: not null, not an array. */
export const isWire = (value: unknown): value is Wire => typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * JSON text with sorted keys: equal values give equal text, whatever order their keys came in.
 * Used to tell a replayed call from a fresh one that recycles its id (L5).
 */
export const canonicalJson = (value: unknown): string => sorted(limitDepth(value))

const sorted = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(sorted).join(",")}]`
  if (!isWire(value)) return JSON.stringify(value) ?? "null"
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${sorted(value[key])}`)
  return `{${fields.join(",")}}`
}

/** A value as a word, whatever it is. Objects of a file are never asked to turn themselves into text: their `toString` may be none. */
export const asWord = (value: unknown): string =>
  typeof value === "object" && value !== null ? (JSON.stringify(value) ?? "") : String(value)
