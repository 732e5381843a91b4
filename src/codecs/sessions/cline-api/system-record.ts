/**
 * System messages of other agents. These files hold none: the agent brings its own prompt. What another agent was told
 * is said as the user's text under a label, in a record with a mark by which it is read back.
 */
import { type Block, text, type UserBlock, type Wire } from "../../../model/index.ts"
import { markKey } from "./records.ts"

const label = "[System message]"

export const labelled = (blocks: readonly UserBlock[]): readonly UserBlock[] => [text(label), ...blocks]

export const systemMark: Wire = { [markKey]: { role: "system" } }

export const withoutLabel = (blocks: readonly Block[]): readonly Block[] => {
  const [first] = blocks
  return first?.type === "text" && first.text === label ? blocks.slice(1) : blocks
}
