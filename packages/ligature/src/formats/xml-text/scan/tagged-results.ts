/**
 * Reads results that stand between tags: `<function_results>` (with one `<result>` per call, or plain text or an
 * `<error>`), and `<tool_response>` as Hermes and Qwen templates write it.
 */
import type { FenceWalker } from "./fences.ts"
import type { Tag, TagIndex } from "./tags.ts"
import { attributeOf, trimLayout, unescapeEntities } from "./tags.ts"
import { isJsonObject, parseJson } from "./values.ts"

export interface TaggedResult {
  readonly start: number
  readonly end: number
  readonly name?: string
  readonly id?: string
  readonly body: { readonly start: number; readonly end: number }
  readonly text: string
  readonly error: boolean
  readonly form: "invoke" | "hermes"
}

const isResultTag = (tag: Tag): boolean =>
  tag.kind === "open" && (tag.local === "function_results" || tag.local === "tool_response")

const startsLine = (text: string, position: number): boolean => position === 0 || text[position - 1] === "\n"

interface Inner {
  readonly start: number
  readonly end: number
  readonly text: string
}

const innerOf = (text: string, open: Tag, close: Tag): Inner => {
  const written = text.slice(open.end, close.start)
  const trimmed = trimLayout(written)
  const start = open.end + (written.startsWith("\r\n") ? 2 : written.startsWith("\n") ? 1 : 0)
  const decoded = attributeOf(open, "escape") === "entities" ? unescapeEntities(trimmed) : trimmed
  return { start: Math.min(start, close.start), end: Math.min(start, close.start) + trimmed.length, text: decoded }
}

/** The inside of the first pair of tags of this name between two positions. */
const findChild = (
  text: string, index: TagIndex, from: number, to: number, names: readonly string[],
): { tag: Tag; inner: Inner } | undefined => {
  for (let position = from + 1; position < to; position++) {
    const tag = index.tags[position]
    const partner = index.balanced[position] ?? -1
    const close = index.tags[partner]
    if (tag?.kind !== "open" || close === undefined || partner >= to) continue
    if (names.includes(tag.local)) return { tag, inner: innerOf(text, tag, close) }
    position = partner
  }
  return undefined
}

const readBlock = (text: string, index: TagIndex, open: number, close: number): Omit<TaggedResult, "start" | "end"> => {
  const openTag = index.tags[open]
  const closeTag = index.tags[close]
  const whole = openTag !== undefined && closeTag !== undefined
    ? innerOf(text, openTag, closeTag)
    : { start: 0, end: 0, text: "" }
  const name = findChild(text, index, open, close, ["name", "tool_name"])?.inner.text
  const id = findChild(text, index, open, close, ["id", "tool_use_id"])?.inner.text
  const output = findChild(text, index, open, close, ["stdout", "output", "content"])
  const failure = findChild(text, index, open, close, ["error", "stderr"])
  const body = (output === undefined || (output.inner.text === "" && failure !== undefined) ? failure : output)?.inner
  const error = failure !== undefined && failure.inner === body
  const { start, end, text: read } = body ?? whole
  return {
    ...(name === undefined ? {} : { name }), ...(id === undefined ? {} : { id }),
    body: { start, end }, text: read, error, form: "invoke",
  }
}

const readHermes = (text: string, open: Tag, close: Tag): Omit<TaggedResult, "start" | "end"> => {
  const inner = innerOf(text, open, close)
  const body = { start: inner.start, end: inner.end }
  const parsed = inner.text.startsWith("{") ? parseJson(inner.text) : undefined
  const named = isJsonObject(parsed) && typeof parsed["name"] === "string" && "content" in parsed
  if (!named) return { body, text: inner.text, error: false, form: "hermes" }
  const { name, content, error, id } = parsed
  return {
    name: String(name),
    ...(typeof id === "string" ? { id } : {}),
    body,
    text: typeof content === "string" ? content : JSON.stringify(content),
    error: error === true,
    form: "hermes",
  }
}

/** Results in order; the wrapper's opening tag belongs to its first result, the closing tag to its last. */
export const readTaggedResults = (text: string, index: TagIndex, fences: FenceWalker): readonly TaggedResult[] => {
  const results: TaggedResult[] = []
  let cursor = 0
  index.tags.forEach((tag, position) => {
    if (!isResultTag(tag) || tag.start < cursor || !startsLine(text, tag.start) || fences.insideFence(tag.start)) return
    const close = index.balanced[position] ?? -1
    const closeTag = index.tags[close]
    if (closeTag === undefined) return
    cursor = closeTag.end
    fences.restartAt(cursor)
    if (tag.local === "tool_response") {
      results.push({ start: tag.start, end: cursor, ...readHermes(text, tag, closeTag) })
      return
    }
    let start = tag.start
    const first = results.length
    for (let child = position + 1; child < close; child++) {
      const partner = index.balanced[child] ?? -1
      const childClose = index.tags[partner]
      if (index.tags[child]?.kind !== "open" || childClose === undefined || partner >= close) continue
      if (index.tags[child]?.local === "result") {
        results.push({ start, end: childClose.end, ...readBlock(text, index, child, partner) })
        start = childClose.end
      }
      child = partner
    }
    const last = results.at(-1)
    if (results.length === first || last === undefined) {
      results.push({ start: tag.start, end: cursor, ...readBlock(text, index, position, close) })
    } else {
      results[results.length - 1] = { ...last, end: cursor }
    }
  })
  return results
}
