/** The tree of a chat: parents as messages name them, or, where a parent is not there, as it names its children. */
import { asWord, isWire, type Wire } from "../../model/index.ts"
import { sameElements } from "../../formats/engine/codec.ts"
import { textOf } from "../engine/fields.ts"
import { type Branch, branchesOf } from "../engine/branches.ts"
import { nameOfLeaf, none, readTree, type Tree } from "../engine/read-tree.ts"
import { type Linking, type Links, relinked } from "../engine/relink.ts"
import { type Walk, walkTo } from "../engine/walk.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { anomaly } from "../engine/anomaly.ts"
import { format, type Nodes } from "./format.ts"

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

interface Linked {
  /** What the tree is built of: ids and parents alone. */
  readonly links: readonly (Wire | undefined)[]
  /** Messages that only another one names as its child. */
  readonly adopted: ReadonlySet<number>
}

const linksOf = ({ nodes, keys }: Nodes): Linked => {
  const ids: readonly unknown[] = keys ?? nodes.map((node) => (isWire(node) ? node["id"] : undefined))
  const known = new Set(ids)
  const listed = listedParents(nodes, ids)
  const adopted = new Set<number>()
  const links = nodes.map((node, index) => {
    if (!isWire(node)) return undefined
    const { parentId } = node
    const id = ids[index]
    const lister = parentId === null || known.has(parentId) ? undefined : listed.get(id)
    if (lister !== undefined) adopted.add(index)
    const parent = lister ?? parentId
    return { id, message: node, ...(parent !== undefined && { parentId: parent }) }
  })
  return { links, adopted }
}

export interface ChatTree {
  readonly tree: Tree
  /** Where the chat stands; -1 for an empty one. */
  readonly current: number
  readonly lost: boolean
  readonly adopted: ReadonlySet<number>
}

export const readChatTree = (all: Nodes): ChatTree => {
  const { currentId, history } = all
  const { links, adopted } = linksOf(all)
  const tree = readTree(links)
  const id = textOf(currentId)
  // A message without a name is none to stand at, unless it is the last one, which the chat stands at anyway.
  const current = id === undefined ? undefined : tree.byId.get(id)
  const isTip = tree.tip >= 0 && currentId === nameOfLeaf(tree, tree.tip)
  return {
    tree,
    current: current ?? tree.tip,
    lost: history !== undefined && current === undefined && tree.tip >= 0 && !isTip,
    adopted,
  }
}

export const pathTo = ({ tree, adopted }: ChatTree, leaf: number): Walk => {
  const walk = walkTo(tree, leaf)
  const found = walk.path.filter((index) => adopted.has(index) && !walk.links.has(index))
  if (found.length === 0) return walk
  const links = new Map(walk.links)
  for (const index of found) links.set(index, tree.parents[index] ?? none)
  const diagnostics = found.map((index) => {
    const { id } = tree.records[index] as Wire
    const what = `Message ${asWord(id)} is listed as a child, but names another parent, which is not in the chat`
    return anomaly("dangling-parent", { path: `history.messages.${asWord(id)}` }, what, [asWord(id)])
  })
  return { ...walk, links, diagnostics: [...walk.diagnostics, ...diagnostics] }
}

/** Of a link, which is all that the tree knows of a message. */
const linking: Linking = {
  id: "id",
  parent: "parentId",
  newId: (...seed) => deriveUuid(format, ...seed),
}

/** The messages with links that lead through; the very same list where they do. */
export const relinkedNodes = (nodes: readonly unknown[], tree: Tree, links: Links): readonly unknown[] => {
  const linked = relinked(tree, links, linking)
  const changed = nodes.map((node, index) => {
    const link = linked[index]
    if (!isWire(node) || !isWire(link) || (link === tree.records[index] && !links.has(index))) return node
    const id = link["id"] ?? node["id"]
    const parentId = link["parentId"] ?? null
    return node["id"] === id && node["parentId"] === parentId ? node : { ...node, id, parentId }
  })
  return sameElements(changed, nodes) ? nodes : changed
}

export const otherBranches = ({ tree }: ChatTree, active: readonly number[]): readonly Branch[] =>
  branchesOf(tree, active)
