/**
 * A list of messages with times of 13 digits, or one that opens as these agents open a task. A bare list of messages
 * without such marks is a request; a list of `say` and `ask` entries is what the agent shows, not what the model saw.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { type Recognised, recordsLookedAt, type SessionSample } from "../../formats/engine/session.ts"
import { isMessage, isReasoningItem, timeOf } from "./records.ts"

const openings = ["<task>", "<environment_details>", "<user_message>", "<feedback>", "[TASK RESUMPTION]", "<answer>"]

const ownFields = ["condenseParent", "truncationParent", "isTruncationMarker", "condenseId"]

const hasTime = (record: unknown): boolean => {
  const time = timeOf(record)
  return time !== undefined && Number.isInteger(time) && time >= 1e12 && time < 1e13
}

const textsOf = ({ content }: Wire): readonly string[] => {
  if (typeof content === "string") return [content]
  if (!Array.isArray(content)) return []
  const blocks: readonly unknown[] = content.slice(0, 8)
  return blocks.flatMap((block) => (isWire(block) && typeof block["text"] === "string" ? [block["text"]] : []))
}

const opensTask = (record: Wire): boolean =>
  textsOf(record).some((said) => openings.some((opening) => said.slice(0, 200).trimStart().startsWith(opening)))

/** Content as this format has it: other formats have messages with times too. */
const hasContent = ({ content, parts }: Wire): boolean => parts === undefined && (typeof content === "string" || Array.isArray(content))

const foreignFields = ["tool_calls", "tool_call_id", "uuid", "sessionId"]

const isForeign = (record: Wire): boolean => foreignFields.some((field) => field in record)

export const recognise = ({ syntax, records }: SessionSample): Recognised | undefined => {
  const [list] = records
  if (syntax !== "value" || records.length !== 1 || !Array.isArray(list)) return undefined
  const looked: readonly unknown[] = list.slice(0, recordsLookedAt)
  const messages = looked.filter(isMessage).filter(hasContent)
  const others = looked.filter((record) => !isMessage(record) && !isReasoningItem(record))
  if (messages.length === 0 || others.length > messages.length || messages.some(isForeign)) return undefined
  if (messages.some((record) => ownFields.some((field) => field in record))) {
    return { certainty: "certain", why: "messages are tagged with the summary or marker that hides them" }
  }
  if (messages.filter(hasTime).length * 2 > messages.length) {
    return { certainty: "certain", why: "the messages of a list have ts, a time of 13 digits" }
  }
  const first = messages.find((record) => record["role"] === "user")
  if (first && opensTask(first)) {
    return { certainty: "likely", why: "a list of messages opens as Cline-like agents open a task" }
  }
  return undefined
}
