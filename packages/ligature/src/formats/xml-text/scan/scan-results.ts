/**
 * Finds results that were written as user text, and says how sure it is of each.
 *
 * A result starts with a header line (see `result-header.ts`) or is between tags (see `tagged-results.ts`), and
 * reaches to the next one. A header counts only at the start of a line and outside code fences: files that document
 * such headers are read by tools too. The segments cover the text exactly.
 */
import { bodyOf, findHeaders, isSurroundings } from "./header-results.ts"
import type { TextSegment } from "./scan-calls.ts"
import { attributeOf, type FenceWalker, indexTags, type Tag, type TagIndex, trimLayout, unescapeEntities, walkFences } from "./tags.ts"
import { isJsonObject, parseJson } from "./values.ts"

// Reads results that are between tags: `<function_results>` (with one `<result>` per call, or plain text or an `<error>`), and `<tool_response>` as
// Hermes and Qwen templates write it.

interface TaggedResult {
  readonly start: number
  readonly end: number
  readonly name?: string
  readonly id?: string
  readonly body: { readonly start: number; readonly end: number }
  readonly text: string
  readonly error: boolean
  readonly form: "invoke" | "hermes"
}

const isResultTag = (tag: Tag): boolean => tag.kind === "open" && (tag.local === "function_results" || tag.local === "tool_response")

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
  text: string,
  index: TagIndex,
  from: number,
  to: number,
  names: readonly string[],
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
  const whole = openTag !== undefined && closeTag !== undefined ? innerOf(text, openTag, closeTag) : { start: 0, end: 0, text: "" }
  const name = findChild(text, index, open, close, ["name", "tool_name"])?.inner.text
  const id = findChild(text, index, open, close, ["id", "tool_use_id"])?.inner.text
  const output = findChild(text, index, open, close, ["stdout", "output", "content"])
  const failure = findChild(text, index, open, close, ["error", "stderr"])
  const body = (output === undefined || (output.inner.text === "" && failure !== undefined) ? failure : output)?.inner
  const error = failure !== undefined && failure.inner === body
  const { start, end, text: read } = body ?? whole
  return {
    ...(name === undefined ? {} : { name }),
    ...(id === undefined ? {} : { id }),
    body: { start, end },
    text: read,
    error,
    form: "invoke",
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
const readTaggedResults = (text: string, index: TagIndex, fences: FenceWalker): readonly TaggedResult[] => {
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

interface ResultSegment {
  readonly kind: "result"
  readonly start: number
  readonly end: number
  readonly name?: string
  /** What was after `for` in the header. */
  readonly hint?: string
  readonly id?: string
  readonly body: { readonly start: number; readonly end: number }
  /** The body as the tool gave it: the range, without fence or escapes. */
  readonly text: string
  /** The text ends with the header, so the body is expected in the next text block; see `scanResultBlocks`. */
  readonly headerOnly: boolean
  readonly error?: true
  /** The user did not allow the call, so it never ran. */
  readonly denied?: true
  readonly form: "header" | "invoke" | "hermes"
  readonly certainty: number
  readonly evidence: readonly string[]
}

type ResultScan = TextSegment | ResultSegment

export interface ScanResultsOptions {
  readonly tools?: ReadonlySet<string> | readonly string[] | undefined
  /**
   * Candidates below stay text; 0.5 unless told. A header with an unlisted name scores less, any other complete
   * header more.
   */
  readonly threshold?: number | undefined
}

type Unjudged = Omit<ResultSegment, "kind" | "certainty" | "evidence" | "error" | "denied">

const taggedResult = /<(?:[\w-]+:)?(?:function_results|tool_response)[\s>]/

/** Most texts are long and have neither word: searching for words is many times as fast as the pattern. */
const mentionsTaggedResult = (text: string): boolean =>
  (text.includes("function_results") || text.includes("tool_response")) && taggedResult.test(text)

const failurePattern = /^\s*(?:The tool execution failed with the following error:|<error>)/
const failureObject = /^\s*\{"status":"error"/
const deniedPattern = /^\s*(?:The user denied this operation|\{"status":"denied")/
interface Fate {
  readonly error?: true
  readonly denied?: true
}

/** What a body says about the call's fate, where the header does not say it. */
export const fateOf = (text: string, error: boolean | undefined): Fate => {
  if (error !== undefined) return error ? { error } : {}
  const opening = text.slice(0, 200)
  if (deniedPattern.test(opening)) return { denied: true }
  return failurePattern.test(opening) || failureObject.test(opening) ? { error: true } : {}
}

const judgeName = (name: string | undefined, tools: ReadonlySet<string> | undefined): readonly [number, string] => {
  if (name === undefined) return [0.7, "no tool is named"]
  if (tools === undefined) return [0.9, "the header names a tool; no tools are known"]
  return tools.has(name) ? [1, "the header names a listed tool"] : [0.4, "the header names a tool that is not listed"]
}

export const scanResults = (text: string, options: ScanResultsOptions = {}): readonly ResultScan[] => {
  if (text === "") return []
  const tools = options.tools === undefined || "has" in options.tools ? options.tools : new Set(options.tools)
  const threshold = options.threshold ?? 0.5
  const { headers, tail } = findHeaders(text, (name) => judgeName(name, tools)[0] >= threshold)
  // A result that quotes results of the other form is still one result: the form that comes first decides for the
  // whole text.
  const tagged = mentionsTaggedResult(text) ? readTaggedResults(text, indexTags(text), walkFences(text)) : []
  const headersFirst = (headers[0]?.start ?? Infinity) < (tagged[0]?.start ?? Infinity)

  const results: ResultSegment[] = []
  const add = (segment: Unjudged, error: boolean | undefined, sameLine: boolean): void => {
    const [weight, reason] = judgeName(segment.name, tools)
    const certainty = Math.round((sameLine ? weight - 0.3 : weight) * 100) / 100
    if (certainty < threshold) return
    const evidence = sameLine ? [reason, "the body starts on the line of the header"] : [reason]
    results.push({ kind: "result", ...segment, ...fateOf(segment.text, error), certainty, evidence })
  }
  if (!headersFirst) for (const { error, ...rest } of tagged) add({ ...rest, headerOnly: false }, error, false)
  else {
    headers.forEach((header, position) => {
      const body = bodyOf(text, header, headers[position + 1]?.start ?? tail)
      const { name, hint, id, start } = header
      const parts = { name, ...(hint === undefined ? {} : { hint }), ...(id === undefined ? {} : { id }) }
      const { segmentEnd: end, text: read, sameLine } = body
      const headerOnly = end === text.length && !header.fenced && read.trim() === ""
      add({ start, end, ...parts, body: body.range, text: read, form: "header", headerOnly }, header.error, sameLine)
    })
  }

  const scan: ResultScan[] = []
  let cursor = 0
  for (const result of results) {
    if (result.start > cursor) scan.push({ kind: "text", start: cursor, end: result.start })
    scan.push(result)
    cursor = result.end
  }
  if (cursor < text.length) scan.push({ kind: "text", start: cursor, end: text.length })
  return scan
}

// Results across the text blocks of one user message. Cline-like agents write the header as one text block and the body as the next, with the
// description of the surroundings as the last one. So a header that ends its block owns exactly the following block, unless that one starts a result
// itself or describes the surroundings.

interface BlockScan {
  /** Position of the block in the list that was given. */
  readonly block: number
  /** Segments that cover the block's text; a body block that belongs to the header before it has one `text` segment. */
  readonly segments: readonly ResultScan[]
  /** This block is the body of the last result of the block before it. */
  readonly continues: boolean
}

interface BlockResult {
  readonly result: ResultSegment
  readonly block: number
  /** The block that holds the body; the same as `block` when the body follows in the same text. */
  readonly bodyBlock: number
  readonly text: string
  /**
   * Tool and hint are those of the result just before it in this message. Agents write one call's result in two
   * pieces this way: what the user said while approving it, then what the tool said.
   */
  readonly repeatsPrevious: boolean
}

export interface ResultBlocks {
  readonly blocks: readonly BlockScan[]
  readonly results: readonly BlockResult[]
}

export const scanResultBlocks = (texts: readonly string[], options: ScanResultsOptions = {}): ResultBlocks => {
  const blocks: BlockScan[] = []
  const results: BlockResult[] = []
  let waiting: { readonly result: ResultSegment; readonly block: number } | undefined
  const add = (result: ResultSegment, block: number, bodyBlock: number, text: string): void => {
    const previous = results.at(-1)?.result
    const repeatsPrevious = previous !== undefined && previous.name === result.name && previous.hint === result.hint
    results.push({ result, block, bodyBlock, text, repeatsPrevious })
  }
  const settleWaiting = (): void => {
    if (waiting !== undefined) add(waiting.result, waiting.block, waiting.block, waiting.result.text)
    waiting = undefined
  }
  texts.forEach((text, block) => {
    const segments = scanResults(text, options)
    const first = segments[0]
    if (waiting !== undefined && first?.kind !== "result" && !isSurroundings(text)) {
      add({ ...waiting.result, ...fateOf(text, waiting.result.error) }, waiting.block, block, text)
      waiting = undefined
      const whole: readonly ResultScan[] = text === "" ? [] : [{ kind: "text", start: 0, end: text.length }]
      blocks.push({ block, segments: whole, continues: true })
      return
    }
    settleWaiting()
    blocks.push({ block, segments, continues: false })
    for (const segment of segments) {
      if (segment.kind !== "result") continue
      settleWaiting()
      if (segment.headerOnly) waiting = { result: segment, block }
      else add(segment, block, block, segment.text)
    }
  })
  settleWaiting()
  return { blocks, results }
}
