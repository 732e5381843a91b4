/**
 * A `Session` of the OpenAI Agents SDK over any Ligature store. What `run` saves is appended, O(what is new); what it
 * loads is always a valid list, also with a limit and also when the process died between two saves. Nothing is ever
 * deleted: taking back an item and clearing the session move the tip, and the store can show what was there.
 */
import { alignTailStart } from "../../messages/index.ts"
import { openaiResponses } from "../../formats/openai-responses/index.ts"
import { isWire, type Message, type ResultBlock, resultText } from "../../model/index.ts"
import type { Entry, Lease, NewEntry, Store } from "../../store/index.ts"
import { assertAdapter, type AdapterOptions, ensureConversation, loadIfThere, tell } from "../settle-for.ts"
import { type AgentItem, itemsOfWires, messagesOf, validWires } from "./valid-items.ts"

export interface LigatureSessionOptions extends AdapterOptions {
  readonly store: Store
  /** Id of the session and of its conversation; created when the first item is added. */
  readonly sessionId: string
  /** Under which it is written, where several processes share the session. */
  readonly lease?: Lease
}

/** The SDK's interface, with its items as plain objects: give its `AgentInputItem` as `Item`. */
export interface LigatureSession<Item extends AgentItem = AgentItem> {
  getSessionId(): Promise<string>
  /** The newest items, at most `limit`, cut only between exchanges: fewer where an exchange would be split. */
  getItems(limit?: number): Promise<Item[]>
  addItems(items: readonly Item[]): Promise<void>
  /** Takes back the newest item that was added. Items that `getItems` made up are not stored, so they are not taken. */
  popItem(): Promise<Item | undefined>
  clearSession(): Promise<void>
}

const { format } = openaiResponses

const entriesOf = (messages: readonly Message[]): readonly NewEntry[] =>
  messages.flatMap((message): readonly NewEntry[] =>
    message.role === "tool"
      ? message.blocks.map((block) => ({ kind: "result", result: block as ResultBlock }))
      : [{ kind: "message", message }],
  )

const resultWire = (result: ResultBlock): unknown =>
  result.native?.[format] ?? { type: "function_call_output", call_id: result.callId, output: resultText(result) }

/** The wire items an entry was made of, or would be if it had come from here. */
const wiresIn = (entry: Entry): readonly unknown[] => {
  if (entry.kind === "result") return [resultWire(entry.result)]
  if (entry.kind !== "message" && entry.kind !== "summary") return []
  const { message } = entry
  const native = message.native?.[format]
  if (native !== undefined) return Array.isArray(native) ? native : [native]
  const results = message.blocks.filter((block): block is ResultBlock => block.type === "result")
  if (results.length > 0) return results.map(resultWire)
  const { wires } = validWires({ format, messages: [message] }, {})
  return wires.filter((wire) => !(isWire(wire) && "output" in wire))
}

class StoreSession implements LigatureSession {
  readonly #options: LigatureSessionOptions
  #ensured = false

  constructor(options: LigatureSessionOptions) {
    assertAdapter(options, { store: true, sessionId: true, lease: true })
    this.#options = options
  }

  async getSessionId(): Promise<string> {
    return this.#options.sessionId
  }

  async getItems(limit?: number): Promise<AgentItem[]> {
    const { store, sessionId } = this.#options
    const loaded = limit !== undefined && limit <= 0 ? undefined : await loadIfThere(store, sessionId)
    if (!loaded) return []
    const { wires, report } = validWires(loaded.transcript, this.#options)
    tell(report, this.#options)
    const start = limit === undefined ? 0 : alignTailStart(wires, wires.length - limit, { toward: "drop" })
    return itemsOfWires(wires).slice(start)
  }

  async addItems(items: readonly AgentItem[]): Promise<void> {
    const entries = entriesOf(messagesOf(items))
    if (entries.length === 0) return
    const { store, sessionId } = this.#options
    if (!this.#ensured) await ensureConversation(store, sessionId)
    this.#ensured = true
    await store.append(sessionId, entries, this.#writing())
  }

  async popItem(): Promise<AgentItem | undefined> {
    const { store, sessionId } = this.#options
    const loaded = await loadIfThere(store, sessionId)
    const position = loaded?.entries.findLastIndex((entry) => wiresIn(entry).length > 0) ?? -1
    const entry = loaded?.entries[position]
    if (!loaded || !entry) return undefined
    const wires = wiresIn(entry)
    const rest = entriesOf(openaiResponses.decode(wires.slice(0, -1)).messages)
    const writing = { expectedTip: loaded.tip, ...this.#writing() }
    await store.append(sessionId, [{ kind: "tip", to: entry.parent }, ...rest], writing)
    return itemsOfWires(loaded.entries.slice(0, position + 1).flatMap(wiresIn)).at(-1)
  }

  async clearSession(): Promise<void> {
    const { store, sessionId } = this.#options
    if (await loadIfThere(store, sessionId)) await store.moveTip(sessionId, null, this.#writing())
  }

  #writing(): { readonly lease?: Lease } {
    const { lease } = this.#options
    return lease ? { lease } : {}
  }
}

/**
 * Opens a session, for `run(agent, input, { session })`.
 *
 * @example
 * import { memoryStore } from "ligature/store"
 *
 * const session = ligatureSession({ store: memoryStore(), sessionId: "chat-7" })
 */
export const ligatureSession = <Item extends AgentItem = AgentItem>(options: LigatureSessionOptions): LigatureSession<Item> =>
  new StoreSession(options) as LigatureSession as LigatureSession<Item>
