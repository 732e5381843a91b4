/**
 * Arguments that a framework left in the pieces of the stream they came in: `input_json_delta` blocks behind a call whose
 * own input is still empty.
 */
import { isWire, type Wire } from "../../model/index.ts"

const isPiece = (block: unknown): block is Wire => isWire(block) && block["type"] === "input_json_delta"

const isEmpty = (input: unknown): boolean =>
  input === undefined || input === null || input === "" || (isWire(input) && Object.keys(input).length === 0)

/** The content with each piece in its call; undefined where there are none, or no call they could belong to. */
export const joinedPieces = (content: readonly unknown[]): readonly unknown[] | undefined => {
  if (!content.some(isPiece)) return undefined
  const texts = new Map<Wire, string>()
  const open: Wire[] = []
  for (const block of content) {
    if (isWire(block) && block["type"] === "tool_use") open.push(block)
    if (!isPiece(block)) continue
    const { index, input, partial_json: written } = block
    const text = typeof input === "string" ? input : written
    const call = open.findLast((each) => index === undefined || each["index"] === index) ?? open.at(-1)
    if (call === undefined || !isEmpty(call["input"]) || typeof text !== "string") return undefined
    texts.set(call, (texts.get(call) ?? "") + text)
  }
  return content.flatMap((block): readonly unknown[] => {
    if (isPiece(block)) return []
    if (!isWire(block)) return [block]
    // The number of a block in its stream is no field of a block.
    const { index: _index, ...rest } = block
    const text = texts.get(block) ?? ""
    return [text === "" ? rest : { ...rest, partial_json: text }]
  })
}
