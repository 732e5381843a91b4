/**
 * Arguments that Vertex streams field by field: each piece names a place (`$.items[0].name`) and brings a value, or a
 * part of a text that the next piece goes on with.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { listOf, stringOf } from "../fields.ts"
import { either } from "./parts.ts"

/** `$.a[0]["b c"]` → a, 0, b c. */
const stepsOf = (path: string): readonly (string | number)[] => {
  const steps: (string | number)[] = []
  for (const match of path.matchAll(/\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]|([^.[\]$]+)/g)) {
    const [, index, quoted, single, name] = match
    steps.push(index === undefined ? (quoted ?? single ?? name ?? "") : Number(index))
  }
  return steps
}

/** A list grows by what comes, never by what a number claims. */
const farthest = 10_000

type Holder = Record<string | number, unknown>

/** Own fields only, so that a path through `__proto__` reaches nothing but a field of that name. */
const put = (holder: Holder, step: string | number, value: unknown): void => {
  Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true })
}

const own = (holder: Holder, step: string | number): unknown => (Object.hasOwn(holder, step) ? holder[step] : undefined)

const valueOf = (piece: Wire): unknown => {
  const text = either(piece, "stringValue", "string_value")
  if (text !== undefined) return text
  const rest = either(piece, "numberValue", "number_value") ?? either(piece, "boolValue", "bool_value")
  return rest === undefined ? null : rest
}

const place = (root: Holder, steps: readonly (string | number)[], value: unknown): void => {
  let holder = root
  for (const [index, step] of steps.entries()) {
    if (typeof step === "number" && step > farthest) return
    const known = own(holder, step)
    if (index === steps.length - 1) {
      const grown = typeof known === "string" && typeof value === "string" ? known + value : value
      return put(holder, step, grown)
    }
    if (typeof known === "object" && known !== null) holder = known as Holder
    else {
      const next = (typeof steps[index + 1] === "number" ? [] : {}) as Holder
      put(holder, step, next)
      holder = next
    }
  }
}

/** Puts the pieces of one part into the arguments that grow. */
export const takePartial = (call: Wire, into: Record<string, unknown>): void => {
  for (const piece of listOf(either(call, "partialArgs", "partial_args"))) {
    if (!isWire(piece)) continue
    const path = stringOf(either(piece, "jsonPath", "json_path"))
    const steps = stepsOf(path)
    if (steps.length > 0) place(into, steps, valueOf(piece))
  }
}

export const isPartial = (call: Wire): boolean => {
  const { willContinue = call["will_continue"] } = call
  return willContinue === true || either(call, "partialArgs", "partial_args") !== undefined
}
