/**
 * Conversation → records. One that came from this format gives its records back with as little changed as possible; a
 * foreign one becomes a metadata line and its messages. Results stand in messages of the user, all results of one
 * assistant message together, since the agent drops a request that is not answered by the next message.
 */
import {
  type Block,
  type Conversation,
  type Exchange,
  isWire,
  type Message,
  type Role,
  type Wire,
} from "../../model/index.ts"
import type { EncodeOptions } from "../../formats/engine/codec.ts"
import { putBack, type Reading, type Spoken } from "../engine/put-back.ts"
import { conversationSeed, deriveHex } from "../engine/derived-id.ts"
import { isoTimes, millisecondsOf } from "../engine/iso-time.ts"
import { format, isHeader, nativeOf } from "./format.ts"
import { writeContent } from "./write-content.ts"

interface Piece {
  readonly role: Role
  readonly blocks: readonly Block[]
  readonly from: Wire | undefined
  readonly summary?: true
}

/** Results of one exchange lie in one record: that of the first of them that came with one. */
const resultPieces = ({ outcomes }: Exchange): readonly Piece[] => {
  const carriers = outcomes.map(({ carrier }) => carrier && nativeOf({ native: carrier }))
  const shared = carriers.find((carrier) => carrier !== undefined)
  return outcomes.flatMap(({ result }, index): readonly Piece[] =>
    result ? [{ role: "user", blocks: [result], from: carriers[index] ?? shared }] : [],
  )
}

const piecesOf = (conversation: Conversation): readonly Piece[] => {
  const pieces: Piece[] = []
  const say = (message: Message): void => {
    const { role, blocks, summary } = message
    pieces.push({ role, blocks, from: nativeOf(message), ...(summary && { summary }) })
  }
  for (const item of conversation.items) {
    if (item.role !== "exchange") {
      say(item)
      continue
    }
    say(item.message)
    for (const piece of resultPieces(item)) pieces.push(piece)
    if (item.reply) say(item.reply)
  }
  return pieces
}

interface Group {
  readonly role: Role
  readonly blocks: Block[]
  readonly from: Wire | undefined
  readonly results: boolean
  readonly summary?: true
}

const holdsResults = ({ blocks }: Piece): boolean => blocks[0]?.type === "result"

/** Pieces of one record become one again; new results that follow each other become one new record. */
const group = (pieces: readonly Piece[]): readonly Group[] => {
  const groups: Group[] = []
  const used = new Set<Wire>()
  for (const piece of pieces) {
    const last = groups.at(-1)
    const results = holdsResults(piece)
    const isSame = last?.from === piece.from && (piece.from !== undefined || (results && last?.results === true))
    if (last && isSame) {
      for (const block of piece.blocks) last.blocks.push(block)
      continue
    }
    const { role, summary } = piece
    const from = piece.from && !used.has(piece.from) ? piece.from : undefined
    if (from) used.add(from)
    groups.push({ role, blocks: [...piece.blocks], from, results, ...(summary && { summary }) })
  }
  return groups
}

const rewrite = ({ blocks }: Group, record: Wire): Wire => {
  const content = writeContent(blocks, record["content"])
  if (record["role"] === "tool") return { ...record, role: "user", content }
  return content === record["content"] ? record : { ...record, content }
}

const visible = { userVisible: true, agentVisible: true }
const agentOnly = { userVisible: false, agentVisible: true }

const newRecord = ({ role, blocks, summary }: Group, id: string, created: unknown): Wire => ({
  id,
  role: role === "assistant" ? "assistant" : "user",
  created: typeof created === "number" ? created : 0,
  content: writeContent(blocks, []),
  metadata: summary === true || role === "system" ? agentOnly : visible,
})

/** The header counts the messages of the session. */
const recount = (records: readonly unknown[], before: readonly unknown[]): readonly unknown[] => {
  const counted = (list: readonly unknown[]): number =>
    list.filter((record) => isWire(record) && !isHeader(record)).length
  const messages = counted(records)
  const previous = counted(before)
  if (messages === previous) return records
  return records.map((record) =>
    isHeader(record) && record["message_count"] === previous ? { ...record, message_count: messages } : record,
  )
}

const writeBack = (conversation: Conversation, reading: Reading): Wire => {
  const spoken: Spoken[] = []
  for (const each of group(piecesOf(conversation))) {
    const { from } = each
    const last = spoken.at(-1)?.record
    const isResult = each.blocks.every((block) => block.type === "result") && { isResult: true as const }
    if (from) spoken.push({ record: rewrite(each, from), from, ...isResult })
    else {
      const id = `msg_${deriveHex(16, String(spoken.length), String(last?.["id"]))}`
      spoken.push({ record: newRecord(each, id, last?.["created"]), ...isResult })
    }
  }
  const records = putBack(reading, spoken)
  return { records: records === reading.records ? records : recount(records, reading.records) }
}

const newSession = (conversation: Conversation, options: EncodeOptions): Wire => {
  const seed = conversationSeed(conversation)
  const { id = seed, folder = "/", startedAt, title = "" } = options.session ?? {}
  const time = isoTimes(startedAt)
  const startTime = time()
  const records = group(piecesOf(conversation)).map((each, index) =>
    newRecord(each, `msg_${deriveHex(16, id, String(index))}`, Math.floor((millisecondsOf(time()) ?? 0) / 1000)),
  )
  const times = { created_at: startTime, updated_at: startTime }
  const header = {
    id,
    description: title,
    working_dir: folder,
    ...times,
    extension_data: {},
    message_count: records.length,
  }
  return { records: [header, ...records] }
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const native = conversation.native?.[format]
  if (!isWire(native) || !Array.isArray(native["records"])) return newSession(conversation, options)
  return writeBack(conversation, native as unknown as Reading)
}
