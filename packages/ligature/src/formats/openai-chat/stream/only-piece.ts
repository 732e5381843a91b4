/**
 * The chunk that a long stream consists of: one choice, whose delta is one piece of a call and nothing else. It is told
 * apart here, at a glance, because asking every reader of a chunk what it thinks of it costs several times the piece.
 */
import { isWire, type Wire } from "../../../model/index.ts"

const isSaid = (value: unknown): boolean => value !== undefined && value !== null

/** The piece of a call, where the chunk says nothing else but who sent it. */
export const onlyPiece = (chunk: Wire): Wire | undefined => {
  const { choices, usage, error } = chunk
  if (!Array.isArray(choices) || choices.length !== 1 || isSaid(usage) || isSaid(error)) return undefined
  const choice: unknown = choices[0]
  if (!isWire(choice) || choice["index"] !== 0 || isSaid(choice["finish_reason"]) || isSaid(choice["usage"])) return undefined
  const { delta } = choice
  if (!isWire(delta)) return undefined
  const { tool_calls: pieces } = delta
  if (!Array.isArray(pieces) || pieces.length !== 1) return undefined
  const piece: unknown = pieces[0]
  // Names are looked at last: behind such a look, an engine asks of every object anew what it is.
  for (const name in delta) if (name !== "tool_calls") return undefined
  return isWire(piece) ? piece : undefined
}
