/**
 * Handles of stored media, for the notes that stand in its place where a provider does not take it: the line of the item
 * or result that names it, which is what the recall tool shows it again for.
 */
import type { MediaHandle } from "../../laws/index.ts"
import type { Block, MediaBlock } from "../../model/index.ts"
import type { Loaded } from "../../store/index.ts"
import { mediaIn } from "../recall/item-media.ts"
import { handleOf, type Reference, writeHandle } from "../text/handles.ts"
import { wholeText } from "../text/item-text.ts"
import { wholeHistory } from "./stored/archive.ts"

const handlesIn = (loaded: Loaded): ReadonlyMap<MediaBlock, string> => {
  const { conversation, isHidden } = wholeHistory(loaded)
  const handles = new Map<MediaBlock, string>()
  const add = (blocks: readonly Block[], line: number, reference: Reference): void => {
    const media = blocks.filter((block): block is MediaBlock => block.type === "media")
    mediaIn([{ blocks, line }]).forEach(({ line: at }, index) => {
      const block = media[index]
      if (block && !handles.has(block)) handles.set(block, writeHandle({ ...reference, from: at, to: at }))
    })
  }
  conversation.items.forEach((item, position) => {
    if (isHidden(position)) return
    for (const { blocks, line, call } of wholeText(item, (index) => handleOf(position, index)).passages) {
      // Lines of a call's handle are those of its result alone.
      if (call === undefined) add(blocks, line, { item: position })
      else add(blocks, 1, { item: position, call })
    }
  })
  return handles
}

/** The history is read through when the first handle is asked for: most requests leave nothing out. */
export const mediaHandles = (loaded: () => Loaded): MediaHandle => {
  let handles: ReadonlyMap<MediaBlock, string> | undefined
  return (block) => (handles ??= handlesIn(loaded())).get(block)
}
