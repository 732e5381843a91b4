/**
 * The rows of a timeline: one for each message and each exchange of the valid history, with what the file really had in its place. A row
 * is found by the blocks in it, because a block that no repair touched is the very object that was decoded.
 */
import { callsOf } from "../library.ts"
import type { Block, CallBlock, Conversation, Exchange, Item, Message, Outcome, Place, ReportEntry, Transcript } from "../library-types.ts"

export interface CallRow {
  readonly call: CallBlock
  readonly outcome: Outcome
}

export interface Row {
  readonly index: number
  readonly item: Item
  readonly kind: "system" | "user" | "summary" | "exchange"
  /** The turn that begins here. */
  readonly turn?: number
  /** Of an exchange. */
  readonly calls: readonly CallRow[]
  /** Positions of the messages in the file that are shown here. */
  readonly messages: readonly number[]
  /** Findings about this row, by their position. Filled by whoever has them. */
  readonly findings: number[]
  /** What a repair changed here. */
  readonly entries: readonly ReportEntry[]
}

const callRows = (exchange: Exchange): readonly CallRow[] =>
  callsOf(exchange).flatMap((call, index) => {
    const outcome = exchange.outcomes[index]
    return outcome === undefined ? [] : [{ call, outcome }]
  })

const kindOf = (item: Item): Row["kind"] => (item.role === "exchange" ? "exchange" : item.summary === true ? "summary" : item.role)

/** Every block of an item, those inside of results too. */
function* blocksOf(item: Item): Generator<Block> {
  if (item.role !== "exchange") {
    yield* item.blocks
    return
  }
  yield* item.message.blocks
  for (const { result } of item.outcomes) {
    if (result === undefined) continue
    yield result
    yield* result.content
  }
  if (item.reply) yield* item.reply.blocks
}

const isMessage = (value: Block | Message): value is Message => "role" in value

interface Rows {
  readonly rows: readonly Row[]
  /** The row that a place of the transcript is shown in. */
  readonly rowOf: (place: Place) => number
}

export const rowsOf = (conversation: Conversation, transcript: Transcript, entries: readonly ReportEntry[]): Rows => {
  const rowOfBlock = new Map<Block, number>()
  const rowOfCall = new Map<string, number>()
  conversation.items.forEach((item, index) => {
    for (const block of blocksOf(item)) {
      rowOfBlock.set(block, index)
      if (block.type === "call") rowOfCall.set(block.id, index)
    }
  })
  // A message is shown where its first known block is; one without any, where the message before it is.
  const rowOfMessage: number[] = []
  let last = 0
  transcript.messages.forEach(({ blocks }, message) => {
    for (const block of blocks) {
      const row = rowOfBlock.get(block) ?? (block.type === "call" ? rowOfCall.get(block.id) : undefined)
      if (row === undefined) continue
      last = row
      break
    }
    rowOfMessage[message] = last
  })
  const rowOf = ({ message, block, item }: Place): number => {
    if (message === undefined) return Math.max(0, Math.min(item ?? 0, conversation.items.length - 1))
    const exact = transcript.messages[message]?.blocks[block ?? 0]
    return (exact && rowOfBlock.get(exact)) ?? rowOfMessage[message] ?? 0
  }
  const rowOfEntry = ({ replacement, place }: ReportEntry): number => {
    if (replacement !== undefined) {
      const shown = isMessage(replacement) ? replacement.blocks : [replacement]
      for (const block of shown) {
        const row = rowOfBlock.get(block)
        if (row !== undefined) return row
      }
    }
    return rowOf(place)
  }
  const messages: number[][] = conversation.items.map(() => [])
  rowOfMessage.forEach((row, message) => messages[row]?.push(message))
  const changed: ReportEntry[][] = conversation.items.map(() => [])
  for (const entry of entries) changed[rowOfEntry(entry)]?.push(entry)
  let turn = 0
  let spoke: string | undefined
  const rows = conversation.items.map((item, index): Row => {
    const kind = kindOf(item)
    const begins = kind === "user" && spoke !== "user"
    spoke = kind
    return {
      index,
      item,
      kind,
      ...(begins && { turn: ++turn }),
      calls: item.role === "exchange" ? callRows(item) : [],
      messages: messages[index] ?? [],
      findings: [],
      entries: changed[index] ?? [],
    }
  })
  return { rows, rowOf }
}
