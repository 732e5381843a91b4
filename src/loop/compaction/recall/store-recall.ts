/** `recall` over a store: whatever a compaction took out of the view, the archive still has. */
import { recall, type Recalled, type RecallOptions, recallTool } from "../../../compact/recall/index.ts"
import { text } from "../../../model/index.ts"
import type { Store } from "../../../store/index.ts"
import { type Tool, toolContent } from "../../tools/tool.ts"
import { wholeHistory } from "../archive.ts"

/** Reads back from a stored conversation, what `recall` takes as request; what people hid stays hidden. */
export const recallFromStore = async (
  store: Store,
  id: string,
  request: unknown,
  options: RecallOptions = {},
): Promise<Recalled> => {
  const { conversation, isHidden } = wholeHistory(await store.load(id))
  return recall(
    conversation,
    request,
    { ...options, isHidden: (item) => isHidden(item) || options.isHidden?.(item) === true },
  )
}

/** The recall tool for the agent loop. Media is shown again, and not only named. */
export const storeRecallTool = (store: Store, options: RecallOptions = {}): Tool => ({
  ...recallTool,
  approval: false,
  run: async (given, { conversation }) => {
    const recalled = await recallFromStore(store, conversation, given, options)
    return recalled.media === undefined ? recalled.text : toolContent(text(recalled.text), ...recalled.media)
  },
})
