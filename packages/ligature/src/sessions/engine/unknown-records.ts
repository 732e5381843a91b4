/**
 * Records of types that no known version of a format writes. A repair keeps them as they are; a conversion leaves them
 * out and reports them, so each type is named once, with how many there are of it.
 */
import type { Diagnostic, Place } from "../../model/index.ts"
import { anomaly } from "./anomaly.ts"

const longestName = 40

/** How a type is named in a sentence, whatever is in its place. */
const nameOf = (type: unknown): string => (typeof type === "string" ? type : (JSON.stringify(type) ?? "none")).slice(0, longestName)

export class UnknownRecords {
  readonly #found = new Map<string, { readonly place: Place; count: number }>()
  readonly #noun: string

  /** `noun`: what the format calls them, in the plural. */
  constructor(noun = "records") {
    this.#noun = noun
  }

  add(type: unknown, place: Place): void {
    const name = nameOf(type)
    const known = this.#found.get(name)
    if (known) known.count++
    else this.#found.set(name, { place, count: 1 })
  }

  get diagnostics(): readonly Diagnostic[] {
    return [...this.#found].map(([name, { place, count }]) => {
      const [noun, verb] = count === 1 ? [this.#noun.replace(/s$/, ""), "is"] : [this.#noun, "are"]
      return anomaly("unknown-record", place, `${count} ${noun} of type ${name} ${verb} not known`)
    })
  }
}
