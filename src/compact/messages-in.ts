/** Items counted as messages: what keep-first and keep-last mean to agents that hold flat lists. */
import type { Item } from "../model/index.ts"

/** Messages an item is made of, as agents that keep flat lists count them. */
export const messagesIn = (item: Item): number => {
  if (item.role !== "exchange") return 1
  let messages = item.reply ? 2 : 1
  for (let call = 0; call < item.outcomes.length; call++) {
    const carrier = item.outcomes[call]?.carrier
    // Results that came in one message count once.
    if (carrier === undefined || carrier !== item.outcomes[call - 1]?.carrier) messages++
  }
  return messages
}
