/**
 * Where the tokens of a history are, and what the provider said it was charged. Estimates are those of `compact`; what providers said
 * is noted by agents beside their messages, under names that differ little.
 */
import { estimateMeter } from "../../compact/index.ts"
import { type Block, type Conversation } from "../../model/index.ts"

export const shareNames = ["system", "tools", "summaries", "user", "assistant", "thinking", "calls", "results", "media"] as const
export type ShareName = (typeof shareNames)[number]
export type TokenShares = Record<ShareName, number>

export const noShares = (): TokenShares => ({
  system: 0,
  tools: 0,
  summaries: 0,
  user: 0,
  assistant: 0,
  thinking: 0,
  calls: 0,
  results: 0,
  media: 0,
})

const shareOf = (block: Block, otherwise: ShareName): ShareName => {
  if (block.type === "call") return "calls"
  if (block.type === "thinking") return "thinking"
  return block.type === "media" ? "media" : otherwise
}

export const addShares = (into: TokenShares, from: TokenShares): void => {
  for (const name of shareNames) into[name] += from[name]
}

export const sharesOf = ({ items }: Conversation, tools: unknown): TokenShares => {
  const shares = noShares()
  const add = (block: Block, otherwise: ShareName): void => {
    // Media in a result count as media: they are what makes it large.
    if (block.type === "result")
      for (const part of block.content) shares[shareOf(part, "results")] += estimateMeter.sizeOfBlock(part).tokens
    else shares[shareOf(block, otherwise)] += estimateMeter.sizeOfBlock(block).tokens
  }
  if (tools !== undefined) shares.tools += estimateMeter.sizeOfTools(tools).tokens
  for (const item of items) {
    if (item.role === "exchange") {
      for (const message of [item.message, ...(item.reply ? [item.reply] : [])]) for (const block of message.blocks) add(block, "assistant")
      for (const { result } of item.outcomes) if (result) add(result, "results")
    } else
      for (const block of item.blocks)
        add(block, item.role === "system" ? "system" : item.role === "user" && item.summary === true ? "summaries" : "user")
  }
  return shares
}
