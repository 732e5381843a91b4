/** Items as text, for reading back: everything an agent could have seen of them, call by call. */
import {
  type Block,
  type CallBlock,
  callsOf,
  type Exchange,
  type Item,
  mediaNote,
  type Message,
  type Outcome,
  type ResultBlock,
} from "../../model/index.ts"

/** One piece of an item: a message text, or the result of one call. */
interface Passage {
  /** Which call of the exchange it answers; absent for message texts. */
  readonly call?: number
  readonly title: string
  readonly text: string
  /** What the text was made of. */
  readonly blocks: readonly Block[]
}

export interface PlacedPassage extends Passage {
  /** The line of the whole text at which its own text begins, from one. */
  readonly line: number
  /** The line its title begins at. Arguments that are not JSON may have several. */
  readonly titleLine: number
}

interface WholeText {
  readonly text: string
  readonly passages: readonly PlacedPassage[]
}

/** A block as text; empty: it is not shown. */
export const textOfBlock = (block: Block): string => {
  switch (block.type) {
    case "text":
    case "opaque":
      return block.text
    case "thinking":
      return block.text === "" ? "" : `(thinking) ${block.text}`
    case "media":
      return mediaNote(block)
    default:
      return ""
  }
}

const textOf = (blocks: readonly Block[]): string =>
  blocks
    .map(textOfBlock)
    .filter((words) => words !== "")
    .join("\n")

/** The result as text: media as a note, because the bytes are of no use as text. */
export const textOfResult = (result: ResultBlock): string => textOf(result.content)

/** The arguments as they were given: as text where the model's own text is not a JSON object. */
export const argumentsText = (call: CallBlock): string =>
  call.fault !== undefined && call.raw !== undefined ? call.raw : JSON.stringify(call.arguments)

export const callTitle = (call: CallBlock): string => `${call.name} ${argumentsText(call)}`

const outcomeText = (outcome: Outcome | undefined): string =>
  outcome?.result === undefined ? "(no result yet)" : textOfResult(outcome.result)

const named = (message: Message, role: string): string => (message.name === undefined ? role : `${role} ${message.name}`)

/** So much of a call's title is shown with its result; longer arguments are read back with the whole item. */
export const longestTitle = 400

/** The text before the title of a call in the whole text. */
export const titleLead = (handle: string): string => `[${handle} `

/** What the reply of an exchange is called. */
export const replyTitle = "assistant, after the results"

const exchangePassages = (exchange: Exchange): readonly Passage[] => {
  const { blocks } = exchange.message
  const said = textOf(blocks)
  const replied = exchange.reply?.blocks ?? []
  const reply = textOf(replied)
  const calls = callsOf(exchange).map((call, index): Passage => {
    const outcome = exchange.outcomes[index]
    const title = `${callTitle(call)} → ${outcome?.kind ?? "pending"}`
    return { call: index, title, text: outcomeText(outcome), blocks: outcome?.result?.content ?? [] }
  })
  return [
    ...(said === "" ? [] : [{ title: named(exchange.message, "assistant"), text: said, blocks }]),
    ...calls,
    ...(reply === "" ? [] : [{ title: replyTitle, text: reply, blocks: replied }]),
  ]
}

/** The passages of an item, in order. */
export const passagesOf = (item: Item): readonly Passage[] => {
  if (item.role === "exchange") return exchangePassages(item)
  const { blocks } = item
  return [{ title: item.summary === true ? "summary" : named(item, item.role), text: textOf(blocks), blocks }]
}

/** The whole item as one text, and the place of each passage in it. A lone message is its own text. */
export const wholeText = (item: Item, handleOfCall: (call: number) => string): WholeText => {
  const passages = passagesOf(item)
  const [only] = passages
  if (only !== undefined && passages.length === 1 && only.call === undefined)
    return {
      text: only.text,
      passages: [{ ...only, line: 1, titleLine: 1 }],
    }
  const placed: PlacedPassage[] = []
  const parts: string[] = []
  let line = 1
  for (const passage of passages) {
    const { call, title, text } = passage
    parts.push(`${call === undefined ? "[" : titleLead(handleOfCall(call))}${title}]`, text)
    const titleLine = line
    line += title.split("\n").length
    placed.push({ ...passage, line, titleLine })
    line += text.split("\n").length
  }
  return { text: parts.join("\n"), passages: placed }
}
