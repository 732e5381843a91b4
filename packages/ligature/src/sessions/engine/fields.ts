/** Looking at values of which nothing is known: what session files hold, in every format. */
import { listOf } from "../../formats/engine/wire.ts"
import { isWire, type Native, type TextBlock, type Wire } from "../../model/index.ts"

export { listOf, stringOf, wireOf } from "../../formats/engine/wire.ts"

/** Undefined where it is no string, or an empty one. */
export const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** The string in a field, also an empty one. */
export const textAt = (value: unknown, key: string): string | undefined => {
  const found = isWire(value) ? value[key] : undefined
  return typeof found === "string" ? found : undefined
}

/** A list, or the one that `encode` returns under a key. */
export const listIn = (value: unknown, key = "records"): readonly unknown[] =>
  Array.isArray(value) ? value : listOf(isWire(value) ? value[key] : undefined)

/** The records of a file, whichever way they are handed over: one alone is a list of one. */
export const recordsOf = (value: unknown): readonly unknown[] =>
  isWire(value) && !Array.isArray(value["records"]) ? [value] : listIn(value)

/** What a format keeps beside a value of the model. */
export const nativeIn = (value: { readonly native?: Native }, format: string): Wire | undefined => {
  const native = value.native?.[format]
  return isWire(native) ? native : undefined
}

/** `{type, text}` and nothing else: the wire value is a text block of the model as it is. */
export const isPlainText = (wire: Wire): wire is Wire & TextBlock => {
  let fields = 0
  for (const _ in wire) fields++
  return fields === 2
}
