/** Conversations written by hand, for tests of encoders: what `settle` would make, without a wire value to start from. */
import type { Conversation, Item, Native } from "../src/model/index.ts"

export const byHand = (parts: { readonly items: readonly Item[]; readonly native?: Native }): Conversation => parts as Conversation
