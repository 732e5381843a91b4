/**
 * Which items may keep their id. The server looks an id up: it wants the reasoning the item was made with in front of
 * it, takes each id once, and rejects ids that are not of the item's type. An item without id is never looked up, so
 * leaving the id out is always safe, and no model sees the difference.
 *
 * Decoder and encoder walk the items in order with one of these: the one to report what will be left out, the other to
 * leave it out.
 */
import { isWire, type Message, type Wire } from "../../model/index.ts"
import { nativeOf } from "./items.ts"

/** How ids of a type begin. Compared, not looked up: JSON.parse makes a new string of each long name. */
const prefixOf = (type: unknown): string | undefined => {
  if (type === "function_call") return "fc"
  if (type === "message") return "msg"
  if (type === "reasoning") return "rs"
  return type === "custom_tool_call" ? "ctc" : undefined
}
const maxLength = 64

/** Whether the id leads the server to the reasoning the item was made with. */
const isTied = (item: Wire, type: unknown): boolean =>
  type === "function_call" || (type === "message" && item["role"] === "assistant") || type === "custom_tool_call"

/** Models that reason before they speak: there an id without reasoning in its step means that reasoning was lost. */
const isReasoningModel = (model: unknown): boolean =>
  typeof model === "string" && /(^|\/)(o\d|gpt-[5-9](?!.*chat)|codex)/.test(model)

const idOf = (item: unknown): string | undefined =>
  isWire(item) && typeof item["id"] === "string" ? item["id"] : undefined

const isReasoning = (item: unknown): item is Wire => isWire(item) && item["type"] === "reasoning"

/** Local shell items may have no call id of their own: there the item id is what pairs call and output. */
const namesItsCall = (item: Wire, type: unknown): boolean =>
  (type === "local_shell_call" || type === "local_shell_call_output") && typeof item["call_id"] !== "string"

export class ItemIds {
  readonly #strict: boolean
  readonly #used = new Set<string>()
  readonly #reasoned = new Set<string>()
  readonly #lost = new Set<string>()
  #stepReasoned = false

  constructor(model: unknown) {
    this.#strict = isReasoningModel(model)
  }

  /** A step of the model ends where the client speaks. */
  clientSpeaks(): void {
    this.#stepReasoned = false
  }

  /** Why the server would reject the id of this item; notes the id as used where it would not. */
  fault(item: Wire, type: unknown = item["type"] ?? "message"): string | undefined {
    const id = idOf(item)
    if (id === undefined) return item["id"] === undefined || item["id"] === null ? undefined : "is no text"
    if (namesItsCall(item, type)) return undefined
    const prefix = prefixOf(type)
    if (prefix !== undefined && !id.startsWith(prefix)) return `does not begin with "${prefix}"`
    if (id.length > maxLength) return `is longer than ${maxLength} characters`
    if (this.#used.has(id)) return "stands on an earlier item"
    const unreasoned = this.#strict && !this.#stepReasoned && isTied(item, type)
    if (unreasoned || this.#lost.has(id)) return "needs reasoning that is not here"
    this.#used.add(id)
    if (type === "reasoning") {
      this.#reasoned.add(id)
      this.#stepReasoned = true
    }
    return undefined
  }

  /** The item, without its id where the server would reject it. */
  checked(item: Wire): Wire {
    if (this.fault(item) === undefined) return item
    const { id: _, ...rest } = item
    return rest
  }

  /** Notes which items of this message have lost the reasoning in front of them. */
  enter(message: Message): void {
    const items = nativeOf(message)
    if (!Array.isArray(items)) return
    let missing = 0
    for (const item of items as readonly unknown[]) if (isReasoning(item)) missing++
    if (missing === 0) return
    for (const block of message.blocks) if (block.type === "thinking" && nativeOf(block) !== undefined) missing--
    if (missing === 0) return
    const thoughts = message.blocks.filter((block) => block.type === "thinking")
    const present = new Set(thoughts.map((block) => idOf(nativeOf(block))))
    let gone = false
    for (const item of items as readonly unknown[]) {
      const id = idOf(item)
      if (isReasoning(item)) gone = id !== undefined && !present.has(id) && !this.#reasoned.has(id)
      else if (gone && id !== undefined) this.#lost.add(id)
    }
  }
}
