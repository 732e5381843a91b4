/**
 * Makes messages of encoded blocks. Results and user text share the user role in this format, and neighbours of one role
 * count as one message: so what stands side by side is joined, except where two messages of this very format stood apart
 * and nobody touched them. The choice looks at neighbours only, so that appending changes nothing in front.
 */
import type { Wire } from "../../model/index.ts"
import { sameElements } from "../codec.ts"

interface Draft {
  /** The wire message all of this came from, if it came from one. */
  readonly wire: Wire | undefined
  readonly role: string
  readonly content: Wire[]
}

const contentOf = (message: Wire): readonly Wire[] => {
  const { content } = message
  return Array.isArray(content) ? content : [{ type: "text", text: content }]
}

/** The message as it came when its content is still the same, else undefined. */
const untouched = ({ wire, content }: Draft): Wire | undefined => {
  if (!wire) return undefined
  const previous = wire["content"]
  if (typeof previous !== "string") return sameElements(content, previous) ? wire : undefined
  const [only] = content
  return content.length === 1 && only?.["type"] === "text" && only["text"] === previous ? wire : undefined
}

export class MessageJoiner {
  private readonly messages: Wire[] = []
  private draft: Draft | undefined
  /** Content of the last message while it is being joined: grown in place, so that long runs stay linear. */
  private growing: Wire[] | undefined
  private lastUntouched = false

  /** The content to write to: of the open message when the new one came with it, else of a new one. */
  open(role: string, wire: Wire | undefined): Wire[] {
    if (this.draft?.role === role && this.draft.wire === wire) return this.draft.content
    this.finish()
    this.draft = { wire, role, content: [] }
    return this.draft.content
  }

  /** Takes an untouched message as it is; false where a neighbour may have to be joined with it. */
  pass(role: string, wire: Wire): boolean {
    if (this.draft?.wire === wire) return false
    this.finish()
    if (this.messages.at(-1)?.["role"] === role && !this.lastUntouched) return false
    this.messages.push(wire)
    this.growing = undefined
    this.lastUntouched = true
    return true
  }

  close(): readonly Wire[] {
    this.finish()
    return this.messages
  }

  private finish(): void {
    const { draft } = this
    if (!draft || draft.content.length === 0) return
    this.draft = undefined
    const message = untouched(draft)
    const last = this.messages.at(-1)
    if (last?.["role"] === draft.role && !(message && this.lastUntouched)) {
      this.append(last, draft.content)
      this.lastUntouched = false
      return
    }
    this.messages.push(message ?? this.written(draft))
    this.growing = undefined
    this.lastUntouched = message !== undefined
  }

  private append(last: Wire, content: readonly Wire[]): void {
    if (!this.growing) {
      this.growing = [...contentOf(last)]
      this.messages[this.messages.length - 1] = { ...last, content: this.growing }
    }
    this.growing.push(...content)
  }

  /** A message whose content was one text stays one text. */
  private written({ wire, role, content }: Draft): Wire {
    const [only] = content
    const plain = typeof wire?.["content"] === "string" && content.length === 1 && only?.["type"] === "text"
    return { ...wire, role, content: plain ? only["text"] : content }
  }
}
