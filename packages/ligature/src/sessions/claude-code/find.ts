/**
 * Records → the path that is read. Units of the tree become messages: each reply is followed by the records of its results, in
 * call order, whatever they hang on, unless a person typed something in between. Asides lie on the path where the links lead
 * over them, so that they stay in the chain when a record beside them comes or goes.
 */
import { type Block, isWire, type Transcript, type Wire } from "../../model/index.ts"
import { decode as decodeMessages, readBlock } from "../../formats/anthropic/decode.ts"
import { sameElements } from "../../formats/engine/codec.ts"
import type { SessionCompaction } from "../../formats/engine/session.ts"
import { anomaly } from "../engine/anomaly.ts"
import type { FindOptions, FoundPath, RecordMessage, RecordReading } from "../engine/session-format.ts"
import { UnknownRecords } from "../engine/unknown-records.ts"
import { pathsOf, tipOf } from "./branches.ts"
import { type BrokenLink, lastRecordOf, withSoundLinks } from "./links.ts"
import { activeTip, effectiveUnits, type Walk, walk } from "./path.ts"
import {
  contentOf,
  type Dialect,
  idsIn,
  isBoundary,
  isMessageKind,
  isNotice,
  isSummary,
  kindOf,
  kinds,
  openingOf,
  textIn,
} from "./records.ts"
import { readTree, type SessionTree } from "./session-tree.ts"
import { orderedFragments, orderedResults, type Unit } from "./units.ts"

const none = -1

/** The records of messages in the order in which they are read. Only results that hang on a prompt come after that prompt. */
const messageRecords = (tree: SessionTree, units: readonly number[], { late, between }: Walk): readonly number[] => {
  const { records, parents } = tree
  const isRead = late.size === 0 ? undefined : new Set(units)
  const waiting = new Map<number, number[]>()
  const read: number[] = []
  for (const index of units) {
    const unit = tree.units[index] as Unit
    for (const record of unit.assistant ? orderedFragments(unit, parents) : unit.records) read.push(record)
    const after = isRead ? (between.get(index)?.at(-1) ?? index) : index
    const waits = isRead?.has(after) === true ? late.get(index) : undefined
    for (const result of [...orderedResults(unit, records, parents), ...(waiting.get(index) ?? [])]) {
      if (waits?.has(result) === true) waiting.set(after, [...(waiting.get(after) ?? []), result])
      else read.push(result)
    }
  }
  return read
}

/** With the asides over which the links lead, each before the first record that hangs on it. */
const withAsides = ({ parents, kinds: kindAt }: SessionTree, messages: readonly number[]): readonly number[] => {
  const path: number[] = []
  const seen = new Uint8Array(parents.length)
  for (const record of messages) {
    const asides: number[] = []
    let index = parents[record] ?? none
    for (; index >= 0 && seen[index] === 0 && !isMessageKind(kindAt[index]); index = parents[index] ?? none) {
      seen[index] = 1
      asides.push(index)
    }
    for (const aside of asides.reverse()) path.push(aside)
    path.push(record)
  }
  return path
}

interface Followed {
  readonly tree: SessionTree
  readonly tip: number
  readonly walked: Walk
  readonly broken: readonly BrokenLink[]
  /** The tree has sound links now, which must be written. */
  readonly isSound: boolean
}

/** The path to a unit; where its links are broken, in a tree in which sound ones lead along the same path. */
const followed = (tree: SessionTree, tip: number, dialect: Dialect): Followed => {
  const walked = walk(tree, tip)
  const { records, broken } = dialect.linked ? withSoundLinks(tree, walked) : { records: tree.records, broken: [] }
  const before: Followed = { tree, tip, walked, broken, isSound: false }
  if (broken.length === 0) return before
  const sound = readTree(records, dialect)
  const sameIn = (unit: number): number => sound.unitOf[tree.units[unit]?.records[0] ?? none] ?? none
  const same = sameIn(tip)
  const after = walk(sound, same)
  const goesOn = activeTip(sound) === sameIn(activeTip(tree))
  const isSame = goesOn && sameElements(messageRecords(tree, walked.units, walked), messageRecords(sound, after.units, after))
  return isSame ? { tree: sound, tip: same, walked: after, broken, isSound: true } : before
}

const triggerOf = (record: Wire): Pick<SessionCompaction, "trigger"> => {
  const trigger = textIn(record["compactMetadata"] ?? record["microcompactMetadata"], "trigger")
  return trigger === "auto" || trigger === "manual" ? { trigger } : {}
}

/** Results the agent cleared to save room: their whole text is still in the file. */
const clearsResults = ({ subtype, microcompactMetadata: metadata }: Wire): boolean => {
  const ids = subtype === "microcompact_boundary" && isWire(metadata) ? metadata["compactedToolIds"] : undefined
  return Array.isArray(ids) && ids.length > 0
}

const compactionsIn = (tree: SessionTree): readonly SessionCompaction[] => {
  const found: SessionCompaction[] = []
  let boundary: SessionCompaction | undefined
  const close = (summary?: string): void => {
    if (boundary) found.push({ ...boundary, ...(summary !== undefined && { summary }) })
    boundary = undefined
  }
  tree.records.forEach((record, index) => {
    if (tree.kinds[index] === kinds.outside || !isWire(record)) return
    if (isBoundary(record)) {
      close()
      boundary = { record: index, kind: "summary", ...triggerOf(record) }
    } else if (isSummary(record)) {
      boundary ??= { record: index, kind: "summary" }
      close(openingOf(record))
    } else if (clearsResults(record)) found.push({ record: index, kind: "cleared-results", ...triggerOf(record) })
  })
  close()
  return found
}

/** Records of a session file, and of what the agent prints. */
const knownTypes: ReadonlySet<unknown> = new Set([
  "assistant",
  "user",
  "system",
  "progress",
  "attachment",
  "summary",
  "file-history-snapshot",
  "file-history-delta",
  "queue-operation",
  "last-prompt",
  "mode",
  "permission-mode",
  "custom-title",
  "ai-title",
  "pr-link",
  "agent-name",
  "agent-color",
  "bridge-session",
  "frame-link",
  "tag",
  "api-request",
  "api-request-shape",
  "api-request-blob",
  "atis-latch",
  "cost-state",
  "tools-used",
  "result",
  "stream_event",
  "rate_limit_event",
  "control_request",
  "control_response",
])

/** Common types are compared: JSON.parse makes a new string of each, and a table would hash them all. */
const isKnown = (type: unknown): boolean =>
  type === "assistant" || type === "user" || type === "progress" || type === "system" || knownTypes.has(type)

/** What the agent's own walk over single records meets, from the last record of a unit up. */
const naiveWalk = ({ units, records, parents }: SessionTree, tip: number): Uint8Array => {
  const seen = new Uint8Array(records.length)
  const unit = units[tip]
  let index = unit ? lastRecordOf(unit) : none
  while (index >= 0 && seen[index] === 0) {
    seen[index] = 1
    index = parents[index] ?? none
  }
  return seen
}

/** What the file gets wrong beside its messages. */
const findingsIn = ({ tree, broken, isSound }: Followed, naive: Uint8Array, placeOf: FindOptions["placeOf"]): FoundPath["diagnostics"] => {
  const found = broken.map(({ kind, record, what, ids }) => {
    const { repair, ...finding } = anomaly(kind, record === undefined ? {} : placeOf(record), what, ids)
    return repair && isSound ? { ...finding, repair } : finding
  })
  for (const index of tree.dangling) {
    const record = tree.records[index] as Wire
    const parent = textIn(record, "logicalParentUuid")
    if (parent === undefined || naive[index] !== 1 || !isBoundary(record)) continue
    found.push(anomaly("compaction-parent", placeOf(index), `The compaction continues ${parent}, which is not in the file`, [parent]))
  }
  const unknown = new UnknownRecords()
  tree.records.forEach((record, index) => {
    if (!isWire(record)) return
    if (!isKnown(record["type"])) unknown.add(record["type"], placeOf(index))
    if (tree.kinds[index] !== kinds.malformed) return
    const uuid = textIn(record, "uuid") ?? `#${index}`
    found.push(anomaly("malformed-record", placeOf(index), `The record ${uuid} holds no message`, [uuid]))
  })
  return [...found, ...unknown.diagnostics]
}

const persistedMark = "<persisted-output>"

/** The file in which a large output was stored apart. */
const storedApart = (record: Wire): string | undefined => {
  const content = contentOf(record)
  if (!Array.isArray(content)) return undefined
  for (const block of content) {
    const text = isWire(block) ? block["content"] : undefined
    if (typeof text !== "string" || !text.startsWith(persistedMark)) continue
    return textIn(record["toolUseResult"], "persistedOutputPath") ?? "a file named in its text"
  }
  return undefined
}

const contentOfAll = (records: readonly Wire[]): unknown => {
  const [first] = records
  if (first && records.length === 1) return contentOf(first)
  return records.flatMap((record): readonly unknown[] => {
    const content = contentOf(record)
    return Array.isArray(content) ? content : [{ type: "text", text: content }]
  })
}

const roleOf = (record: Wire): "user" | "assistant" => (record["type"] === "assistant" ? "assistant" : "user")

/** The message that these records are, from the first of them: the others go on with it. */
const startOf = (records: readonly Wire[]): Omit<RecordMessage, "blocks"> => {
  const [first] = records
  const last = records.at(-1)
  if (!first || !last) return { role: "user" }
  const { message, uuid } = first
  const role = roleOf(first)
  const model = role === "assistant" ? textIn(message, "model") : undefined
  const id = textIn(message, "id") ?? (typeof uuid === "string" && uuid !== "" ? uuid : undefined)
  const isPaused = role === "assistant" && isWire(last["message"]) && last["message"]["stop_reason"] === "pause_turn"
  const wire = { role, content: contentOfAll(records), ...(isPaused && { stop_reason: "pause_turn" }) }
  return {
    role,
    native: { anthropic: wire },
    ...(id !== undefined && { id }),
    ...(model !== undefined && { origin: { provider: "anthropic", model } }),
    ...(isPaused && { paused: true }),
    ...(isSummary(first) && { summary: true }),
  }
}

const isEmpty = (record: unknown): boolean => {
  const content = isWire(record) ? contentOf(record) : undefined
  return content === "" || (Array.isArray(content) && content.length === 0)
}

/** The blocks of a content, and what of it is not written as the API has it. Most are what this agent writes. */
const readContent = (
  role: "user" | "assistant",
  content: unknown,
): Pick<Transcript, "diagnostics"> & { readonly blocks: readonly Block[] } => {
  const [only] = Array.isArray(content) && content.length === 1 ? (content as readonly unknown[]) : []
  const isPlain =
    isWire(only) &&
    (only["type"] === "tool_use" || only["type"] === "text" || (only["type"] === "tool_result" && typeof only["content"] === "string"))
  const block = isPlain ? readBlock(only) : undefined
  // What was read as something else, or from another API, has no native value here.
  if (block && "type" in block && block.type !== "opaque" && (block === only || block.native?.["anthropic"] === only))
    return { blocks: [block] }
  const { messages, diagnostics } = decodeMessages({ messages: [{ role, content }] })
  return { blocks: messages[0]?.blocks ?? [], ...(diagnostics && { diagnostics }) }
}

/** One record by itself. `message`: the records of its message, where it is the first of them. */
const readRecord = (record: Wire, message: readonly Wire[]): RecordReading => {
  const role = roleOf(record)
  const { blocks, diagnostics } = readContent(role, contentOf(record))
  // What cannot be read at all is reported by the engine.
  const readable = diagnostics?.filter(({ repair }) => repair?.kind === "safe")
  return {
    messages: [message.length > 0 ? { blocks, ...startOf(message) } : { role, blocks }],
    ...(readable && readable.length > 0 && { diagnostics: readable }),
    ...(role === "user" && isNotice(record) && { title: false }),
  }
}

/** What one record says, for those who see it without the others. */
export const readAlone = (record: Wire): RecordReading => {
  const kind = kindOf(record)
  if (!isMessageKind(kind)) return {}
  const starts =
    kind === kinds.user && record["type"] === "user" && record["isSidechain"] !== true && (isSummary(record) || !isNotice(record))
  return { starts, ...readRecord(record, [record]) }
}

export const findIn =
  (dialect: Dialect) =>
  (_: unknown, given: readonly unknown[], { branch, view, placeOf }: FindOptions): FoundPath => {
    const unrepaired = readTree(given, dialect)
    const paths = pathsOf(unrepaired)
    const [{ id, tip: active }, ...others] = paths
    const chosen = branch === undefined || branch === "active" ? active : tipOf(unrepaired, paths, branch)
    const read = followed(unrepaired, chosen ?? active, dialect)
    const { tree, tip, walked } = read
    const { records } = tree
    const units = view === "effective" ? effectiveUnits(tree, walked.units) : walked.units
    const naive = naiveWalk(tree, tip)
    const early = new Set(tree.early)
    const findingsOf = (index: number, record: Wire, unit: Unit): NonNullable<RecordReading["findings"]> => {
      const findings: NonNullable<RecordReading["findings"]>[number][] = []
      const path = storedApart(record)
      const isFirst = index === unit.results[0]
      if (path === undefined && !isFirst && !early.has(index)) return findings
      const ids = idsIn(record, "tool_result")
      if (path !== undefined) findings.push({ kind: "missing-context", what: `The result was too large: the whole is in ${path}`, ids })
      if (early.has(index))
        findings.push({ kind: "result-before-call", what: `The result of ${ids.join(", ")} comes before its call`, ids })
      const missed = isFirst
        ? unit.results.filter((result) => naive[result] === 0).flatMap((result) => idsIn(records[result], "tool_result"))
        : []
      if (missed.length > 0) {
        findings.push({
          kind: "off-path-result",
          what: `A walk over single records misses what answered ${missed.join(", ")}`,
          ids: missed,
        })
      }
      return findings
    }
    let reply: { readonly of: Unit; readonly fragments: readonly number[] } | undefined
    /** The fragments that say something, where one does. */
    const fragmentsOf = (unit: Unit): readonly number[] => {
      if (reply?.of === unit) return reply.fragments
      const all = orderedFragments(unit, tree.parents)
      const some = all.filter((index) => !isEmpty(records[index]))
      reply = { of: unit, fragments: some.length > 0 ? some : all }
      return reply.fragments
    }
    const readAt = (record: Wire, index: number): RecordReading => {
      const unit = tree.units[tree.unitOf[index] ?? none]
      if (!unit || !isMessageKind(tree.kinds[index])) return {}
      if (tree.kinds[index] !== kinds.fragment) {
        const findings = unit.results.length > 0 && unit.records[0] !== index ? findingsOf(index, record, unit) : []
        const reading = readRecord(record, [record])
        return findings.length > 0 ? { findings, ...reading } : reading
      }
      const fragments = fragmentsOf(unit)
      if (isEmpty(record) && !isEmpty(records[fragments[0] ?? none])) return {}
      const message = fragments[0] === index ? fragments.map((each) => records[each] as Wire) : []
      return { response: String(tree.unitOf[index]), ...readRecord(record, message) }
    }
    /** Fragments without content count where no other fragment of their message has any. */
    const glance: FoundPath["glance"] = (record, index) => {
      const unit = tree.units[tree.unitOf[index] ?? none]
      if (!unit || !isMessageKind(tree.kinds[index])) return { roles: [] }
      if (tree.kinds[index] !== kinds.fragment)
        return { roles: [roleOf(record)], ...(roleOf(record) === "user" && isNotice(record) && { title: false }) }
      return isEmpty(record) && !isEmpty(records[fragmentsOf(unit)[0] ?? none])
        ? { roles: [] }
        : { roles: [roleOf(record)], response: String(tree.unitOf[index]) }
    }
    return {
      records,
      repeated: [...tree.copies.keys()],
      path: withAsides(tree, messageRecords(tree, units, walked)),
      id,
      others,
      isKnown: chosen !== undefined,
      compactions: compactionsIn(tree),
      diagnostics: findingsIn(read, naive, placeOf),
      read: readAt,
      readBeside: readAt,
      glance,
    }
  }
