/**
 * The body of a request on its way through the gateway. Several look into it: whose conversation it is, whether it is valid,
 * what of it the store does not have yet. What one of them found, the others need not find again.
 */
import { commonPrefix, compareBodies, type Growth } from "./compare.ts"
import { sliceBody, type Slices } from "./slices.ts"

interface Compared {
  readonly with: RequestBody
  readonly prefix: number
  /** Null: not looked for yet. */
  growth: Growth | undefined | null
}

const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown
  } catch {
    return undefined
  }
}

export class RequestBody {
  readonly bytes: Buffer
  /** The name of its list of messages. */
  readonly list: string
  #slices: Slices | undefined | null = null
  #value: { readonly of: unknown } | undefined
  #compared: Compared | undefined
  #isReleased = false

  constructor(bytes: Buffer, list: string) {
    this.bytes = bytes
    this.list = list
  }

  /** Undefined: it is no JSON. Nobody may change it. */
  get value(): unknown {
    if (this.#isReleased) return parsed(this.bytes)
    this.#value ??= { of: parsed(this.bytes) }
    return this.#value.of
  }

  /** Where its parts lie. */
  get slices(): Slices | undefined {
    if (this.#slices === null) this.#slices = sliceBody(this.bytes, this.list)
    return this.#slices
  }

  /** How many bytes both begin with. */
  prefixWith(before: RequestBody): number {
    return this.#comparedWith(before).prefix
  }

  /** Beside an earlier body of its conversation; undefined where it is another one altogether. */
  growthFrom(before: RequestBody): Growth | undefined {
    const compared = this.#comparedWith(before)
    if (compared.growth === null) {
      const { slices } = before
      compared.growth = slices && compareBodies(before.bytes, slices, this.bytes, this.list, compared.prefix)
      if (compared.growth) this.#slices = compared.growth.slices
    }
    return compared.growth
  }

  /** The request is over: what stays is what the next one is compared with. */
  release(): void {
    this.#isReleased = true
    this.#value = undefined
    this.#compared = undefined
  }

  #comparedWith(before: RequestBody): Compared {
    if (this.#compared?.with !== before) {
      const prefix = before === this ? this.bytes.length : commonPrefix(before.bytes, this.bytes)
      this.#compared = { with: before, prefix, growth: null }
    }
    return this.#compared
  }
}
