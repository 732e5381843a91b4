/** How exports are told apart: by chats whose messages name their parent and list their children. */
import type { Recognised, SessionSample } from "../../formats/engine/session.ts"
import { isChat } from "./outline.ts"

const looksAt = 8

export const recognise = ({ records }: SessionSample): Recognised | undefined => {
  const [first] = records
  const chats: readonly unknown[] = Array.isArray(first) ? first.slice(0, looksAt) : records.slice(0, looksAt)
  if (!chats.some(isChat)) return undefined
  return { certainty: "certain", why: "it holds a chat as a tree of messages with the one it stands at" }
}
