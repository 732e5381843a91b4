/** When an acknowledged append must be on the disk, not only with the operating system. */
import type { NewEntry } from "./entry.ts"

/**
 * Every acknowledged append survives the death of the process. What survives a power cut or a crash of the system:
 *
 * - `turn` (default): everything up to the last user message and up to the last finished answer. Two flushes per turn,
 *   however many calls it has.
 * - `entry`: every append. Appends that wait at the same time share a flush.
 * - `none`: whatever the system wrote by itself, until `flush` or `close`.
 */
export type Durability = "turn" | "entry" | "none"

/** What the user said, and an answer that asks for nothing more. */
const marksTurn = (entry: NewEntry): boolean => {
  if (entry.kind !== "message") return entry.kind === "summary" || entry.kind === "tip"
  const { role, blocks } = entry.message
  return role === "user" || (role === "assistant" && blocks.every((block) => block.type !== "call"))
}

export const mustFlush = (durability: Durability, entries: readonly NewEntry[]): boolean =>
  durability === "entry" || (durability === "turn" && entries.some(marksTurn))
