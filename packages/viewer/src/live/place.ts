/** Where in a stored conversation the exchanges of a gateway were: the answer of each is a message whose note was written when it ended. */
import type { History } from "../history/open.ts"
import { isOver, type LiveEnd, type LiveExchange } from "./events.ts"

/** A note is written just before or after the client is told that the answer is over. */
const near = 2_000

export const exchangesByRow = ({ stored, rowOf }: History, exchanges: readonly LiveExchange[]): ReadonlyMap<number, readonly LiveEnd[]> => {
  const found = new Map<number, LiveEnd[]>()
  if (!stored) return found
  const { beside, sources } = stored
  const positions = new Map(sources.map((id, index) => [id, index]))
  const answers = beside.flatMap(({ kind, name, parent, at }) => {
    const message = kind === "note" && name === "iteration" && parent !== null ? positions.get(parent) : undefined
    return message === undefined ? [] : [{ message, at }]
  })
  for (const exchange of exchanges) {
    if (!isOver(exchange)) continue
    const end = exchange.time + exchange.ms
    let nearest: (typeof answers)[number] | undefined
    for (const answer of answers) if (!nearest || Math.abs(answer.at - end) < Math.abs(nearest.at - end)) nearest = answer
    if (!nearest || Math.abs(nearest.at - end) > near) continue
    const row = rowOf({ message: nearest.message })
    const known = found.get(row)
    if (known) known.push(exchange)
    else found.set(row, [exchange])
  }
  return found
}
