/** Blocks that are in another row after the repair: both ends of each have one number, and a line is drawn between them. */
import type { Repaired } from "../history/repaired.ts"
import type { Block, Message } from "../library-types.ts"
import type { FateOf } from "./sides.tsx"

export interface Joint {
  readonly number: number
  /** Of the file. */
  readonly message: number
}

export interface Joints {
  readonly of: (block: Block) => Joint | undefined
}

const isMessage = (value: Block | Message): value is Message => "role" in value

export const jointsOf = ({ rows, transcript }: Repaired, fateOf: FateOf): Joints => {
  const rowOfMessage = new Map<number, number>()
  for (const row of rows) for (const message of row.messages) rowOfMessage.set(message, row.index)
  const joints = new Map<unknown, Joint>()
  let number = 0
  transcript.messages.forEach(({ blocks }, message) => {
    for (const block of blocks) {
      if (fateOf(block, rowOfMessage.get(message) ?? -1).kind !== "moved") continue
      const joint = { number: ++number, message }
      joints.set(block, joint)
      // A result that was given another id is another block with the same content.
      if (block.type === "result") joints.set(block.content, joint)
    }
  })
  // A result that became text is joined to that text.
  for (const { entries } of rows) {
    for (const { original, replacement } of entries) {
      const joint = original === undefined ? undefined : joints.get(original)
      if (joint === undefined || replacement === undefined) continue
      for (const block of isMessage(replacement) ? replacement.blocks : [replacement]) joints.set(block, joint)
    }
  }
  return { of: (block) => joints.get(block) ?? (block.type === "result" ? joints.get(block.content) : undefined) }
}
