/**
 * Which items go together (L9). A provider-side span may be open at the end of one assistant message and close in the
 * next: a turn that was paused. Then those exchanges are kept or left out as one. A user message ends every span, and
 * so do results, because they have another role.
 */
import type { Item, Message } from "../../model/index.ts"

/** Notes the spans of a message: where each was first seen, and how far it reaches. */
const trace = (message: Message, index: number, seen: Map<string, number>, steps: Int32Array): void => {
  for (const block of message.blocks) {
    if (block.type !== "opaque" || block.span === undefined) continue
    const first = seen.get(block.span)
    if (first === undefined) seen.set(block.span, index)
    else if (first < index) {
      steps[first + 1] = (steps[first + 1] ?? 0) + 1
      steps[index + 1] = (steps[index + 1] ?? 0) - 1
    }
  }
}

/** 1 at an item that may not be parted from the item before it. */
export const bondsIn = (items: readonly Item[]): Uint8Array => {
  const steps = new Int32Array(items.length + 2)
  const seen = new Map<string, number>()
  let paused = false
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as Item
    if (item.role !== "exchange") {
      if (seen.size > 0) seen.clear()
      paused = false
      continue
    }
    if (paused) {
      steps[index] = (steps[index] ?? 0) + 1
      steps[index + 1] = (steps[index + 1] ?? 0) - 1
    }
    // Only a message with nothing after it can leave a span open, and only an open one can be closed.
    if (seen.size > 0 || item.outcomes.length === 0) trace(item.message, index, seen, steps)
    if (item.outcomes.length > 0 && seen.size > 0) seen.clear()
    if (item.reply) trace(item.reply, index, seen, steps)
    const last = item.reply ?? (item.outcomes.length === 0 ? item.message : undefined)
    paused = last?.paused === true
  }
  const bonds = new Uint8Array(items.length + 1)
  let depth = 0
  for (let index = 0; index < items.length; index++) {
    depth += steps[index] ?? 0
    if (depth > 0) bonds[index] = 1
  }
  return bonds
}
