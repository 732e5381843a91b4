/** Reads back what would be written, before it is written: the store must show what the plan promised. */
import { settle } from "../../../rules/index.ts"
import { type Block, callsOf, canonicalJson, type Conversation, type Message } from "../../../model/index.ts"
import type { Entry, NewEntry } from "../../../store/index.ts"
import { viewOf } from "../../../store/view.ts"
import type { Archive } from "../stored/archive.ts"

/** With the ids the source gave: how settle renames those that were used twice depends on what comes before. */
const asGiven = (block: Block): Block => {
  if (block.type === "call") {
    const { providerId, ...rest } = block
    return { ...rest, id: providerId ?? block.id }
  }
  if (block.type !== "result") return block
  const { providerId, ...rest } = block
  return { ...rest, callId: providerId ?? block.callId }
}

/**
 * The content of a history, block by block, without what belongs to its format, its place in the log or its carrier. Where a
 * message between an exchange and an answer is gone, settle takes the answer for the reply of that exchange: no text is
 * different.
 */
const contentOf = ({ items }: Conversation): readonly string[] => {
  const words: string[] = []
  const say = ({ role, summary, blocks }: Message): void => {
    for (const block of blocks) words.push(plain([role, summary ?? false, asGiven(block)]))
  }
  for (const item of items) {
    say(item.role === "exchange" ? item.message : item)
    if (item.role !== "exchange") continue
    for (const { kind, result } of item.outcomes) words.push(plain([kind, result ? asGiven(result) : null]))
    if (item.reply) say(item.reply)
  }
  return words
}

const plain = (value: unknown): string =>
  canonicalJson(JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === "native" ? undefined : inner))))

/**
 * Every call with what became of it, in order, without ids. Where an id was used twice, covering the call that came
 * first can make settle give its successor another result: valid for every provider, and false.
 */
const pairsOf = ({ items }: Conversation): readonly string[] =>
  items.flatMap((item) => {
    if (item.role !== "exchange") return []
    return callsOf(item).map((call, index) => {
      const { id: _, providerId: __, ...asked } = call
      const { kind, result } = item.outcomes[index] ?? {}
      return plain([asked, kind ?? "", result ? [result.content, result.error ?? false] : null])
    })
  })

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((words, index) => words === b[index])

export interface Shown {
  readonly conversation: Conversation
  readonly same: boolean
  /** At least the calls have the results that the plan gives them, and the end is the same: who spoke last. */
  readonly isFaithful: boolean
}

const endOf = ({ items }: Conversation): string => {
  const last = items.at(-1)
  return last?.role === "exchange" ? `${last.reply ? "reply" : ""} ${last.outcomes.map(({ kind }) => kind).join()}` : `${last?.role}`
}

export const verifyEntries = ({ loaded }: Archive, added: readonly NewEntry[], expected: Conversation): Shown => {
  const path: Entry[] = [...loaded.entries]
  for (const [index, entry] of added.entries()) {
    path.push({ ...entry, id: `new ${index}`, parent: path.at(-1)?.id ?? null, operation: "new", at: 0 })
  }
  const { transcript } = viewOf(path)
  const { conversation } = settle({ ...loaded.transcript, messages: transcript.messages }, { tip: "open" })
  const same = sameTexts(contentOf(conversation), contentOf(expected))
  const isFaithful =
    same || (endOf(conversation) === endOf(expected) && sameTexts(pairsOf(conversation), pairsOf(expected)))
  return { conversation, same, isFaithful }
}
