/** What a chat says of itself, the branches of its tree, and the chats of an export. */
import { isWire, type Wire } from "../../model/index.ts"
import type { SessionCodec, SessionCompaction, SessionOutline, SessionPath, SessionPlace } from "../../formats/engine/session.ts"
import { textOf } from "../engine/fields.ts"
import { isoOf } from "../engine/iso-time.ts"
import { otherBranches, pathTo, readChatTree } from "./chat-tree.ts"
import { summaryOf } from "./decode.ts"
import { chatOf, entryOf, nodesOf } from "./format.ts"

const titleLength = 60

const promptAmong = (nodes: readonly unknown[], indices: readonly number[]): string | undefined => {
  for (const index of indices) {
    const node = nodes[index]
    const words = isWire(node) && node["role"] === "user" ? textOf(node["content"]) : undefined
    if (words !== undefined) return words.slice(0, titleLength).replaceAll(/\s+/g, " ").trim()
  }
  return undefined
}

const pathsOf = (
  nodes: readonly unknown[],
  chat: Wire,
): { readonly paths: readonly SessionPath[]; readonly active: readonly number[] } => {
  const tree = readChatTree(nodesOf(chat))
  const { path: active } = pathTo(tree, tree.current)
  const idAt = (index: number): string => {
    const link = tree.tree.records[index]
    return (isWire(link) ? textOf(link["id"]) : undefined) ?? String(index)
  }
  const describe = (kind: SessionPath["kind"], leaf: number, own: readonly number[], leaves: number): SessionPath => {
    const title = promptAmong(nodes, own)
    return {
      id: idAt(leaf),
      kind,
      ...(title !== undefined && { title }),
      messages: own.length,
      first: own[0] ?? leaf,
      ...(leaves >= 0 && { leaves }),
    }
  }
  const paths: SessionPath[] = active.length === 0 ? [] : [describe("active", tree.current, active, -1)]
  for (const { leaf, own, leaves } of otherBranches(tree, active)) {
    paths.push(describe("abandoned", leaf, own.toReversed(), leaves))
  }
  return { paths, active }
}

/** Seconds in rows, milliseconds in chats. */
const startOf = (entry: Wire, chat: Wire): string | undefined => {
  const { created_at: seconds } = entry
  if (typeof seconds === "number" && Number.isSafeInteger(seconds)) return isoOf(seconds * 1000)
  const { timestamp } = chat
  return typeof timestamp === "number" && Number.isSafeInteger(timestamp) ? isoOf(timestamp) : undefined
}

export const outline = (value: unknown): SessionOutline => {
  const entry = entryOf(value)
  const chat = chatOf(entry)
  const { nodes } = nodesOf(chat)
  const { paths, active } = pathsOf(nodes, chat)
  const compactions: SessionCompaction[] = []
  let model = Array.isArray(chat["models"]) ? textOf(chat["models"][0]) : undefined
  for (const index of active) {
    const node = nodes[index]
    const summary = summaryOf(node)
    if (summary !== undefined) compactions.push({ record: index, kind: "summary", summary })
    if (isWire(node) && node["role"] === "assistant") model = textOf(node["model"]) ?? model
  }
  const id = textOf(entry["id"]) ?? textOf(chat["id"])
  const title = textOf(entry["title"]) ?? textOf(chat["title"])
  const startedAt = startOf(entry, chat)
  return {
    ...(id !== undefined && { id }),
    ...(title !== undefined && { title }),
    ...(model !== undefined && { model }),
    ...(startedAt !== undefined && { startedAt }),
    paths,
    compactions,
  }
}

/** A chat: the tree of its messages, whose nodes list their children. */
export const isChat = (value: unknown): value is Wire => {
  if (!isWire(value)) return false
  const { nodes, history } = nodesOf(chatOf(value))
  if (history && "currentId" in history) return true
  return nodes.some((node) => isWire(node) && Array.isArray(node["childrenIds"]) && "parentId" in node)
}

export const sessionsIn: NonNullable<SessionCodec["session"]["sessionsIn"]> = (root) => {
  if (!Array.isArray(root)) return isChat(root) ? [{ path: [], value: root }] : []
  return root.flatMap((value: unknown, index) => (isChat(value) ? [{ path: [index], value }] : []))
}

export const place = (): SessionPlace => ({
  path: "chat-export.json",
  resume: "Settings, Data Controls, Import Chats",
  note: "the file lies anywhere; a single chat must stand in a list, `[…]`, to be imported",
})
