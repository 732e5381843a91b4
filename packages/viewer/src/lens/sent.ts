/** What a request of a stored conversation really carried. */
import { carriedAt, fatesAt, type MessageFate } from "../history/carried.ts"
import type { History } from "../history/open.ts"
import { textOfItem } from "../history/search.ts"
import { settle } from "../library.ts"
import type { Message } from "../library-types.ts"
import type { StoredConversation } from "../source/source.ts"
import { amountOf, estimateMeter } from "./compaction.ts"
import { editedFate, type Fate, type Lens, lowered, type Seen } from "./lens.ts"

const itemsOf = (messages: readonly Message[]) => settle({ format: "ligature", messages }, { tip: "open" }).conversation.items

const fateOf = (fates: readonly MessageFate[], before: number, after: number): Fate => {
  const is = (kind: MessageFate["kind"]): boolean => fates.every((fate) => fate.kind === kind)
  if (is("verbatim")) return "verbatim"
  if (is("summarised")) return "summarised"
  if (is("left-out")) return "left-out"
  return editedFate(before, after)
}

export const whatWasSent = ({ rows }: History, stored: StoredConversation, position: number): Lens => {
  const { messages } = stored.transcript
  const fates = fatesAt(stored, position)
  const carried = itemsOf(carriedAt(stored, fates))
  const seen = rows.flatMap((row): readonly Seen[] => {
    const own = row.messages.filter((index) => index < position)
    if (own.length === 0) return []
    const was = itemsOf(own.flatMap((index) => messages[index] ?? []))
    const left = own.flatMap((index): readonly Message[] => {
      const fate = fates[index]
      const message = messages[index]
      return fate?.kind === "verbatim" && message ? [message] : fate?.kind === "edited" ? [fate.message] : []
    })
    const now = itemsOf(left)
    const [before, after] = [was, now].map((items) => amountOf(items, estimateMeter).tokens)
    const fate = fateOf(
      own.flatMap((index) => fates[index] ?? []),
      before ?? 0,
      after ?? 0,
    )
    const summary = own.map((index) => fates[index]).find((each) => each?.kind === "summarised")
    const instead = fate === "summarised" && summary?.kind === "summarised" ? [summary.message] : undefined
    const text = instead ? itemsOf(instead).map(textOfItem).join("\n") : now.map(textOfItem).join("\n")
    return [
      {
        row: row.index,
        fate,
        before: before ?? 0,
        after: instead ? 0 : (after ?? 0),
        original: was.map(textOfItem).join("\n"),
        ...(fate !== "left-out" && { left: text }),
      },
    ]
  })
  return {
    seen,
    before: amountOf(itemsOf(messages.slice(0, position)), estimateMeter),
    after: amountOf(carried, estimateMeter),
    view: lowered(carried),
  }
}
