/**
 * What both generations of OpenHands have in common: condensations that hide earlier events, parts of a message, and the
 * frame around the output of a command.
 */
import { type Block, type ContentBlock, isWire, mediaNote, type Native, text, type Wire } from "../../model/index.ts"
import { previewOf } from "../../formats/engine/malformed.ts"
import { readUrl, writeUrl } from "../../formats/engine/media.ts"
import { listOf, stringOf } from "../engine/fields.ts"
import type { ReadRecord, RecordReading } from "../engine/session-format.ts"

export interface Condensation {
  /** Ids of the events that are hidden from then on, and a range of them. */
  readonly ids: readonly unknown[]
  readonly range?: readonly [number, number]
  readonly summary?: string
  /** Where in what is left the summary is shown. */
  readonly offset: number
}

/** The fields have the same names in both generations. */
export const condensationOf = (fields: Wire): Condensation => {
  const { forgotten_events_start_id: start, forgotten_events_end_id: end, summary_offset: offset } = fields
  const summary = stringOf(fields["summary"])
  return {
    ids: listOf(fields["forgotten_event_ids"]),
    ...(typeof start === "number" && typeof end === "number" && { range: [start, end] }),
    ...(summary.trim() !== "" && { summary }),
    offset: typeof offset === "number" && offset >= 0 ? offset : 0,
  }
}

export const readCondensation = ({ summary }: Condensation): RecordReading => {
  if (summary === undefined) return { compaction: { kind: "truncation" } }
  return { compaction: { kind: "summary", summary }, messages: [{ role: "user", blocks: [text(summary)], summary: true }] }
}

const merged = (ranges: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] => {
  const out: [number, number][] = []
  for (const [start, end] of ranges.toSorted(([left], [right]) => left - right)) {
    const last = out.at(-1)
    if (last && start <= last[1] + 1) last[1] = Math.max(last[1], end)
    else out.push([start, end])
  }
  return out
}

/** Whether the agent no longer sends an event, by its id. */
export const hiddenBy = (condensations: readonly Condensation[]): ((id: unknown) => boolean) => {
  const ids = new Set(condensations.flatMap((condensation) => condensation.ids))
  const ranges = merged(condensations.flatMap(({ range }) => (range ? [range] : [])))
  return (id) => ids.has(id) || (typeof id === "number" && ranges.some(([start, end]) => id >= start && id <= end))
}

/** What the agent sends: without the events that condensations hide, with the latest summary where it belongs. */
export const withoutHidden = (path: readonly ReadRecord[], find: (record: Wire) => Condensation | undefined): readonly ReadRecord[] => {
  const condensations = path.flatMap(({ record }) => find(record) ?? [])
  const isHidden = hiddenBy(condensations)
  const left = path.filter(({ record, reading }) => !reading.compaction && (!reading.messages || !isHidden(record["id"])))
  const last = path.findLast(({ reading }) => reading.compaction?.summary !== undefined)
  if (!last) return left
  const shown = left.flatMap(({ reading }, index) => (reading.messages ? [index] : []))
  const at = shown[find(last.record)?.offset ?? 0] ?? left.length
  return [...left.slice(0, at), last, ...left.slice(at)]
}

const readImages = ({ image_urls: urls }: Wire, native: Native): readonly ContentBlock[] =>
  listOf(urls).flatMap((url) => (typeof url === "string" && url !== "" ? [{ type: "media", kind: "image", ...readUrl(url), native }] : []))

/** A text, or a list of `{ type: "text", text }` and `{ type: "image", image_urls }`. `native` goes on what is no text. */
export const readParts = (content: unknown, native: Native): readonly ContentBlock[] => {
  const parts: readonly unknown[] = Array.isArray(content) ? content : typeof content === "string" || isWire(content) ? [content] : []
  return parts.flatMap((part): readonly ContentBlock[] => {
    const found = isWire(part) ? part["text"] : part
    if (typeof found === "string") return found === "" ? [] : [text(found)]
    if (isWire(part) && part["type"] === "image") return readImages(part, native)
    return part === null || part === undefined ? [] : [{ type: "opaque", kind: "part", text: previewOf(part), native }]
  })
}

export const writeParts = (blocks: readonly Block[]): readonly Wire[] =>
  blocks.flatMap((block): readonly Wire[] => {
    const url = block.type === "media" && block.kind === "image" ? writeUrl(block) : undefined
    if (url !== undefined) return [{ type: "image", image_urls: [url] }]
    if (block.type === "media") return [{ type: "text", text: mediaNote(block) }]
    return block.type === "text" || (block.type === "opaque" && block.text !== "") ? [{ type: "text", text: block.text }] : []
  })

/** The output of a command with what its shell added around it. */
export const commandText = (output: string, metadata: unknown): string => {
  if (!isWire(metadata)) return output
  const folder = stringOf(metadata["working_dir"])
  const python = stringOf(metadata["py_interpreter_path"])
  const code = metadata["exit_code"]
  return [
    `${stringOf(metadata["prefix"])}${output}${stringOf(metadata["suffix"])}`,
    ...(folder === "" ? [] : [`[Current working directory: ${folder}]`]),
    ...(python === "" ? [] : [`[Python interpreter: ${python}]`]),
    ...(typeof code === "number" && code !== -1 ? [`[Command finished with exit code ${code}]`] : []),
  ].join("\n")
}
