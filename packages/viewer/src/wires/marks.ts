/** Where in the text of a request a block of the history is, so that what was lost of it, or refused, can be marked there. */
import type { History } from "../history/open.ts"
import type { Block, Item, Place } from "../library-types.ts"

export interface Mark {
  /** End of the line that it is about. */
  readonly at: number
  readonly kind: string
  readonly label: string
}

/** As it begins in JSON. */
const beginning = (text: string): string => JSON.stringify(text.slice(0, 48).toWellFormed()).slice(1, -1)

const tracesOf = (block: Block): readonly string[] => {
  switch (block.type) {
    case "call":
      return [`"${beginning(block.id)}"`, `"${beginning(block.name)}"`]
    case "result":
      return [`"${beginning(block.callId)}"`, ...block.content.flatMap(tracesOf)]
    case "text":
    case "thinking":
    case "opaque":
      return block.text.trim() === "" ? [] : [beginning(block.text)]
    case "media":
      return block.source.type === "base64" ? [block.source.data.slice(0, 48)] : []
  }
}

const blocksOf = (item: Item | undefined): readonly Block[] => {
  if (item === undefined) return []
  if (item.role !== "exchange") return item.blocks
  return [...item.message.blocks, ...item.outcomes.flatMap(({ result }) => (result ? [result] : [])), ...(item.reply?.blocks ?? [])]
}

/** What a loss is about, by the name of what is lost: its place is a whole exchange. */
const isAbout = (block: Block, feature: string): boolean => {
  if (feature === "result-error") return block.type === "result" && block.error === true
  if (feature.startsWith("result"))
    return block.type === "result" && (!/image|media/.test(feature) || block.content.some(({ type }) => type === "media"))
  return feature.startsWith(block.type)
}

/** The block of a place, then those around it: of what was lost as a whole, the request has only the neighbours. */
const nearby = ({ transcript, conversation, rowOf }: History, place: Place, feature: string): readonly Block[] => {
  const { message, block = 0 } = place
  const own = message === undefined ? [] : (transcript.messages[message]?.blocks ?? [])
  const row = rowOf(place)
  const here = blocksOf(conversation.items[row])
  const next = [row + 1, row + 2].flatMap((at) => blocksOf(conversation.items[at]))
  return [...own.slice(block), ...own.slice(0, block), ...here.filter((each) => isAbout(each, feature)), ...here, ...next]
}

export const markAt = (text: string, history: History, place: Place, kind: string, label: string, feature = ""): readonly Mark[] => {
  for (const block of nearby(history, place, feature)) {
    for (const trace of tracesOf(block)) {
      // The id of a call comes again with its result.
      const position = block.type === "result" ? text.lastIndexOf(trace) : text.indexOf(trace)
      if (position < 0) continue
      const end = text.indexOf("\n", position)
      return [{ at: end < 0 ? text.length : end, kind, label }]
    }
  }
  return []
}
