/** The tree of a chat: parents as messages name them, or, where a parent is not there, as it names its children. */
import { isWire, type Wire } from "../../../model/index.ts"
import { type Branch, branchesOf, readTree, type Tree, type Walk, walkTo } from "../pi/tree.ts"
import { type Nodes, textOf } from "./format.ts"

/** Child → the message that lists it among its children. */
const listedParents = (nodes: readonly unknown[]): ReadonlyMap<unknown, string> => {
  const parents = new Map<unknown, string>()
  for (const node of nodes) {
    if (!isWire(node) || typeof node["id"] !== "string" || !Array.isArray(node["childrenIds"])) continue
    for (const child of node["childrenIds"] as readonly unknown[]) {
      if (!parents.has(child)) parents.set(child, node["id"])
    }
  }
  return parents
}

/** What the tree is built of: ids and parents alone. */
const linksOf = (nodes: readonly unknown[]): readonly Wire[] => {
  const ids = new Set<unknown>()
  for (const node of nodes) if (isWire(node)) ids.add(node["id"])
  const listed = listedParents(nodes)
  return nodes.map((node) => {
    if (!isWire(node)) return { type: "session" }
    const { id, parentId } = node
    const isThere = parentId === null || ids.has(parentId)
    const parent = isThere ? parentId : (listed.get(id) ?? parentId)
    return { id, ...(parent !== undefined && { parentId: parent }) }
  })
}

export interface ChatTree {
  readonly tree: Tree
  readonly links: readonly Wire[]
  /** Where the chat stands; -1 for an empty one. */
  readonly current: number
  readonly lost: boolean
}

export const readChatTree = ({ nodes, currentId, history }: Nodes): ChatTree => {
  const links = linksOf(nodes)
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
