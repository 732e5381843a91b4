/**
 * Makes messages of encoded blocks. Results and user text share the user role in this format, and neighbours of one role
 * count as one message: so what stands side by side is joined, except where two messages of this very format stood apart
 * and nobody touched them. The choice looks at neighbours only, so that appending changes nothing in front.
 */
import type { Wire } from "../../model/index.ts"

const contentOf = (message: Wire): readonly Wire[] => {
  const { content } = message
  return Array.isArray(content) ? content : [{ type: "text", text: content }]
}

export class MessageJoiner {
  private readonly messages: Wire[] = []
  /**
   * The first `count` are the content of the open message. The list is never emptied: an empty one would have to grow
   * anew for every message (measured: 150 bytes each).
   */
  private readonly content: Wire[] = []
  private count = 0
  private role = ""
  /** The wire message all of it came from, if it came from one. */
  private wire: Wire | undefined
  /** Content of the last message while it is being joined: grown in place, so that long runs stay linear. */
  private growing: Wire[] | undefined
  private lastUntouched = false

  /** Goes on with the open message when the new one came with it, else begins a new one. */
  open(role: string, wire: Wire | undefined): void {
    if (this.role === role && this.wire === wire) return
    this.finish()
    this.role = role
    this.wire = wire
  }

  /** Writes into the open message. */
  add(block: Wire): void {
    this.content[this.count++] = block
  }

  /** Takes an untouched message as it is; false where a neighbour may have to be joined with it. */
  pass(role: string, wire: Wire): boolean {
    if (this.wire === wire) return false
    this.finish()
    if (this.messages.at(-1)?.["role"] === role && !this.lastUntouched) return false
    this.messages.push(wire)
    this.growing = undefined
    this.lastUntouched = true
    return true
  }

  /** All messages; the list is the caller's from here on. */
  close(): Wire[] {
    this.finish()
    return this.messages
  }

  private finish(): void {
    const { role } = this
    if (this.count > 0) {
      const message = this.untouched()
      const last = this.messages.at(-1)
      if (last?.["role"] === role && !(message && this.lastUntouched)) {
        this.append(last)
        this.lastUntouched = false
      } else {
        this.messages.push(message ?? this.written())
        this.growing = undefined
        this.lastUntouched = message !== undefined
      }
      this.count = 0
    }
    this.role = ""
    this.wire = undefined
  }

  /** The message as it came when its content is still the same, else undefined. */
  private untouched(): Wire | undefined {
    const { wire, content, count, role } = this
    if (!wire || wire["role"] !== role) return undefined
    const previous = wire["content"]
    if (typeof previous !== "string") return this.holds(previous) ? wire : undefined
    const only = content[0]
    return count === 1 && only?.["type"] === "text" && only["text"] === previous ? wire : undefined
  }

  private holds(previous: unknown): boolean {
    if (!Array.isArray(previous) || previous.length !== this.count) return false
    for (let index = 0; index < this.count; index++) if (this.content[index] !== previous[index]) return false
    return true
  }

  private append(last: Wire): void {
    if (!this.growing) {
      this.growing = [...contentOf(last)]
      this.messages[this.messages.length - 1] = { ...last, content: this.growing }
    }
    for (let index = 0; index < this.count; index++) this.growing.push(this.content[index] as Wire)
  }

  /** A message whose content was one text stays one text. */
  private written(): Wire {
    const { wire, role, content, count } = this
    const written = content.slice(0, count)
    if (!wire) return { role, content: written }
    const only = content[0]
    const plain = typeof wire["content"] === "string" && count === 1 && only?.["type"] === "text"
    return { ...wire, role, content: plain ? only["text"] : written }
  }
}
