/** Why a server of this family wants a message written differently. */
import type { Wire } from "../../model/index.ts"
import { reasoningFields } from "./reasoning.ts"

interface Reason {
  readonly rule: string
  readonly what: string
}

const isSilent = (content: unknown): boolean => content === null || content === undefined || content === ""

export const explain = (before: Wire, after: Wire): Reason | undefined => {
  const gone = reasoningFields.filter((field) => field in before && !(field in after))
  if (gone.length > 0) return { rule: "thinking-forbidden", what: `The server does not take ${gone.join(", ")}` }
  const added = reasoningFields.filter((field) => field in after && after[field] !== before[field])
  if (added.length > 0) return { rule: "thinking-required", what: `The server wants ${added.join(", ")} on this message` }
  if (isSilent(before["content"]) && before["content"] !== after["content"]) {
    return { rule: "call-content", what: "The server wants other content on a message with calls alone" }
  }
  if (Array.isArray(before["content"]) && typeof after["content"] === "string") {
    return { rule: "content-string", what: "The server wants content as one text" }
  }
  return undefined
}
