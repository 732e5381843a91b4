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
    let at = this.#places.length
    this.#places.push(place)
    this.#keys.push(key)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(at, parent)) break
      this.#swap(at, parent)
      at = parent
    }
  }

  /** The key of the first place; negative infinity when empty. */
  get topKey(): number {
    return this.#keys[0] ?? Number.NEGATIVE_INFINITY
  }

  pop(): number | undefined {
    const place = this.#places[0]
    const lastPlace = this.#places.pop()
    const lastKey = this.#keys.pop()
    if (this.#places.length > 0 && lastPlace !== undefined && lastKey !== undefined) {
      this.#places[0] = lastPlace
      this.#keys[0] = lastKey
      this.#sink()
    }
    return place
  }

  #isBefore(a: number, b: number): boolean {
    const keyA = this.#keys[a] as number
    const keyB = this.#keys[b] as number
    return keyA > keyB || (keyA === keyB && (this.#places[a] as number) < (this.#places[b] as number))
  }

  #swap(a: number, b: number): void {
    const place = this.#places[a] as number
    const key = this.#keys[a] as number
    this.#places[a] = this.#places[b] as number
    this.#keys[a] = this.#keys[b] as number
    this.#places[b] = place
    this.#keys[b] = key
  }

  #sink(): void {
    const size = this.#places.length
    for (let at = 0; ; ) {
      let best = at
      const left = 2 * at + 1
      if (left < size && this.#isBefore(left, best)) best = left
      if (left + 1 < size && this.#isBefore(left + 1, best)) best = left + 1
      if (best === at) return
      this.#swap(at, best)
      at = best
    }
  }
}
