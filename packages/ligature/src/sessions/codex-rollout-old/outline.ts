/** What an old rollout says of itself: its header. */
import type { SessionOutline } from "../../formats/engine/session.ts"
import { isPrompt, textOf } from "../codex-rollout/items.ts"
import { recordsOf, textField } from "../codex-rollout/records.ts"
import { read } from "./read.ts"
import { isHeader } from "./records.ts"

const titleLength = 80

export const outline = (value: unknown): SessionOutline => {
  const records = recordsOf(value)
  const header = records.find(isHeader)
  const { entries } = read(records)
  const prompt = entries.find(({ source }) => isPrompt(source))
  const title = prompt && (textOf(prompt.source).trim().split("\n", 1)[0] ?? "").slice(0, titleLength)
  const id = textField(header, "id")
  const startedAt = textField(header, "timestamp")
  const named = title !== undefined && title !== "" && { title }
  return {
    ...(id !== undefined && { id }),
    ...named,
    ...(startedAt !== undefined && { startedAt }),
    paths: [
      {
        id: "active",
        kind: "active",
        ...named,
        messages: entries.filter(({ source }) => source["role"] !== undefined).length,
        first: entries[0]?.record ?? 0,
      },
    ],
    compactions: [],
  }
}
