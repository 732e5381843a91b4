/**
 * How records say where they belong. The session file and the stream that the agent prints hold the same messages, but
 * only the file has a tree: the tree reader asks a dialect.
 */
import { isWire, type Wire } from "../../../model/index.ts"
import { format, isBoundary, isSummary, textIn } from "./record.ts"

export interface Dialect {
  /** Name of the format that speaks it. */
  readonly format: string
  /** Which agent speaks: "" for the one the person talks to. Fallbacks by file order stay within a lane. */
  readonly laneOf: (record: Wire) => string
  /** A subagent has a file of its own, in which no other agent speaks. */
  readonly separate: boolean
  /** Records name their parents, and the agent goes by that. */
  readonly linked: boolean
  /** The uuid it hangs on; null for a root; undefined where the record does not say. */
  readonly parentOf: (record: Wire) => string | null | undefined
}

/** A compaction is a new root; what it continues stands beside. */
const logicalParentOf = (record: Wire): string | undefined => textIn(record, "logicalParentUuid")

export const fileDialect: Dialect = {
  format,
  separate: true,
  linked: true,
  laneOf: (record) => (record["isSidechain"] === true ? (textIn(record, "agentId") ?? "sidechain") : ""),
  parentOf: (record) => {
    const { parentUuid } = record
    if (typeof parentUuid === "string" && parentUuid !== "") return parentUuid
    if (isBoundary(record) || isSummary(record)) return logicalParentOf(record)
    // No conversation begins with a reply: one without a parent lost it.
    return parentUuid === null && record["type"] !== "assistant" ? null : undefined
  },
}

/** Uuids of messages that a compaction keeps in sight, first and last, and the record behind which they stand. */
export interface Preserved {
  readonly head: string | undefined
  readonly tail: string | undefined
  readonly anchor: string | undefined
  readonly uuids: readonly string[]
}

export const preservedBy = (boundary: Wire): Preserved | undefined => {
  const metadata = boundary["compactMetadata"]
  if (!isWire(metadata)) return undefined
  const { preservedSegment: segment, preservedMessages: listed } = metadata
  if (isWire(listed) && Array.isArray(listed["uuids"])) {
    const uuids = listed["uuids"].filter((uuid) => typeof uuid === "string")
    return { head: uuids[0], tail: uuids.at(-1), anchor: textIn(listed, "anchorUuid"), uuids }
  }
  if (!isWire(segment)) return undefined
  return {
    head: textIn(segment, "headUuid"),
    tail: textIn(segment, "tailUuid"),
    anchor: textIn(segment, "anchorUuid"),
    uuids: [],
  }
}
