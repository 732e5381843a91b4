/**
 * Conversation → session. What came from a session goes back into its records: untouched ones are the very same
 * objects. Parents are set so that the agent's own walk from the last message finds what this conversation says:
 * results that hung beside the path are on it, broken links lead to the message before. Other branches and bookkeeping
 * stay.
 */
import { asWord, type Conversation, isWire, type Wire } from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../../formats/engine/codec.ts"
import { heirOf } from "../engine/heir-of.ts"
import { conversationSeed, deriveHex, deriveUuid } from "../engine/derived-id.ts"
import { epoch, isoTimes } from "../engine/iso-time.ts"
import { Links, readWay } from "./path.ts"
import { format, isMessage, isSummary, parentOf, partsOf, recordsOf, uuidOf } from "./records.ts"
import { groupSections, type Group } from "./sections.ts"
import { writePart, writeResult } from "./write-part.ts"

const writeParts = (section: Group, early: boolean): readonly Wire[] =>
  section.parts.flatMap(({ block, call }): Wire | readonly Wire[] =>
    (block.type === "result" ? writeResult(block, call, early) : writePart(block)) ?? [],
  )

/** A message whose content was one text stays one text. */
const contentOf = (section: Group, early: boolean): unknown => {
  const previous = section.record?.["content"]
  const only = section.parts[0]?.block
  const plain = section.parts.length === 1 && only?.type === "text" && only.native?.[format] === undefined
  if (plain && (typeof previous === "string" || (!section.record && section.role !== "assistant"))) return only.text
  const parts = writeParts(section, early)
  return sameElements(parts, previous) ? previous : parts
}

const saidIn = (content: unknown): string => {
  if (typeof content === "string") return content
  const parts: readonly unknown[] = Array.isArray(content) ? content : []
  return parts.flatMap((part) => (isWire(part) && part["type"] === "text" ? [asWord(part["text"])] : [])).join("")
}

const isEmpty = (content: unknown): boolean => content === "" || (Array.isArray(content) && content.length === 0)

/** The record as it is to be; undefined when nothing is left of it. Assistant messages say their text a second time. */
const rewritten = (section: Group, record: Wire, early: boolean): Wire | undefined => {
  const content = contentOf(section, early)
  if (content === record["content"]) return record
  if (isEmpty(content)) return undefined
  const again = typeof record["text"] === "string" && { text: saidIn(content) }
  return { ...record, content, ...again }
}

interface Frame {
  readonly sessionId: string | undefined
  readonly time: () => string
  readonly uuid: () => string
}

const writeMessage = (section: Group, content: unknown, parent: string | null, frame: Frame): Wire => {
  const model = section.message?.origin?.model ?? "unknown"
  const spoken = section.role === "assistant" && {
    text: saidIn(content),
    model,
    usage: { input_tokens: 0, output_tokens: 0 },
  }
  return {
    parentUuid: parent,
    uuid: frame.uuid(),
    role: section.role,
    content,
    ...spoken,
    type: "message",
    timestamp: frame.time(),
    ...(frame.sessionId !== undefined && { sessionId: frame.sessionId }),
    ...(section.message?.summary === true && { uiContent: "Chat history compacted successfully." }),
  }
}

const writeNew = (conversation: Conversation, { session }: EncodeOptions): readonly Wire[] => {
  const seed = session?.id ?? conversationSeed(conversation)
  const sessionId = session?.id ?? deriveHex(8, seed)
  const title = session?.title
  const settings = { approvalMode: "default", approvalTools: [], ...(title !== undefined && { summary: title }) }
  const records: Wire[] = [{ type: "config", config: settings }]
  const uuid = (): string => deriveUuid(seed, String(records.length))
  const frame: Frame = { sessionId, time: isoTimes(session?.startedAt ?? epoch), uuid }
  let parent: string | null = null
  for (const section of groupSections(conversation, new Map())) {
    const content = contentOf(section, false)
    if (isEmpty(content)) continue
    const record = writeMessage(section, content, parent, frame)
    records.push(record)
    parent = uuidOf(record) ?? null
  }
  return records
}

const writesEarly = (records: readonly unknown[]): boolean => {
  let early = false
  for (const record of records) {
    if (!isMessage(record)) continue
    for (const part of partsOf(record)) {
      if (!isWire(part)) continue
      if (part["type"] === "tool-result") return false
      if (part["type"] === "tool_result") early = true
    }
  }
  return early
}

/** Nothing can hang on a message without an id. */
const named = (record: Wire, parent: string | null): Wire =>
  uuidOf(record) === undefined ? { ...record, uuid: deriveUuid(parent ?? "root", JSON.stringify(record)) } : record

/**
 * The record with the parent it shall have; a summary that starts a new root stays one. The first of a path keeps a
 * parent that was cut away with the head of the file.
 */
const withParent = (record: Wire, parent: string | null, isHead: boolean): Wire => {
  if (parentOf(record) === parent || isHead || (isSummary(record) && parentOf(record) === null)) return record
  return "parentUuid" in record || parent !== null ? { ...record, parentUuid: parent } : record
}

const writeBack = (conversation: Conversation, native: Wire): readonly unknown[] => {
  const records = recordsOf(native)
  const links = new Links(records)
  const { branch, view } = native
  const { path } = readWay(links, {
    ...(typeof branch === "string" && { branch }),
    ...(view === "whole" && { view }),
  })
  const positions = new Map<unknown, number>(path.map((place, position) => [records[place], position]))
  const early = writesEarly(records)
  const replaced = new Map<unknown, Wire>()
  const inserted = new Map<unknown, Wire[]>()
  let anchor: unknown
  let parent: string | null = null
  let first = true
  for (const section of groupSections(conversation, positions)) {
    const { record } = section
    if (record) {
      const message = rewritten(section, record, early)
      if (!message) continue
      const place = path[positions.get(record) ?? -1]
      const isHead = first && (place === undefined || links.parent(place) === undefined)
      const linked: Wire = links.linked ? named(withParent(message, parent, isHead), parent) : message
      replaced.set(record, linked)
      anchor = record
      parent = uuidOf(linked) ?? parent
      first = false
      continue
    }
    const content = contentOf(section, early)
    if (isEmpty(content)) continue
    const before = isWire(anchor) ? anchor : undefined
    const frame: Frame = {
      sessionId: typeof before?.["sessionId"] === "string" ? before["sessionId"] : undefined,
      time: () => (typeof before?.["timestamp"] === "string" ? before["timestamp"] : epoch),
      uuid: () => deriveUuid(parent ?? "root", JSON.stringify(content)),
    }
    const role = section.role === "tool" && early ? "user" : section.role
    const message = writeMessage({ ...section, role }, content, parent, frame)
    const list = inserted.get(anchor)
    if (list) list.push(message)
    else inserted.set(anchor, [message])
    parent = uuidOf(message) ?? parent
    first = false
  }
  const out = laidOut(links, positions, replaced, inserted)
  return typeof branch === "string" ? out : endingWith(out, new Set(replaced.values()), parent)
}

/** The agent goes on from the last message of the file: where that is another one of the path, its last one moves there. */
const endingWith = (
  records: readonly unknown[],
  path: ReadonlySet<unknown>,
  tip: string | null,
): readonly unknown[] => {
  const last = records.findLast(isMessage)
  if (last === undefined || !path.has(last) || tip === null || uuidOf(last) === tip) return records
  const index = records.findLastIndex((record) => isMessage(record) && uuidOf(record) === tip)
  return index < 0 ? records : [...records.toSpliced(index, 1), records[index]]
}

const laidOut = (
  { records, tree }: Links,
  positions: ReadonlyMap<unknown, number>,
  replaced: ReadonlyMap<unknown, Wire>,
  inserted: ReadonlyMap<unknown, readonly Wire[]>,
): readonly unknown[] => {
  const gone = new Map<string, string | null>()
  for (const record of positions.keys()) {
    const uuid = isWire(record) && !replaced.has(record) ? uuidOf(record) : undefined
    if (uuid !== undefined) gone.set(uuid, parentOf(record as Wire) ?? null)
  }
  const changed = new Set<string | undefined>()
  for (const [record, message] of replaced) {
    if (isWire(record) && record["content"] !== message["content"]) changed.add(uuidOf(record))
  }
  const isStale = (uuid: string): boolean => gone.has(uuid) || changed.has(uuid)
  const copies = new Set(tree.repeated.map((index) => records[index]))
  const out: unknown[] = []
  let pending = inserted.get(undefined)
  for (const record of records) {
    if (pending && isMessage(record)) {
      for (const message of pending) out.push(message)
      pending = undefined
    }
    if (positions.has(record)) {
      const message = replaced.get(record)
      if (message) out.push(message)
    } else if (isMessage(record) && copies.has(record) && isStale(uuidOf(record) ?? "")) {
      // Another copy of a message that was left out or changed would say again what it said.
      continue
    } else {
      const parent = isMessage(record) ? parentOf(record) : undefined
      const lost = typeof parent === "string" && gone.has(parent)
      out.push(lost ? { ...(record as Wire), parentUuid: heirOf(parent, gone) } : record)
    }
    for (const message of inserted.get(record) ?? []) out.push(message)
  }
  for (const message of pending ?? []) out.push(message)
  return sameElements(out, records) ? records : out
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const native = conversation.native?.[format]
  return { records: isWire(native) ? writeBack(conversation, native) : writeNew(conversation, options) }
}
