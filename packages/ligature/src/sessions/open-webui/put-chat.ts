/**
 * A chat with changed messages: in the tree, in the children that each message lists, in the message it goes
 * on from, and in the copy of the active path that the chat keeps beside the tree.
 */
import { asWord, isWire, type Wire } from "../../model/index.ts"
import { listOf } from "../engine/fields.ts"

/** The first chat, where a whole export is given. */
export const entryOf = (value: unknown): Wire => {
  const entry = Array.isArray(value) ? value.find(isWire) : value
  return isWire(entry) ? entry : {}
}

/** The chat itself: exports wrap it in the row it is stored in. */
export const chatOf = (entry: Wire): Wire => (isWire(entry["chat"]) ? entry["chat"] : entry)

interface Nodes {
  readonly nodes: readonly unknown[]
  /** The ids under which the tree keeps them, which a node's own may have ceased to be. */
  readonly keys?: readonly string[]
  /** The tree by id; without it, the chat is a plain list. */
  readonly history?: Wire
}

export const nodesOf = (chat: Wire): Nodes => {
  const { history, messages } = chat
  if (!isWire(history) || !isWire(history["messages"])) return { nodes: listOf(messages) }
  return { nodes: Object.values(history["messages"]), keys: Object.keys(history["messages"]), history }
}

type Ids = Map<unknown, unknown[]>

const note = <Id>(ids: Map<unknown, Id[]>, parent: unknown, child: Id): void => {
  const list = ids.get(parent)
  if (list) list.push(child)
  else ids.set(parent, [child])
}

interface Moves {
  readonly gained: Ids
  readonly lost: Ids
}

const parentsOf = (nodes: readonly unknown[]): ReadonlyMap<unknown, unknown> =>
  new Map(nodes.filter(isWire).map((node) => [node["id"], node["parentId"]]))

const findMoves = (before: ReadonlyMap<unknown, unknown>, after: ReadonlyMap<unknown, unknown>): Moves => {
  const gained: Ids = new Map()
  const lost: Ids = new Map()
  for (const [id, parent] of after) {
    if (before.has(id) && before.get(id) === parent) continue
    note(gained, parent, id)
    if (before.has(id)) note(lost, before.get(id), id)
  }
  for (const [id, parent] of before) if (!after.has(id)) note(lost, parent, id)
  return { gained, lost }
}

/** The children a message lists; what came takes the place of what went. */
const relink = (node: Wire, { gained, lost }: Moves): Wire => {
  const { id, childrenIds } = node
  const came = gained.get(id)
  const went = new Set(lost.get(id))
  if (!came && went.size === 0) return node
  const listed: readonly unknown[] = Array.isArray(childrenIds) ? childrenIds : []
  const place = listed.findIndex((child) => went.has(child))
  const kept = listed.filter((child) => !went.has(child))
  const known = new Set(kept)
  const fresh = (came ?? []).filter((child) => !known.has(child))
  const at = place < 0 ? kept.length : place
  return { ...node, childrenIds: [...kept.slice(0, at), ...fresh, ...kept.slice(at)] }
}

/** The message the chat goes on from now: the last that was added to its end, or the one before what was left out. */
const currentAfter = (current: unknown, before: ReadonlyMap<unknown, unknown>, after: ReadonlyMap<unknown, unknown>): unknown => {
  let id = current
  for (let left = before.size; left > 0 && before.has(id) && !after.has(id); left--) id = before.get(id)
  const children = new Map<unknown, unknown>()
  for (const [child, parent] of after) if (!before.has(child)) children.set(parent, child)
  for (let next = children.get(id); next !== undefined; next = children.get(id)) {
    children.delete(id)
    id = next
  }
  return id
}

/** Messages by the key they had; new ones by their id. Ids that several have do not make one of them. */
const toTree = (previous: Wire, after: readonly unknown[]): Wire => {
  const keys = new Map<unknown, string[]>()
  const own = new Map<unknown, string>()
  const strange: [string, unknown][] = []
  for (const [key, node] of Object.entries(previous)) {
    if (isWire(node)) {
      own.set(node, key)
      note(keys, node["id"], key)
    } else strange.push([key, node])
  }
  const taken = new Set<string>()
  for (const node of after) taken.add(own.get(node) ?? "")
  const entries = after.flatMap((node): readonly [string, unknown][] => {
    if (!isWire(node)) return []
    const key = own.get(node) ?? keys.get(node["id"])?.find((each) => !taken.has(each)) ?? asWord(node["id"])
    taken.add(key)
    return [[key, node]]
  })
  return Object.fromEntries([...entries, ...strange])
}

const toCopies = (copies: readonly unknown[], before: readonly unknown[], after: readonly unknown[]): readonly unknown[] => {
  const old = new Map(before.filter(isWire).map((node) => [node["id"], node]))
  const fresh = new Map<unknown, Wire[]>()
  const now = new Map<unknown, Wire>()
  for (const node of after) {
    if (!isWire(node)) continue
    now.set(node["id"], node)
    if (old.has(node["id"])) continue
    const siblings = fresh.get(node["parentId"])
    if (siblings) siblings.push(node)
    else fresh.set(node["parentId"], [node])
  }
  const list: unknown[] = []
  const addAfter = (id: unknown): void => {
    for (let waiting = fresh.get(id); waiting && waiting.length > 0;) {
      const node = waiting.shift() as Wire
      list.push(node)
      waiting = fresh.get(node["id"])
    }
  }
  addAfter(null)
  for (const copy of copies) {
    const id = isWire(copy) ? copy["id"] : undefined
    const node = now.get(id)
    if (!isWire(copy) || !old.has(id)) list.push(copy)
    else if (node) list.push(node === old.get(id) ? copy : node)
    addAfter(id)
  }
  return list
}

const putIntoChat = (chat: Wire, before: readonly unknown[], written: readonly unknown[]): Wire => {
  const { history } = nodesOf(chat)
  const parentsBefore = parentsOf(before)
  const parentsAfter = parentsOf(written)
  const moves = findMoves(parentsBefore, parentsAfter)
  const after = written.map((node) => (isWire(node) ? relink(node, moves) : node))
  if (!history) return { ...chat, messages: after }
  const currentId = currentAfter(history["currentId"], parentsBefore, parentsAfter)
  const tree = { ...history, messages: toTree(history["messages"] as Wire, after), currentId }
  const copies = chat["messages"]
  return { ...chat, history: tree, ...(Array.isArray(copies) && { messages: toCopies(copies, before, after) }) }
}

const withChat = (value: unknown, change: (chat: Wire) => Wire): unknown => {
  const entry = entryOf(value)
  const chat = chatOf(entry)
  const changed = change(chat)
  const whole = chat === entry ? changed : { ...entry, chat: changed }
  if (!Array.isArray(value)) return whole
  return value.map((each: unknown) => (each === entry ? whole : each))
}

/** The value that was read, with these messages in place of its own. */
export const putIntoValue = (value: unknown, before: readonly unknown[], after: readonly unknown[]): unknown =>
  withChat(value, (chat) => putIntoChat(chat, before, after))

/** The value that was read, with every message of its tree saying the id that it is kept under. */
export const keyedById = (value: unknown): unknown =>
  withChat(value, (chat) => {
    const { history } = nodesOf(chat)
    if (!history) return chat
    const named = Object.entries(history["messages"] as Wire).map(([id, node]): readonly [string, unknown] => [
      id,
      isWire(node) && node["id"] !== id ? { ...node, id } : node,
    ])
    return { ...chat, history: { ...history, messages: Object.fromEntries(named) } }
  })

/** The value that was read, with another prompt in place of the one that is set for the chat. */
export const withPrompt = (value: unknown, before: unknown, words: string): unknown =>
  withChat(value, (chat) => {
    const { params } = chat
    if (isWire(params) && params["system"] === before) return { ...chat, params: { ...params, system: words } }
    return chat["system"] === before ? { ...chat, system: words } : chat
  })

/** The value that was read, with another message that the chat goes on from. */
export const goingOnFrom = (value: unknown, currentId: string): unknown =>
  withChat(value, (chat) => ({ ...chat, history: { ...nodesOf(chat).history, currentId } }))
