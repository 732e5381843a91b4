/** What every reader owes to a damaged session file. Each demand returns its complaints; none is the good answer. */
import { convert, decode, fileValueOf, findCodec, hasLines, isSessionCodec, repair } from "../../../src/codecs/index.ts"
import { type Document, type DocumentPart, openDocument } from "../../../src/codecs/document/index.ts"
import { check, settle } from "../../../src/laws/index.ts"
import { type Block, callsOf, type Conversation, type Diagnostic, resultText, type Transcript } from "../../../src/model/index.ts"
import { judges } from "../../../src/testing/index.ts"
import { probesOf } from "./naive-reading.ts"
import { bytesOf, isObject, linesOf, parsed, type SessionText } from "./session-text.ts"

export const wireTargets = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const
export const sessionTargets = ["claude-code", "codex-rollout", "cline-api", "neovate", "gemini-cli", "opencode-export", "pi"] as const

const readingOf = (part: DocumentPart): { readonly lines?: readonly number[] } => (part.lines ? { lines: part.lines } : {})

const wholeView = (part: DocumentPart): Transcript => decode(part.format, part.value, { ...readingOf(part), view: "whole" })

/** All strings of a JSON value. */
const addStrings = (value: unknown, into: string[]): void => {
  if (typeof value === "string") into.push(value)
  else if (typeof value === "object" && value !== null) for (const child of Object.values(value)) addStrings(child, into)
}

const addBlock = (block: Block, into: string[]): void => {
  if (block.type === "text" || block.type === "thinking" || block.type === "opaque") into.push(block.text)
  else if (block.type === "call") {
    addStrings(block.arguments, into)
    if (block.raw !== undefined) into.push(block.raw)
  } else if (block.type === "result") for (const part of block.content) addBlock(part, into)
}

/** Everything that was said, to find probes in. */
class Said {
  readonly #texts: string[] = []
  readonly #lines = new Set<string>()
  #joined: string | undefined

  add({ messages }: Transcript): void {
    const before = this.#texts.length
    for (const { blocks } of messages) for (const block of blocks) addBlock(block, this.#texts)
    for (const text of this.#texts.slice(before)) for (const line of text.split(/[\n\r]/)) this.#lines.add(line.trim())
    this.#joined = undefined
  }

  has(probe: string): boolean {
    if (this.#lines.has(probe)) return true
    this.#joined ??= this.#texts.join("\n")
    return this.#joined.includes(probe)
  }
}

interface Pairs {
  /** Keys of the calls that a result text answered. */
  readonly callsByResult: ReadonlyMap<string, ReadonlySet<string>>
  readonly calls: ReadonlySet<string>
  readonly reliable: boolean
}

const answered = (conversation: Conversation): readonly (readonly [call: string, result: string])[] =>
  conversation.items.flatMap((item) => {
    if (item.role !== "exchange") return []
    return callsOf(item).flatMap((call, index) => {
      const result = item.outcomes[index]?.result
      if (result === undefined || result.synthetic !== undefined) return []
      return [[`${call.name} ${JSON.stringify(call.arguments)}`, resultText(result)] as const]
    })
  })

/** Ids that repeat, or were never there, leave nothing but the position to pair by: that is not compared. */
const pairsOf = (transcripts: readonly Transcript[]): Pairs => {
  const callsByResult = new Map<string, Set<string>>()
  const calls = new Set<string>()
  let reliable = true
  for (const transcript of transcripts) {
    const ids = transcript.messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === "call" ? [block.assigned || block.style === "xml" ? "" : block.id] : [])),
    )
    if (new Set(ids).size !== ids.length || ids.includes("")) reliable = false
    for (const [call, result] of answered(settle(transcript).conversation)) {
      callsByResult.set(result, (callsByResult.get(result) ?? new Set()).add(call))
      calls.add(call)
    }
  }
  return { callsByResult, calls, reliable }
}

/** The undamaged file: what it says, and what answers what. */
export interface Original {
  readonly format: string
  readonly session: SessionText
  readonly said: Said
  readonly pairs: Pairs
}

export const readOriginal = (format: string, session: SessionText): Original => {
  const transcripts = openDocument(bytesOf(session)).parts.map(wholeView)
  const said = new Said()
  for (const transcript of transcripts) said.add(transcript)
  return { format, session, said, pairs: pairsOf(transcripts) }
}

const asText = (text: string): string => text.replaceAll("\0", " ")

/** Records that a reader can get at: whole, and on no line that is torn before them. */
const readable = (session: SessionText): readonly { readonly record: unknown; readonly line: number; readonly text: string }[] => {
  const lines = linesOf(session)
  let isTorn = false
  return session.entries.flatMap(({ text, whole, after }, index) => {
    const record = whole && !isTorn ? parsed(asText(text).replace(/^[\uFEFF\s]+/, "")) : undefined
    if (session.kind === "lines") isTorn = after === "" && (isTorn || !whole)
    return record === undefined ? [] : [{ record, line: lines[index] ?? 0, text }]
  })
}

const namedLines = (document: Document, diagnostics: readonly Diagnostic[]): ReadonlySet<number | undefined> =>
  new Set([...document.problems.map(({ line }) => line), ...diagnostics.filter(({ rule }) => rule !== "repeated-record").map(({ place }) => place.line)])

/** Every text that is still there in a whole record is read, on some path, or its record is named. */
export const wordsKept = (original: Original, damaged: SessionText, document: Document): readonly string[] => {
  const said = new Said()
  const transcripts = document.parts.map(wholeView)
  for (const transcript of transcripts) said.add(transcript)
  const named = namedLines(document, transcripts.flatMap(({ diagnostics = [] }) => diagnostics))
  const lost = readable(damaged).flatMap(({ record, line }) =>
    probesOf(original.format, record).filter((probe) => original.said.has(probe) && !said.has(probe) && !named.has(line)).map((probe) => ({ probe, line })),
  )
  if (lost.length === 0) return []
  for (const part of document.parts) {
    const codec = findCodec(part.format)
    if (codec === undefined || !isSessionCodec(codec)) continue
    for (const { id, kind } of codec.session.outline(part.value).paths) {
      if (kind !== "active") said.add(decode(part.format, part.value, { branch: id, view: "whole" }))
    }
  }
  return lost.filter(({ probe }) => !said.has(probe)).map(({ probe, line }) => `words lost, line ${line}: ${probe.slice(0, 100)}`)
}

export const pairsKept = ({ pairs }: Original, document: Document): readonly string[] => {
  if (!pairs.reliable) return []
  return document.parts.flatMap((part) =>
    answered(settle(wholeView(part)).conversation).flatMap(([call, result]) => {
      const calls = result.length > 20 ? pairs.callsByResult.get(result) : undefined
      return calls === undefined || calls.has(call) || !pairs.calls.has(call) ? [] : [`wrong pair: ${call.slice(0, 80)} ← ${result.slice(0, 60)}`]
    }),
  )
}

export const requestsValid = (document: Document): readonly string[] =>
  document.parts.flatMap((part) =>
    wireTargets.flatMap((to) => {
      const { value } = convert(part.value, { from: part.format, to, extras: "strip", ...readingOf(part) })
      const { model: _, ...body } = value
      const verdict = judges[to](JSON.parse(JSON.stringify(body)))
      return verdict.ok ? [] : [`invalid ${to}: ${JSON.stringify(verdict).slice(0, 200)}`]
    }),
  )

const repairedText = (document: Document): { readonly text: string; readonly concerns: (line: number, text: string) => boolean; readonly entries: number } => {
  const replacements = new Map<DocumentPart, unknown>()
  const lines = new Set<number | undefined>()
  const ids = new Set<string>()
  let entries = 0
  for (const { line } of document.problems) lines.add(line)
  for (const part of document.parts) {
    const transcript = decode(part.format, part.value, readingOf(part))
    const { value, report } = repair(part.value, { from: part.format, ...readingOf(part) })
    replacements.set(part, value)
    const irregular = (transcript.diagnostics ?? []).filter(({ severity }) => severity !== "info")
    for (const entry of [...report.entries, ...irregular]) {
      entries++
      lines.add(entry.place.line).add(transcript.messages[entry.place.message ?? -1]?.line)
      for (const id of entry.ids) if (id !== "") ids.add(id.replace(/__\w+$/, ""))
    }
  }
  return {
    text: document.rebuild(replacements).replaceAll("\0", " "),
    entries,
    concerns: (line, text) => lines.has(line) || [...ids].some((id) => text.includes(id)),
  }
}

const errorsIn = (document: Document): readonly string[] =>
  document.parts.flatMap((part) =>
    check(decode(part.format, part.value, readingOf(part)), { tip: "closed" })
      .filter(({ severity }) => severity === "error")
      .map(({ rule, what }) => `still damaged after repair: ${rule}: ${what.slice(0, 120)}`),
  )

export const repairHolds = (damaged: SessionText, document: Document): readonly string[] => {
  const { text, concerns, entries } = repairedText(document)
  const again = openDocument(text)
  const complaints: string[] = [...errorsIn(again)]
  const isGone = parsed(text) === undefined && !text.includes("{")
  if (isGone) return []
  if (again.parts.length !== document.parts.length || again.parts.some(({ format }, index) => format !== document.parts[index]?.format)) {
    complaints.push(`repaired as ${document.parts.map(({ format }) => format)}, read as ${again.parts.map(({ format }) => format)}`)
  }
  const twice = repairedText(again).text
  if (twice !== text) complaints.push(`repairing twice changes more: ${firstDifference(text, twice)}`)
  if (damaged.kind === "lines") {
    const kept = new Set(text.replaceAll('}{"', '}\n{"').split("\n").map((line) => line.trim()))
    const keptElsewhere = new Set([...kept].map(withoutParents))
    for (const { text: record, line } of readable(damaged)) {
      const whole = asText(record).trim()
      if (kept.has(whole) || text.includes(whole) || concerns(line, whole) || whole.includes("\uE0FF")) continue
      if (keptElsewhere.has(withoutParents(whole)) || /"(?:uu)?id":5,/.test(whole)) continue
      complaints.push(`a line nobody spoke of has changed, ${line}: ${whole.slice(0, 150)}`)
    }
  } else {
    const missing = readable(damaged).filter(({ text: message }) => !text.includes(asText(message)) && !message.includes("\uE0FF"))
    const kept = new Set(again.parts.flatMap(({ value }) => [...deepTexts(value)]))
    const gone = missing.filter(({ record, text: message }) => !kept.has(JSON.stringify(record)) && !concerns(0, message))
    // An entry about a call may touch the message of its result as well.
    if (gone.length > 2 * entries) complaints.push(`${gone.length} messages changed, ${entries} spoken of: ${gone[0]?.text.slice(0, 150)}`)
  }
  return complaints
}

/** Where a record was left out, its children hang on its parent: that much of them may change. */
const withoutParents = (line: string): string =>
  (JSON.stringify(parsed(line)) ?? line).replaceAll(/"(?:parentUuid|parentId|parentID|logicalParentUuid|sourceToolAssistantUUID|message_count)":\s?(?:"[^"]*"|null|\d+)/g, "")

/** The texts of all objects two to four levels down, where messages are. */
function* deepTexts(value: unknown, depth = 0): Generator<string> {
  if (depth > 4 || typeof value !== "object" || value === null) return
  if (isObject(value) && depth > 0) yield JSON.stringify(value)
  for (const child of Object.values(value)) yield* deepTexts(child, depth + 1)
}

const firstDifference = (left: string, right: string): string => {
  let index = 0
  while (index < left.length && left[index] === right[index]) index++
  const from = Math.max(0, index - 60)
  return `${JSON.stringify(left.slice(from, index + 80))} ≠ ${JSON.stringify(right.slice(from, index + 80))}`
}

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, canonical(value[key])]))
}

interface Told {
  readonly calls: readonly string[]
  readonly texts: readonly string[]
}

const toldBy = (conversation: Conversation): Told => {
  const calls = conversation.items.flatMap((item) => {
    if (item.role !== "exchange") return []
    return callsOf(item).map((call, index) => {
      const outcome = item.outcomes[index]
      const said: string[] = []
      if (outcome?.result !== undefined) addBlock(outcome.result, said)
      return `${call.name} ${JSON.stringify(canonical(call.arguments))} → ${said.join("\n").trim()}`
    })
  })
  const texts = conversation.items.flatMap((item) =>
    (item.role === "exchange" ? [...item.message.blocks, ...(item.reply?.blocks ?? [])] : item.blocks).flatMap((block) =>
      block.type === "text" && block.text.trim() !== "" ? [block.text.trim()] : [],
    ),
  )
  return { calls, texts }
}

/** Moved to another agent and read there, it says the same. */
export const moves = (document: Document, targets: readonly string[]): readonly string[] =>
  document.parts.flatMap((part) =>
    targets.flatMap((to) => {
      const codec = findCodec(to)
      if (to === part.format || codec === undefined || !isSessionCodec(codec)) return []
      const { value, conversation } = convert(part.value, { from: part.format, to, ...readingOf(part) })
      const file = fileValueOf(codec, value)
      const text = hasLines(codec, value) && Array.isArray(file) ? file.map((record) => `${JSON.stringify(record)}\n`).join("") : JSON.stringify(file)
      const again = openDocument(text)
      const formats = again.parts.map(({ format }) => format)
      if (formats.length !== 1 || formats[0] !== to) {
        return conversation.items.length === 0 ? [] : [`moved to ${to}, read as ${formats.join() || "nothing"}`]
      }
      const transcripts = again.parts.map(wholeView)
      const before = toldBy(conversation)
      const after = transcripts.map((transcript) => toldBy(settle(transcript).conversation))
      const calls = after.flatMap((told) => told.calls)
      const complaints: string[] = []
      if (calls.join("\n") !== before.calls.join("\n")) {
        const index = before.calls.findIndex((call, place) => call !== calls[place])
        complaints.push(`moved to ${to}, ${before.calls.length} calls became ${calls.length}: ${String(before.calls[index]).slice(0, 200)} ≠ ${String(calls[index]).slice(0, 200)}`)
      }
      const said = new Said()
      for (const transcript of transcripts) said.add(transcript)
      const lost = before.texts.filter((line) => !said.has(line))
      if (lost.length > 0) complaints.push(`moved to ${to}, ${lost.length} texts lost: ${lost[0]?.slice(0, 120)}`)
      const errors = transcripts.flatMap((transcript) => check(transcript).filter(({ severity }) => severity === "error"))
      if (errors.length > 0) complaints.push(`moved to ${to}, damaged there: ${errors[0]?.rule} ${errors[0]?.what.slice(0, 100)}`)
      return complaints
    }),
  )

/** Readers of every path and record answer, whatever stands there. */
export const neverThrows = (document: Document): readonly string[] => {
  for (const part of document.parts) {
    const codec = findCodec(part.format)
    if (codec === undefined || !isSessionCodec(codec)) continue
    const { paths } = codec.session.outline(part.value)
    for (const { id } of paths.slice(0, 4)) for (const view of ["whole", "effective"] as const) codec.decode(part.value, { branch: id, view })
    codec.session.place?.(part.value)
    if (Array.isArray(part.value)) for (const record of part.value) codec.session.pulse?.(record)
  }
  return []
}

export const openDamaged = (damaged: SessionText): Document => openDocument(bytesOf(damaged))

/** What must be left of a file so that anybody could tell whose it is, beside the shape of its records. */
const marks: Readonly<Record<string, RegExp>> = {
  "codex-rollout-old": /"record_type":|"instructions":/,
  "goose": /"working_dir":|"type":"tool(?:Request|Response)"/,
  "cline-api": /"role":"user".*(?:<task>|<environment_details>|"tool_use_id":)|"ts":/,
  "continue": /"role":\s?"/,
}

const fewestRecords = 4

const isTellable = ({ format }: Original, damaged: SessionText): boolean => {
  const left = readable(damaged).filter(({ record }) => isObject(record) && Object.keys(record).length > 1)
  // Messages by id are members of one object: a tear there nests what follows in what was torn.
  if (left.length < fewestRecords || damaged.entries.some(({ lead, whole }) => lead !== "" && !whole)) return false
  const mark = marks[format]
  return mark === undefined || left.some(({ text }) => mark.test(text))
}

export const recognised = (original: Original, damaged: SessionText, document: Document): readonly string[] => {
  const formats = [...new Set(document.parts.map(({ format }) => format))]
  if (document.format === original.format || !isTellable(original, damaged)) return []
  return [`read as ${formats.join() || "nothing"}: ${document.problems.map(({ kind }) => kind).join()}`]
}

/** Every demand on one damaged file. */
export const complaintsAbout = (
  original: Original,
  damaged: SessionText,
  { pairs, targets }: { readonly pairs: boolean; readonly targets: readonly string[] },
): readonly string[] => {
  const document = openDocument(bytesOf(damaged))
  const complaints = [...recognised(original, damaged, document), ...neverThrows(document), ...requestsValid(document)]
  if (document.format !== original.format) return complaints
  return [
    ...complaints,
    ...wordsKept(original, damaged, document),
    ...(pairs ? pairsKept(original, document) : []),
    ...repairHolds(damaged, document),
    ...moves(document, targets),
  ]
}
