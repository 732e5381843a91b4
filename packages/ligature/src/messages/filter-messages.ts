/**
 * What a session file should give back on resume: the messages of the active path, without steps that broke off. Made
 * of the other functions of this folder, so that each can also be used alone.
 */
import { activePath, entryId, type PathOptions } from "./active-path.ts"
import { dropUnansweredCalls } from "./drop-unanswered-calls.ts"
import { assertOptions, debugFor } from "../model/index.ts"
import type { Notice } from "./notice.ts"
import { isMessage } from "./read-list.ts"
import { skipOrphanResults } from "./skip-orphan-results.ts"

export interface FilterOptions<Entry> extends PathOptions<Entry> {
  /** Calls of the last message that have no result yet: `drop` (default), or `keep` for a session that still runs. */
  readonly pending?: "drop" | "keep"
  /** Told about broken links and about everything that is left out, by entry id. Places count from the first entry. */
  readonly debug?: Notice
}

/**
 * The messages of a session that can be sent: abandoned branches, assistant messages with an unanswered call together
 * with the results of its other calls, and results without call are left out. Entries come back as the same objects,
 * except where one loses a result and keeps other content: that one is copied. Settings, snapshots and other entries
 * that are no messages are left out too, though parent links may lead over them. Linear.
 *
 * @example
 * const messages = filterMessages(entries, { debug: debug("agent:session") })
 */
export const filterMessages = <Entry>(entries: readonly Entry[], options: FilterOptions<Entry> = {}): readonly Entry[] => {
  assertOptions(options, { id: true, parentId: true, tip: true, pending: ["drop", "keep"], debug: true })
  const { pending = "drop", tip, debug: told, ...links } = options
  const plain = debugFor("session")
  const debug: Notice | undefined = told ?? (plain && ((what) => plain(what)))
  const idOf = options.id ?? entryId
  const last = entries.findLast((entry) => isMessage(entry))
  const end = tip ?? (last === undefined ? undefined : idOf(last))
  const { path, problems } = activePath(entries, { ...links, ...(typeof end === "string" && { tip: end }) })
  const messages = path.filter(isMessage)
  const dropping = { tip: pending === "keep" ? "open" : "closed" } as const
  if (!debug) return skipOrphanResults(dropUnansweredCalls(messages, dropping))

  const places = new Map(entries.map((entry, index) => [idOf(entry) ?? "", index]))
  const placeOf = (id: string): number => places.get(id) ?? -1
  for (const { what, id } of problems) debug(`[filterMessages] ${what}`, { message: placeOf(id), ids: [id] })
  /** Later steps see shorter lists: what they say is about entries, so they are named by id. */
  const about =
    (list: readonly Entry[]): Notice =>
    (what, { message, ids }) => {
      const id = idOf(list[message] as Entry) ?? ""
      debug(`[filterMessages] ${what}${id === "" ? "" : ` (entry ${id})`}`, { message: placeOf(id), ids })
    }
  const answered = dropUnansweredCalls(messages, { ...dropping, debug: about(messages) })
  return skipOrphanResults(answered, { warn: about(answered) })
}
