/** The tree of a chat: parents as messages name them, or, where a parent is not there, as it names its children. */
import { isWire, type Wire } from "../../../model/index.ts"
import { type Branch, branchesOf, readTree, type Tree, type Walk, walkTo } from "../pi/tree.ts"
import { type Nodes, textOf } from "./format.ts"

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
const linksOf = ({ nodes, keys }: Nodes): readonly Wire[] => {
  const ids: readonly unknown[] = keys ?? nodes.map((node) => (isWire(node) ? node["id"] : undefined))
  const known = new Set(ids)
  const listed = listedParents(nodes, ids)
  return nodes.map((node, index) => {
    if (!isWire(node)) return { type: "session" }
    const { parentId } = node
    const id = ids[index]
    const isThere = parentId === null || known.has(parentId)
    const parent = isThere ? parentId : (listed.get(id) ?? parentId)
    return { id, message: node, ...(parent !== undefined && { parentId: parent }) }
  })
}

export interface ChatTree {
  readonly tree: Tree
  readonly links: readonly Wire[]
  /** Where the chat stands; -1 for an empty one. */
  readonly current: number
  readonly lost: boolean
}

export const readChatTree = (all: Nodes): ChatTree => {
  const { currentId, history } = all
  const links = linksOf(all)
  const tree = readTree(links)
  const id = textOf(currentId)
  const current = id === undefined ? undefined : tree.byId.get(id)
  return {
    tree,
    links,
    current: current ?? tree.tip,
    lost: history !== undefined && current === undefined && tree.tip >= 0,
  }
}

export const pathTo = ({ tree, links }: ChatTree, leaf: number): Walk => walkTo(tree, leaf, links)

export const otherBranches = ({ tree }: ChatTree, active: readonly number[]): readonly Branch[] =>
  branchesOf(tree, active)
