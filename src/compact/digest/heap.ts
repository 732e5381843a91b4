/** Places ordered by a key, largest first; ties go to the smaller place, so that equal inputs give equal orders. */
export class Heap {
  readonly #places: number[]
  readonly #keys: number[]

  constructor(places: number[] = [], keys: number[] = []) {
    this.#places = places
    this.#keys = keys
  }

  copy(): Heap {
    return new Heap(this.#places.slice(), this.#keys.slice())
  }

  push(place: number, key: number): void {
    const places = this.#places
    const keys = this.#keys
    let at = places.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = keys[parent] as number
      if (above > key || (above === key && (places[parent] as number) < place)) break
      places[at] = places[parent] as number
      keys[at] = above
      at = parent
    }
    places[at] = place
    keys[at] = key
  }

  /** The key of the first place; negative infinity when empty. */
  get topKey(): number {
    return this.#keys[0] ?? Number.NEGATIVE_INFINITY
  }

  pop(): number | undefined {
    const first = this.#places[0]
    const place = this.#places.pop()
    const key = this.#keys.pop()
    if (this.#places.length > 0 && place !== undefined && key !== undefined) this.#sink(place, key)
    return first
  }

  /** Puts a place where it belongs, from the top down. */
  #sink(place: number, key: number): void {
    const places = this.#places
    const keys = this.#keys
    const size = places.length
    let at = 0
    for (let child = 1; child < size; child = 2 * at + 1) {
      const right = child + 1
      if (right < size) {
        const a = keys[child] as number
        const b = keys[right] as number
        if (b > a || (a === b && (places[right] as number) < (places[child] as number))) child = right
      }
      const below = keys[child] as number
      if (key > below || (key === below && place < (places[child] as number))) break
      places[at] = places[child] as number
      keys[at] = below
      at = child
    }
    places[at] = place
    keys[at] = key
  }
}
