/** The tree of a chat: parents as messages name them, or, where a parent is not there, as it names its children. */
import { isWire, type Wire } from "../../../model/index.ts"
import { textOf } from "../fields.ts"
import { type Branch, branchesOf } from "../tree/branches.ts"
import { readTree, type Tree } from "../tree/read-tree.ts"
import { type Walk, walkTo } from "../tree/walk.ts"
import type { Nodes } from "./format.ts"

/** Child → the message that lists it among its children. */
const listedParents = (nodes: readonly unknown[], ids: readonly unknown[]): ReadonlyMap<unknown, string> => {
  const parents = new Map<unknown, string>()
  nodes.forEach((node, index) => {
    const id = ids[index]
    if (!isWire(node) || typeof id !== "string" || !Array.isArray(node["childrenIds"])) return
    for (const child of node["childrenIds"] as readonly unknown[]) if (!parents.has(child)) parents.set(child, id)
  })
  return parents
}

/** What the tree is built of: ids and parents alone. */
const linksOf = ({ nodes, keys }: Nodes): readonly (Wire | undefined)[] => {
  const ids: readonly unknown[] = keys ?? nodes.map((node) => (isWire(node) ? node["id"] : undefined))
  const known = new Set(ids)
  const listed = listedParents(nodes, ids)
  return nodes.map((node, index) => {
    if (!isWire(node)) return undefined
    const { parentId } = node
    const id = ids[index]
    const isThere = parentId === null || known.has(parentId)
    const parent = isThere ? parentId : (listed.get(id) ?? parentId)
    return { id, message: node, ...(parent !== undefined && { parentId: parent }) }
  })
}

export interface ChatTree {
  readonly tree: Tree
  /** Where the chat stands; -1 for an empty one. */
  readonly current: number
  readonly lost: boolean
}

export const readChatTree = (all: Nodes): ChatTree => {
  const { currentId, history } = all
  const tree = readTree(linksOf(all))
  const id = textOf(currentId)
  const current = id === undefined ? undefined : tree.byId.get(id)
  return {
    tree,
    current: current ?? tree.tip,
    lost: history !== undefined && current === undefined && tree.tip >= 0,
  }
}

export const pathTo = ({ tree }: ChatTree, leaf: number): Walk => walkTo(tree, leaf)

export const otherBranches = ({ tree }: ChatTree, active: readonly number[]): readonly Branch[] =>
  branchesOf(tree, active)
