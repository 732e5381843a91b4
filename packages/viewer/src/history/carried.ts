/**
 * What each request of a stored conversation carried. The log keeps everything that was said, and beside it what compactions did: a summary
 * that covers one message is that message, edited; one that covers several stands for them; a hide takes messages out of sight. What came
 * before a request on the path had happened when it was sent.
 */
import type { Message } from "../library-types.ts"
import type { StoredConversation, StoredEntry } from "../source/source.ts"

export interface Compaction {
  readonly at: number
  /** Messages that were there before it. */
  readonly position: number
  readonly entries: readonly StoredEntry[]
  /** How many messages it took out of sight or edited. */
  readonly covered: number
}

export interface SentRequest {
  /** Messages that were there before the answer. */
  readonly position: number
  readonly at?: number
}

export type MessageFate =
  | { readonly kind: "verbatim" }
  | { readonly kind: "edited"; readonly message: Message }
  | { readonly kind: "summarised"; readonly message: Message }
  | { readonly kind: "left-out" }

/** The entries that take something out of sight, each with the number of messages before it on the path. */
const positioned = ({
  sources,
  beside,
  stale,
}: StoredConversation): readonly { readonly entry: StoredEntry; readonly position: number }[] => {
  const positions = new Map<string, number>(sources.map((id, index) => [id, index + 1]))
  const off = new Set(stale)
  const found: { entry: StoredEntry; position: number }[] = []
  for (const entry of beside) {
    const position = entry.parent === null ? 0 : (positions.get(entry.parent) ?? 0)
    positions.set(entry.id, position)
    if ((entry.kind === "summary" || entry.kind === "hide") && !off.has(entry.id)) found.push({ entry, position })
  }
  return found
}

/** Entries of one compaction are written together. */
export const compactionsOf = (stored: StoredConversation): readonly Compaction[] => {
  const messages = new Set(stored.sources)
  const groups = Map.groupBy(positioned(stored), ({ position }) => position)
  return [...groups].map(([position, group]): Compaction => {
    const covered = new Set(group.flatMap(({ entry }) => (entry.covers ?? []).flatMap(({ id }) => (messages.has(id) ? [id] : []))))
    return { at: group[0]?.entry.at ?? 0, position, entries: group.map(({ entry }) => entry), covered: covered.size }
  })
}

/** One for each answer of the model. */
export const requestsOf = ({ transcript, sources, beside }: StoredConversation): readonly SentRequest[] => {
  const times = new Map(beside.flatMap(({ kind, parent, at }) => (kind === "note" && parent !== null ? [[parent, at] as const] : [])))
  return transcript.messages.flatMap(({ role }, position): SentRequest[] => {
    if (role !== "assistant") return []
    const at = times.get(sources[position] ?? "")
    return [{ position, ...(at !== undefined && { at }) }]
  })
}

/** What the request carried of each message before it. */
export const fatesAt = (stored: StoredConversation, position: number): readonly MessageFate[] => {
  const { sources, transcript } = stored
  const fates: MessageFate[] = transcript.messages.slice(0, position).map(() => ({ kind: "verbatim" }))
  const indexOf = new Map(sources.map((id, index) => [id, index]))
  const summaries = new Map<string, readonly number[]>()
  for (const { entry, position: from } of positioned(stored)) {
    if (from > position) continue
    // What covers a summary covers what that one stands for.
    const covered = (entry.covers ?? []).flatMap(({ id }) => {
      const index = indexOf.get(id)
      return index === undefined ? (summaries.get(id) ?? []) : [index]
    })
    if (entry.kind === "summary") summaries.set(entry.id, covered)
    for (const index of covered) {
      if (index >= position) continue
      const { message } = entry
      if (entry.kind === "hide" || message === undefined) fates[index] = { kind: "left-out" }
      else fates[index] = covered.length === 1 ? { kind: "edited", message } : { kind: "summarised", message }
    }
  }
  return fates
}

/** The messages that the request had: summaries stand where the first that they cover was. */
export const carriedAt = ({ transcript }: StoredConversation, fates: readonly MessageFate[]): readonly Message[] => {
  const said = new Set<Message>()
  return fates.flatMap((fate, index): readonly Message[] => {
    const message = transcript.messages[index]
    switch (fate.kind) {
      case "verbatim":
        return message ? [message] : []
      case "edited":
        return [fate.message]
      case "left-out":
        return []
      case "summarised": {
        if (said.has(fate.message)) return []
        said.add(fate.message)
        return [fate.message]
      }
      default:
        return fate satisfies never
    }
  })
}
