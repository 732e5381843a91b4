/**
 * Ids for messages that come from a format without them, before they are appended to a log: a log is written in pieces,
 * so that a result has to name its call. A result that names none answers the oldest open call of its name.
 */
import type { Block, Message } from "../../model/index.ts"

export interface OpenCallName {
  readonly id: string
  readonly name: string
}

const lacksId = (block: Block): boolean =>
  block.type === "call" ? block.id === "" || block.assigned === true : block.type === "result" && block.callId === ""

/** `open`: calls of the log that wait for a result. `newId`: a text that no call has as id. */
export const withCallIds = (
  messages: readonly Message[],
  open: readonly OpenCallName[],
  newId: () => string,
): readonly Message[] => {
  if (!messages.some(({ blocks }) => blocks.some(lacksId))) return messages
  const waiting: OpenCallName[] = [...open]
  const renamed = new Map<string, string>()
  const answered = (callId: string, name: string | undefined): string => {
    const own = callId === "" ? undefined : (renamed.get(callId) ?? callId)
    const isMeant = (call: OpenCallName): boolean =>
      own === undefined ? name === undefined || call.name === name : call.id === own
    const at = waiting.findIndex(isMeant)
    const [call] = at < 0 ? [] : waiting.splice(at, 1)
    return own ?? call?.id ?? ""
  }
  const named = (block: Block): Block => {
    if (block.type === "result") {
      const callId = answered(block.callId, block.name)
      return callId === block.callId ? block : { ...block, callId }
    }
    if (block.type !== "call") return block
    const isOwn = block.id !== "" && block.assigned !== true
    const id = isOwn ? block.id : newId()
    if (!isOwn && block.id !== "") renamed.set(block.id, id)
    waiting.push({ id, name: block.name })
    return isOwn ? block : { ...block, id, assigned: true }
  }
  return messages.map((message) => {
    const blocks = message.blocks.map(named)
    return blocks.every((block, index) => block === message.blocks[index]) ? message : { ...message, blocks }
  })
}
