/** Conversations that adapters open by a name the application gives them: created on first use, by whoever comes first. */
import { type Loaded, type Store, StoreError } from "../store/index.ts"

/** Undefined while nobody has written it. */
export const loadIfThere = async (store: Store, id: string): Promise<Loaded | undefined> => {
  try {
    return await store.load(id)
  } catch (error) {
    if (error instanceof StoreError && error.reason === "missing-conversation") return undefined
    throw error
  }
}

/** Makes sure that there is one; another process may be doing the same. */
export const ensureConversation = async (store: Store, id: string): Promise<void> => {
  try {
    await store.create({ id })
  } catch (error) {
    if (!(error instanceof StoreError && error.reason === "exists")) throw error
  }
}
