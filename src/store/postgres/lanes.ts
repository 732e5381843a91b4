/** Appends of one conversation go one after the other; those that come meanwhile wait and are written together. */
export class Lanes<Item> {
  readonly #waiting = new Map<string, Item[]>()
  readonly #running = new Set<Promise<void>>()
  readonly #write: (conversation: string, items: readonly Item[]) => Promise<void>

  /** `write` answers its items itself and never fails. */
  constructor(write: (conversation: string, items: readonly Item[]) => Promise<void>) {
    this.#write = write
  }

  add(conversation: string, item: Item): void {
    const waiting = this.#waiting.get(conversation)
    if (waiting) {
      waiting.push(item)
      return
    }
    this.#waiting.set(conversation, [item])
    const running = this.#drain(conversation)
    this.#running.add(running)
    void running.then(() => this.#running.delete(running))
  }

  async #drain(conversation: string): Promise<void> {
    // What is asked for in the same moment goes out together.
    await Promise.resolve()
    for (;;) {
      const items = this.#waiting.get(conversation) ?? []
      if (items.length === 0) break
      this.#waiting.set(conversation, [])
      await this.#write(conversation, items)
    }
    this.#waiting.delete(conversation)
  }

  /** Until everything that was added is answered. */
  async idle(): Promise<void> {
    await Promise.all(this.#running)
  }
}
