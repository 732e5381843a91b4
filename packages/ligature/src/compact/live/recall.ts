/**
 * `recall`, the one door to what a compaction took out of the view: a tool to declare to the model, and a reader that
 * answers it, over a conversation in memory or over a store.
 *
 *     const tools = [...yours, recall.tool(store)]                     // for `run`
 *     const { text } = await recall.read(store, id, call.arguments)    // in a loop of your own
 */
import type { MediaHandle } from "../../rules/index.ts"
import { type Block, type ContentBlock, type Conversation, type JsonObject, type MediaBlock, text } from "../../model/index.ts"
import type { Loaded, Store } from "../../store/index.ts"
import { mediaIn, readBack, type Recalled, type RecallOptions, recallTool, type ToolDefinition } from "../recall/recall.ts"
import { handleOf, type Reference, writeHandle } from "../text/handles.ts"
import { wholeText } from "../text/item-text.ts"
import { wholeHistory } from "./stored/archive.ts"

/** Reads back from a stored conversation. What people hid stays hidden. */
const readStored = async (store: Store, id: string, request: unknown, options: RecallOptions = {}): Promise<Recalled> => {
  const { conversation, isHidden } = wholeHistory(await store.load(id))
  return readBack(conversation, request, { ...options, isHidden: (item) => isHidden(item) || options.isHidden?.(item) === true })
}

/** What the tool is given beside the arguments: a part of the context of every tool of `run`. */
export interface RecallContext {
  readonly conversation: string
  /** Makes a result of several blocks. Without it, media is only named. */
  readonly content?: (...blocks: readonly ContentBlock[]) => unknown
}

/** The recall tool with the function that runs it, as `run` takes it. */
export interface RecallTool extends ToolDefinition {
  readonly approval: false
  readonly run: (given: JsonObject, context: RecallContext) => Promise<unknown>
}

const toolOver = (store: Store, options?: RecallOptions): RecallTool => ({
  ...recallTool,
  approval: false,
  run: async (given, { conversation, content }) => {
    const recalled = await readStored(store, conversation, given, options)
    if (recalled.media === undefined || content === undefined) return recalled.text
    return content(text(recalled.text), ...recalled.media)
  },
})

interface Recall {
  /**
   * Reads back from a conversation; handles count its items. The request is a `RecallRequest`, or the arguments of a call just
   * as a model gave them. Never throws, whatever they are.
   */
  (conversation: Conversation, request: unknown, options?: RecallOptions): Recalled
  /** The same from a stored conversation, compacted or not. Rejects where the store cannot be read. */
  (store: Store, id: string, request: unknown, options?: RecallOptions): Promise<Recalled>
}

interface RecallToolMaker {
  /** Name, description and JSON schema, for a loop of your own. */
  (): ToolDefinition
  /** With the function that runs it, for the `tools` of `run`. Images and files are shown again, and not only named. */
  (store: Store, options?: RecallOptions): RecallTool
}

type ReadArguments =
  | readonly [conversation: Conversation, request: unknown, options?: RecallOptions]
  | readonly [store: Store, id: string, request: unknown, options?: RecallOptions]

const isStored = (given: ReadArguments): given is Extract<ReadArguments, readonly [Store, ...unknown[]]> => !("items" in given[0])

export const recall = {
  read: ((...given: ReadArguments) => (isStored(given) ? readStored(...given) : readBack(...given))) as Recall,
  tool: ((store?: Store, options?: RecallOptions) => (store ? toolOver(store, options) : recallTool)) as RecallToolMaker,
} as const

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

/**
 * Handles of stored media, for the notes in its place where a provider does not accept it: the recall tool shows it again.
 * The history is read when the first handle is asked for: most requests leave nothing out.
 */
export const mediaHandles = (loaded: () => Loaded): MediaHandle => {
  let handles: ReadonlyMap<MediaBlock, string> | undefined
  return (block) => (handles ??= handlesIn(loaded())).get(block)
}
