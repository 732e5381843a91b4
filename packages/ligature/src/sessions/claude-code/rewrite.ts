/**
 * A conversation that was read from a session file goes back into it: every record in its old place, untouched ones the
 * very same, changed ones around new content. Results that were invented stand right behind the record of their call
 * and hang on it; what hung on a record that is gone hangs on that record's parent. Repetitions of a record that
 * changed or is gone go as well: read again, they would say what it said. Other sessions put whole messages back; here
 * a message lies in several records, a block in each, so that blocks look for their homes.
 */
import { type Conversation, isWire, type Wire } from "../../model/index.ts"
import { sameElements } from "../../formats/engine/codec.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { Composer } from "./composer.ts"
import type { NativeSession } from "./decode.ts"
import { contentOf, idsIn, kindOf, kinds, textIn, withContent } from "./tree/record.ts"
import { Homes } from "./homes.ts"
import { type Part, partsOf } from "./parts.ts"
import { heirOf } from "../engine/heir-of.ts"
import { relink } from "./relink.ts"

/** Fields that say to which session a record belongs, in the order the agent writes them. */
const envelopeFields = [
  "isSidechain",
  "agentId",
  "promptId",
  "userType",
  "entrypoint",
  "cwd",
  "sessionId",
  "version",
  "gitBranch",
  "slug",
  "session_id",
  "parent_tool_use_id",
] as const

const envelopeLike = (record: Wire): Wire => {
  const fields: Record<string, unknown> = {}
  for (const field of envelopeFields) {
    if (Object.hasOwn(record, field)) fields[field] = record[field]
  }
  return fields
}

/** The record with its content as it stands now; undefined when nothing is left of it. */
const patched = (record: Wire, after: readonly Wire[]): Wire | undefined => {
  const before = contentOf(record)
  if (typeof before === "string") {
    const words = after.length === 1 && after[0]?.["type"] === "text" ? after[0]["text"] : undefined
    if (words !== undefined) return words === before ? record : withContent(record, words)
  }
  if (sameElements(after, before)) return record
  if (after.length === 0) return undefined
  const changed = withContent(record, after)
  // The words of a result that lost its call were typed by nobody: they must not look like a prompt.
  const demoted = kindOf(record) === kinds.results && kindOf(changed) === kinds.words
  return demoted ? { ...changed, isMeta: true } : changed
}

/** As far as one looks for the record that hangs on a call, over hooks and progress. */
const longestAside = 256

interface CallRecord {
  /** Its place, or the one it stands behind where it is new. */
  readonly at: number
  readonly uuid: string | undefined
}

class Rewriter {
  private readonly records: readonly unknown[]
  private readonly read: ReadonlySet<number>
  private readonly repeated: NonNullable<NativeSession["repeated"]>
  private readonly parts: readonly Part[]
  private readonly homes: Homes
  /** The record that makes each call, as the parts come by. */
  private readonly callRecords = new Map<string, CallRecord>()
  /** New records, by the record behind which they stand; -1 for the beginning. */
  private readonly inserted = new Map<number, Wire[]>()
  /** Records that hang on another one now. */
  private readonly moved = new Map<number, string>()
  /** Results that moved up to their calls, and what each of them hung on. */
  private readonly advanced = new Map<string, string | null>()
  /** Where each record was read; known where the conversation has them in another order. */
  private readonly readAt = new Map<number, number>()
  private readonly byUuid = new Map<string, number>()
  private readonly seed: string
  private composed = 0

  constructor(session: NativeSession, parts: readonly Part[]) {
    this.records = session.records
    this.read = new Set(session.read)
    this.repeated = session.repeated ?? []
    this.parts = parts
    this.homes = new Homes(session.records, session.read, parts)
    if (!this.isInOrder(session.read)) session.read.forEach((record, at) => this.readAt.set(record, at))
    const named = session.records.find((record) => textIn(record, "sessionId") ?? textIn(record, "session_id"))
    this.seed = textIn(named, "sessionId") ?? textIn(named, "session_id") ?? ""
    session.records.forEach((record, index) => {
      const uuid = textIn(record, "uuid")
      if (uuid !== undefined) this.byUuid.set(uuid, index)
    })
  }

  private isInOrder(read: readonly number[]): boolean {
    let next = 0
    for (const placed of this.homes.placed) {
      for (const record of placed) {
        if (read[next - 1] === record) continue
        while (next < read.length && read[next] !== record) next++
        if (next++ >= read.length) return false
      }
    }
    return true
  }

  rewrite(): readonly unknown[] {
    const alive = this.place()
    const gone = new Map<string, string | null>()
    const out: unknown[] = [...(this.inserted.get(-1) ?? [])]
    const current = this.records.map((record, index) => (this.read.has(index) ? alive.get(index) : record))
    const stale = new Set<number>()
    for (const { record, of } of this.repeated) if (current[of] !== this.records[of]) stale.add(record)
    for (const index of stale) current[index] = undefined
    current.forEach((record, index) => {
      const before = this.records[index]
      const uuid = textIn(before, "uuid")
      if (record === undefined && uuid !== undefined) gone.set(uuid, this.standInFor(before, index))
    })
    for (const record of current) gone.delete(textIn(record, "uuid") ?? "")
    for (const uuid of this.advanced.keys()) gone.delete(uuid)
    current.forEach((record, index) => {
      const parent = this.moved.get(index) ?? this.parentOfDemoted(record, index) ?? this.parentOfFollower(record)
      if (record !== undefined || !(this.read.has(index) || stale.has(index))) out.push(relink(record, parent, gone))
      for (const each of this.inserted.get(index) ?? []) out.push(relink(each, undefined, gone))
    })
    return sameElements(out, this.records) ? this.records : out
  }

  /** What takes the place of a record that is gone for those that hung on it: for a result its call. */
  private standInFor(record: unknown, index: number): string | null {
    const [answered] = isWire(record) ? idsIn(record, "tool_result") : []
    const call = this.callRecords.get(answered ?? "")
    // Where the call hangs on its result, they would hang on each other.
    const stands = call !== undefined && !this.hangsOn(call.at, [index])
    return (stands ? call.uuid : undefined) ?? textIn(record, "parentUuid") ?? null
  }

  /** The words of a result that became text stay behind the call: no id leads them there any more. */
  private parentOfDemoted(record: unknown, index: number): string | undefined {
    const before = this.records[index]
    if (record === before || kindOf(before) !== kinds.results || kindOf(record) !== kinds.words) return undefined
    return this.standInFor(before, index) ?? undefined
  }

  /** What hung on a result that moved up hangs on what that one hung on. */
  private parentOfFollower(record: unknown): string | undefined {
    const named = this.advanced.size === 0 ? undefined : textIn(record, "parentUuid")
    return named !== undefined && this.advanced.has(named) ? (heirOf(named, this.advanced) ?? undefined) : undefined
  }

  /** Goes through the parts in order: keeps what has a home, writes what has none. Says what became of each record. */
  private place(): ReadonlyMap<number, Wire | undefined> {
    const spoken = new Set<number>()
    for (const part of this.parts) for (const record of part.records) spoken.add(record)
    const alive = new Map<number, Wire | undefined>()
    for (const index of this.read) {
      const blocks = this.homes.blocksIn(index)
      if (blocks) alive.set(index, spoken.has(index) ? patched(this.records[index] as Wire, blocks) : undefined)
    }
    let last = -1
    let tail: string | null = null
    let waiting: string | undefined
    this.parts.forEach((part, index) => {
      const kept = this.homes.placed[index] ?? []
      const [first] = kept
      if (first !== undefined && waiting !== undefined && part.kind !== "result") {
        this.moved.set(this.entryOf(part, first), waiting)
        waiting = undefined
      }
      if (kept.length > 0) {
        last = kept.at(-1) ?? last
        tail = textIn(this.records[last], "uuid") ?? tail
      }
      this.noteCalls(part)
      if (first !== undefined && part.kind === "result" && this.readAt.size > 0) this.advance(index, first, alive)
      const homeless = this.homes.homeless.get(index)
      if (!homeless) return
      const call = part.kind === "result" ? this.callRecords.get(part.call?.id ?? "") : undefined
      const promised = part.kind === "result" ? this.promisedUuid(index) : undefined
      const uuid = this.compose({ ...part, ...homeless }, call?.at ?? last, call?.uuid ?? tail, promised)
      if (part.kind === "result") this.hangBehind(index, call?.uuid, uuid)
      else {
        tail = uuid
        waiting = uuid
      }
    })
    return alive
  }

  /** A result that was read behind what follows it in the conversation goes to its call. */
  private advance(part: number, record: number, alive: Map<number, Wire | undefined>): void {
    const [next] = this.partBehind(part)?.records ?? []
    const written = alive.get(record)
    const call = this.callRecords.get(this.parts[part]?.call?.id ?? "")
    if (next === undefined || written === undefined || call === undefined) return
    const from = this.readAt.get(record) ?? 0
    if (from <= (this.readAt.get(next) ?? Number.POSITIVE_INFINITY)) return
    const linked = call.uuid === undefined ? written : { ...written, parentUuid: call.uuid }
    this.inserted.set(call.at, [...(this.inserted.get(call.at) ?? []), linked])
    alive.set(record, undefined)
    const uuid = textIn(written, "uuid")
    if (uuid === undefined) return
    this.advanced.set(uuid, textIn(written, "parentUuid") ?? null)
    this.hangBehind(part, call.uuid, uuid)
    this.chainPassed(part, from)
  }

  /** What a result was moved past stays on the path: each part of it, and the first one behind, hangs on the one before. */
  private chainPassed(result: number, from: number): void {
    let above: readonly number[] | undefined
    for (let index = result + 1; index < this.parts.length; index++) {
      const part = this.parts[index] as Part
      const [first] = part.kind === "result" ? [] : part.records
      if (first === undefined) continue
      const last = textIn(this.records[above?.at(-1) ?? -1], "uuid")
      const entry = this.entryOf(part, first)
      if (above && last !== undefined && !this.hangsOn(entry, above)) this.moved.set(entry, last)
      if ((this.readAt.get(first) ?? 0) > from) return
      above = part.records
    }
  }

  /** Whether the way up from a record, over what is no message and over results that moved, leads to one of these. */
  private hangsOn(record: number, targets: readonly number[]): boolean {
    let index: number | undefined = record
    for (let steps = 0; index !== undefined && steps < longestAside; steps++) {
      const parent = textIn(this.records[index], "parentUuid") ?? ""
      index = this.byUuid.get(heirOf(parent, this.advanced) ?? "")
      if (index === undefined || this.read.has(index)) break
    }
    return index !== undefined && targets.includes(index)
  }

  private noteCalls(part: Part): void {
    if (part.kind !== "reply") return
    if (!part.blocks.some((block) => block.type === "call")) return
    for (const record of part.records) {
      for (const wire of this.homes.blocksIn(record) ?? []) {
        if (wire["type"] !== "tool_use" || typeof wire["id"] !== "string") continue
        this.callRecords.set(wire["id"], { at: record, uuid: textIn(this.records[record], "uuid") })
      }
    }
  }

  /** The record of a part on which the others of it hang. */
  private entryOf(part: Part, fallback: number): number {
    const uuids = new Set(part.records.map((record) => textIn(this.records[record], "uuid")))
    return part.records.find((record) => !uuids.has(textIn(this.records[record], "parentUuid"))) ?? fallback
  }

  private compose(part: Part, at: number, parent: string | null, uuid?: string): string {
    const like = this.records[Math.max(at, 0)]
    const timestamp = textIn(like, "timestamp")
    const composer = new Composer({
      envelope: isWire(like) ? envelopeLike(like) : {},
      seed: deriveUuid(this.seed, parent ?? "", part.call?.id ?? "", part.kind, String(this.composed++)),
      time: () => timestamp,
      parent,
    })
    const behind = this.inserted.get(at) ?? []
    this.inserted.set(at, behind)
    const marks = part.system === true ? { isMeta: true } : {}
    if (part.kind === "result") {
      for (const wire of part.wires) behind.push(composer.result(wire, parent ?? undefined, uuid))
    } else if (part.kind === "words") behind.push(composer.words(part.wires, marks))
    else {
      const calls = part.blocks.some((block) => block.type === "call")
      for (const record of composer.reply({ wires: part.wires, model: part.model, calls })) {
        behind.push(record)
        for (const id of idsIn(record, "tool_use")) this.callRecords.set(id, { at, uuid: textIn(record, "uuid") })
      }
    }
    return composer.parent ?? ""
  }

  /** The part behind the results of a reply. */
  private partBehind(part: number): Part | undefined {
    let next = part + 1
    while (this.parts[next]?.kind === "result") next++
    return this.parts[next]
  }

  /**
   * A compaction between a call and its result names the result as what it continues, although it was never written: a
   * result that is invented now takes that name.
   */
  private promisedUuid(part: number): string | undefined {
    if (this.parts[part + 1]?.kind === "result") return undefined
    const summary = this.records[this.partBehind(part)?.records[0] ?? -1]
    const boundary = this.records[this.byUuid.get(textIn(summary, "parentUuid") ?? "") ?? -1]
    const promised = textIn(boundary, "logicalParentUuid")
    return promised !== undefined && !this.byUuid.has(promised) ? promised : undefined
  }

  /** What came next in the conversation hung on the call, because there was no result: it hangs on the result now. */
  private hangBehind(part: number, callUuid: string | undefined, uuid: string): void {
    const next = this.partBehind(part)
    const [first] = next?.records ?? []
    if (!next || callUuid === undefined || first === undefined) return
    let index: number | undefined = this.entryOf(next, first)
    for (let steps = 0; index !== undefined && steps < longestAside; steps++) {
      const parent = textIn(this.records[index], "parentUuid")
      if (parent === callUuid) {
        this.moved.set(index, uuid)
        return
      }
      index = parent === undefined ? undefined : this.byUuid.get(parent)
      if (index !== undefined && this.read.has(index)) return
    }
  }
}

export const rewrite = (conversation: Conversation, session: NativeSession, format: string): readonly unknown[] =>
  new Rewriter(session, partsOf(conversation, format)).rewrite()
