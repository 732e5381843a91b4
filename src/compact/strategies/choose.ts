/**
 * Picks the strategy by the provider the view is for: some price an edited prefix, some forbid it behind signed
 * thinking.
 */
import type { Profile } from "../../laws/index.ts"
import type { Strategy } from "../strategy.ts"

export const choose = (pick: (profile: Profile | undefined) => Strategy): Strategy => ({
  name: "choose",
  plan: (conversation, limit, context) => pick(context.profile).plan(conversation, limit, context),
})
