/** The names under which this agent's values are kept, and the shapes of its records. */
import type { Wire } from "../../model/index.ts"

export const format = "gemini-cli"

/** Where a decoder keeps the choice of path and view, so that the encoder knows what it did not read. */
export const readingKey = "gemini-cli.reading"

export const isMetadata = (record: Wire): boolean =>
  typeof record["sessionId"] === "string" && typeof record["projectHash"] === "string"

/** What the model and the user said; the other types are notices on the screen. */
export const isSpoken = (record: Wire): boolean => record["type"] === "user" || record["type"] === "gemini"

export const noticeTypes: ReadonlySet<unknown> = new Set(["info", "error", "warning"])

/** Content is a string, a part, or a list of either. */
export const partsOf = (content: unknown): readonly unknown[] => {
  if (Array.isArray(content)) return content
  return content === undefined || content === null || content === "" ? [] : [content]
}
