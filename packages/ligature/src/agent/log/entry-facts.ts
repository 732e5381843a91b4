/** What a log may tell of entries that were stored: who spoke, how much, which calls; nothing of what was said. */
import { type Block, type Message, resultText, type Role } from "../../model/index.ts"
import type { EntryKind, NewEntry } from "../../store/index.ts"

export interface EntryFacts {
  readonly kind: EntryKind
  /** Of a message. */
  readonly role?: Role
  readonly hasText?: boolean
  readonly toolCalls?: number
  readonly callIds?: readonly string[]
  /** Of a result: the call it answers. */
  readonly callId?: string
  /** Characters of the text of a message or a result. */
  readonly contentLength?: number
}

const lengthOf = (block: Block): number => (block.type === "text" ? block.text.length : 0)

const ofMessage = ({ role, blocks }: Message): Omit<EntryFacts, "kind"> => {
  const contentLength = blocks.reduce((sum, block) => sum + lengthOf(block), 0)
  const callIds = blocks.flatMap((block) => (block.type === "call" ? [block.id] : []))
  return { role, hasText: contentLength > 0, toolCalls: callIds.length, callIds, contentLength }
}

export const factsOf = (entry: NewEntry): EntryFacts => {
  if (entry.kind === "message") return { kind: entry.kind, ...ofMessage(entry.message) }
  if (entry.kind !== "result") return { kind: entry.kind }
  const { callId } = entry.result
  return { kind: entry.kind, callId, contentLength: resultText(entry.result).length }
}
