/**
 * Finds results that were written as user text, and says how sure it is of each.
 *
 * A result starts with a header line (see `result-header.ts`) or stands between tags (see `tagged-results.ts`), and
 * reaches to the next one. A header counts only at the start of a line and outside code fences: files that document
 * such headers are read by tools too. The segments cover the text exactly.
 */
import { walkFences } from "./fences.ts"
import { bodyOf, findHeaders } from "./header-results.ts"
import { readTaggedResults } from "./tagged-results.ts"
import { indexTags } from "./tags.ts"
import type { TextSegment } from "./scan-calls.ts"

export interface ResultSegment {
  readonly kind: "result"
  readonly start: number
  readonly end: number
  readonly name?: string
  /** What stood after `for` in the header. */
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

export type ResultScan = TextSegment | ResultSegment

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
export interface Fate {
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
