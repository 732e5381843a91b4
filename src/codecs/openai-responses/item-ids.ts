/**
 * Which items may keep their id. The server looks an id up: it wants the reasoning the item was made with in front of it,
 * takes each id once, and rejects ids that are not of the item's type. An item without id is never checked, so leaving the
 * id out is always safe; it says nothing a model would see.
 */
import { isWire, type Message, type Wire } from "../../model/index.ts"
import { nativeOf } from "./items.ts"

const prefixes: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  custom_tool_call: "ctc",
}
const maxLength = 64

const wellFormed = (item: Wire, id: string): boolean => {
  const type = item["type"] ?? "message"
  const prefix = typeof type === "string" && Object.hasOwn(prefixes, type) ? prefixes[type] : undefined
  return id.length <= maxLength && (prefix === undefined || id.startsWith(prefix))
}

/** Local shell items may have no call id of their own: there the item id is what pairs call and output. */
const namesItsCall = (item: Wire): boolean =>
  typeof item["call_id"] !== "string" && String(item["type"]).startsWith("local_shell_call")

export interface ItemIds {
  /** The item, without its id where the server would reject it. */
  readonly checked: (item: Wire) => Wire
  /** True for an item that needs reasoning which is no longer there. */
  readonly bereft: (item: Wire) => boolean
  /** Notes that this reasoning is written. */
  readonly reasoning: (item: unknown) => void
  /** Notes which items of this message have lost the reasoning in front of them. */
  readonly enter: (message: Message) => void
}

const idOf = (item: unknown): string | undefined =>
  isWire(item) && typeof item["id"] === "string" ? item["id"] : undefined

const isReasoning = (item: unknown): item is Wire => isWire(item) && item["type"] === "reasoning"

export const itemIds = (): ItemIds => {
  const used = new Set<string>()
  const present = new Set<string>()
  const lost = new Set<string>()

  const reasoning = (item: unknown): void => {
    const id = idOf(item)
    if (id !== undefined) present.add(id)
  }

  const bereft = (item: Wire): boolean => {
    const id = idOf(item)
    return id !== undefined && lost.has(id)
  }

  const enter = (message: Message): void => {
    const items = nativeOf(message)
    if (!Array.isArray(items) || !items.some(isReasoning)) return
    for (const block of message.blocks) if (block.type === "thinking") reasoning(nativeOf(block))
    let gone = false
    for (const item of items as readonly unknown[]) {
      const id = idOf(item)
      if (isReasoning(item)) gone = id !== undefined && !present.has(id)
      else if (gone && id !== undefined) lost.add(id)
    }
  }

  const checked = (item: Wire): Wire => {
    const id = idOf(item)
    if (id === undefined || namesItsCall(item)) return item
    if (!lost.has(id) && !used.has(id) && wellFormed(item, id)) {
      used.add(id)
      return item
    }
    const { id: _, ...rest } = item
    return rest
  }

  return { checked, bereft, reasoning, enter }
}
