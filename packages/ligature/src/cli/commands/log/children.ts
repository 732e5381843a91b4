/** Which conversations were started by others: asked for all of a page at once. */
import type { ConversationRecord, Store } from "../../../store/index.ts"

const perPage = 1_000

/** The conversations that each of these started, newest first; those without any are left out. */
export const childrenOf = async (store: Store, parents: readonly string[]): Promise<ReadonlyMap<string, readonly ConversationRecord[]>> => {
  const found = new Map<string, ConversationRecord[]>()
  let after: string | undefined
  do {
    const page = await store.list({ parent: parents, limit: perPage, ...(after !== undefined && { after }) })
    for (const record of page.conversations) {
      const id = record.parent?.conversation ?? ""
      const known = found.get(id)
      if (known) known.push(record)
      else found.set(id, [record])
    }
    after = page.next
  } while (after !== undefined)
  return found
}
