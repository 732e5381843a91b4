/** A repair in the page: the same function that the command line calls, with the policies that were chosen. */
import {
  decodeOptionsOf,
  defaultPolicies,
  fileValueOf,
  findCodec,
  hasLines,
  isSessionCodec,
  policyNames,
  repair,
  settle,
  shellFile,
} from "../library.ts"
import type { Block, Conversation, DocumentPart, Message, Policies, ReportEntry, Transcript } from "../library-types.ts"
import type { History, OpenedFile } from "./open.ts"
import { type Row, rowsOf } from "./rows.ts"

export interface Repaired {
  readonly value: unknown
  /** What the file says, with the very blocks that the repair kept. */
  readonly transcript: Transcript
  readonly conversation: Conversation
  readonly entries: readonly ReportEntry[]
  readonly rows: readonly Row[]
}

/** A store is not rewritten: what it has is made valid whenever it is sent. */
export const repairHistory = ({ part, stored }: History, policies: Partial<Policies>): Repaired => {
  if (stored) {
    const { transcript } = stored
    const { conversation, report } = settle(transcript, { policies, tip: "open" })
    const { rows } = rowsOf(conversation, transcript, report.entries)
    return { value: undefined, transcript, conversation, entries: report.entries, rows }
  }
  const options = { ...decodeOptionsOf(part), from: part.format, policies, tip: part.appended === undefined ? "closed" : "open" } as const
  const { value, transcript, conversation, report } = repair(part.value, options)
  const { rows } = rowsOf(conversation, transcript, report.entries)
  return { value, transcript, conversation, entries: report.entries, rows }
}

/** What became of a block of the file. */
export type Fate = { readonly kind: "same" } | { readonly kind: "moved"; readonly row: number } | { readonly kind: "gone" }

const blocksIn = (row: Row): readonly Block[] => {
  const { item } = row
  if (item.role !== "exchange") return item.blocks
  return [...item.message.blocks, ...item.outcomes.flatMap(({ result }) => (result ? [result] : [])), ...(item.reply?.blocks ?? [])]
}

/** What says that two blocks are one, where a session was read again between two rounds of its repair. */
const keyOf = (block: Block): string => {
  switch (block.type) {
    case "call":
      return `call ${block.id}`
    case "result":
      return `result ${block.callId}`
    case "text":
    case "thinking":
    case "opaque":
      return `${block.type} ${block.text}`
    case "media":
      return `media ${block.source.type === "base64" ? block.source.data.slice(0, 200) : ""}`
  }
}

const isMessage = (value: Block | Message): value is Message => "role" in value

/** Of each block of the file, in which row it is now; `row` is the one it would be in if nothing had moved. */
export const fatesOf = (rows: readonly Row[]): ((block: Block, row: number) => Fate) => {
  const at = new Map<unknown, number>()
  const keyed = new Map<string, number[]>()
  for (const row of rows) {
    for (const block of blocksIn(row)) {
      at.set(block, row.index)
      const key = keyOf(block)
      const same = keyed.get(key)
      if (same) same.push(row.index)
      else keyed.set(key, [row.index])
    }
    for (const { original, replacement } of row.entries) {
      if (original !== undefined && replacement !== undefined && !isMessage(original) && !at.has(original)) at.set(original, row.index)
    }
  }
  return (block, row) => {
    const same = keyed.get(keyOf(block)) ?? []
    const now = at.get(block) ?? (same.includes(row) ? row : same[0])
    return now === undefined ? { kind: "gone" } : now === row ? { kind: "same" } : { kind: "moved", row: now }
  }
}

/** The messages of the file that are shown beside a row. */
export const messagesOf = ({ transcript }: Repaired, row: Row): readonly (readonly [number, Message])[] =>
  row.messages.flatMap((index) => {
    const message = transcript.messages[index]
    return message === undefined ? [] : [[index, message] as const]
  })

/** The repaired file: its own text with this conversation replaced; or, where its text is not here, the conversation as a file. */
export const repairedText = (file: OpenedFile, part: DocumentPart, { value }: Repaired): string => {
  if (file.document) return file.document.rebuild(new Map([[part, value]])).replaceAll("\0", " ")
  const codec = findCodec(part.format)
  if (codec !== undefined && isSessionCodec(codec)) {
    const whole = fileValueOf(codec, value)
    if (hasLines(codec, value) && Array.isArray(whole)) return whole.map((record) => `${JSON.stringify(record)}\n`).join("")
    return `${JSON.stringify(whole, undefined, 2)}\n`
  }
  return `${JSON.stringify(value, undefined, 2)}\n`
}

/** The command that does the same. */
export const repairCommand = (argument: string, policies: Partial<Policies>): string => {
  const chosen = policyNames.flatMap((name) => {
    const value = policies[name]
    return value === undefined || value === defaultPolicies[name] ? [] : [`--policy ${name}=${value}`]
  })
  return ["ligature repair", shellFile(argument), ...chosen, "--in-place"].join(" ")
}

/** Which policy decides about a rule. */
export const policyOfRule: Readonly<Record<string, keyof Policies>> = {
  "unanswered-call": "unansweredCall",
  "orphan-result": "orphanResult",
  "misplaced-result": "orphanResult",
  "duplicate-result": "duplicateResult",
  "unsigned-thinking": "foreignThinking",
}
