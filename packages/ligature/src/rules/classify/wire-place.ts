// The place a refusal names, in the terms of the request that was refused. Providers write it in four ways:
// `messages.84.content.1.image`, `messages[2].tool_calls[0].id`, `message index 2`, and words without a certain
// origin of counting (`position 2`), of which only the wording is kept.

export type WirePlace = {
  /** The place as the provider wrote it. */
  readonly path: string
  /** Index of the message, content or input item, counted from 0 in the list that was sent. */
  readonly message?: number
  /** Index inside that message: of a block, a part, or an entry of `tool_calls`, as the path says. */
  readonly block?: number
}

const paths = /\b(?:messages?|contents|input|tools|system)(?:\.\d{1,9}|\.?\[\d{1,9}\])(?:\.\w{1,80}|\.?\[\d{1,9}\]){0,12}/gi
const counted = /\b(?:message )?index (\d{1,9})\b/i
const uncounted = /\bposition \d{1,9}\b|`?\b\d{1,9}\.`? content block/i

// How far from the words of a refusal a place may be and still belong to it.
const charactersBefore = 200
const charactersAfter = 400

/** The place named by the refusal that is at `start` to `end` of the text. */
export function wirePlace(text: string, start: number, end: number): WirePlace | undefined {
  const from = Math.max(0, start - charactersBefore)
  const window = text.slice(from, end + charactersAfter)
  let nearest: string | undefined
  for (const found of window.matchAll(paths)) {
    // A path before the words or among them belongs to them; one after counts only when there is no other.
    if (nearest !== undefined && from + found.index >= end) break
    nearest = found[0]
  }
  if (nearest !== undefined) return placeOfPath(nearest)
  const index = counted.exec(window)
  if (index !== null) return { path: index[0], message: Number(index[1]) }
  const words = uncounted.exec(window)
  return words === null ? undefined : { path: words[0] }
}

/** Reads a path such as a `param` field holds; undefined when it names no element. */
export function placeOfPath(path: string): WirePlace | undefined {
  const indices = path.match(/(?<=[.[])\d{1,9}(?=[.\]]|$)/g)
  if (indices === null) return undefined
  const [message, block] = indices
  if (/^(?:tools|system)/i.test(path) || message === undefined) return { path }
  return { path, message: Number(message), ...(block === undefined ? {} : { block: Number(block) }) }
}
