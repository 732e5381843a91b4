/**
 * System messages of other agents. These files hold none: the agent brings its own prompt. What another agent was told
 * is said as the user's text under a label, in a record with a mark by which it is read back.
 */
import { type Block, isWire, text, type TextBlock, type UserBlock, type Wire } from "../../model/index.ts"
import { markKey } from "./records.ts"

const label = "[System message]"

export const labelled = (blocks: readonly UserBlock[]): readonly UserBlock[] => [text(label), ...blocks]

export const systemMark: Wire = { [markKey]: { role: "system" } }

const isLabel = (block: unknown): boolean => isWire(block) && block["type"] === "text" && block["text"] === label

export const withoutLabel = (blocks: readonly Block[]): readonly Block[] => (isLabel(blocks[0]) ? blocks.slice(1) : blocks)

/** The label of a record that has one, as it is written there. */
export const labelOf = ({ content }: Wire): readonly TextBlock[] => {
  const first: unknown = Array.isArray(content) ? content[0] : undefined
  return isLabel(first) ? [first as TextBlock] : []
}
