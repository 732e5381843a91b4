/**
 * Arguments that Vertex streams field by field: each piece names a place (`$.items[0].name`) and brings a value, or a
 * part of a text that the next piece goes on with.
 */
import type { Wire } from "../../../model/index.ts"
import { listOf, stringOf } from "../../engine/recorder/fields.ts"
import { Pieces } from "../../engine/recorder/pieces.ts"
import { either } from "../fields.ts"

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

export const pathOf = (piece: Wire): string => stringOf(piece["jsonPath"] ?? piece["json_path"])

export const valueOf = (piece: Wire): unknown => {
  const text = piece["stringValue"] ?? piece["string_value"]
  if (text !== undefined && text !== null) return text
  const rest = either(piece, "numberValue", "number_value") ?? either(piece, "boolValue", "bool_value")
  return rest === undefined ? null : rest
}

/** A place that a path leads to: a field of an object, or of a list. */
interface PathEnd {
  readonly holder: Holder
  readonly step: string | number
}

/** Walks to a place, and makes the objects and lists on the way. Undefined for a path that leads nowhere. */
const walk = (root: Holder, path: string): PathEnd | undefined => {
  const steps = stepsOf(path)
  let holder = root
  for (const [index, step] of steps.entries()) {
    if (typeof step === "number" && step > farthest) return undefined
    if (index === steps.length - 1) return { holder, step }
    const known = own(holder, step)
    if (typeof known === "object" && known !== null) holder = known as Holder
    else {
      const next = (typeof steps[index + 1] === "number" ? [] : {}) as Holder
      put(holder, step, next)
      holder = next
    }
  }
  return undefined
}

/**
 * The arguments of one call as they grow. A long text comes in many pieces for one place: walking there, and writing
 * there, each costs more than a piece, so that both are done once per place and the pieces are kept beside it.
 */
export class PartialArguments {
  readonly #fields: Record<string, unknown>
  /** Where the latest piece went. */
  #end: PathEnd | undefined
  #path: string | undefined
  /** The text at that place; undefined where it holds anything else. */
  #text: Pieces | undefined

  constructor(fields: Wire) {
    this.#fields = { ...fields }
  }

  /** The arguments with everything that has come. */
  get fields(): Record<string, unknown> {
    this.#write()
    return this.#fields
  }

  /** Takes a value for a place. False: the path leads nowhere. */
  put(path: string, value: unknown): boolean {
    if (path !== this.#path) this.#go(path)
    if (!this.#end) return false
    if (typeof value === "string" && this.#text) {
      this.#text.add(value)
      return true
    }
    // At once, although a text may grow: fields stand in the order in which they began.
    put(this.#end.holder, this.#end.step, value)
    this.#text = undefined
    if (typeof value === "string") this.#begin(value)
    return true
  }

  #begin(text: string): void {
    this.#text = new Pieces()
    this.#text.text = text
  }

  #go(path: string): void {
    this.#write()
    this.#text = undefined
    this.#path = path
    this.#end = walk(this.#fields, path)
    if (!this.#end) return
    const known = own(this.#end.holder, this.#end.step)
    if (typeof known === "string") this.#begin(known)
  }

  #write(): void {
    if (this.#end && this.#text) put(this.#end.holder, this.#end.step, this.#text.text)
  }
}

export const piecesOf = (call: Wire): readonly unknown[] => listOf(call["partialArgs"] ?? call["partial_args"])

export const isPartial = (call: Wire): boolean => {
  const { willContinue = call["will_continue"] } = call
  return willContinue === true || either(call, "partialArgs", "partial_args") !== undefined
}
