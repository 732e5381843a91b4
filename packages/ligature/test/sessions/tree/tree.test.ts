import { describe, expect, it } from "vitest"
import { branchesOf } from "../../../src/sessions/engine/outline-session.ts"
import { leafNamed, nameOfLeaf, readTree as readAnyTree, type Tree } from "../../../src/sessions/engine/read-tree.ts"
import { walkTo } from "../../../src/sessions/engine/walk.ts"
import { isWire, type Wire } from "../../../src/model/index.ts"

const entry = (id: string, parentId: string | null, message = id): Wire => ({ id, parentId, message })

const readTree = (records: readonly Wire[]): Tree =>
  readAnyTree(records, {
    isEntry: isWire,
    idOf: ({ id }) => (typeof id === "string" ? id : undefined),
    parentOf: ({ parentId }) => parentId,
    saying: ({ message }) => [message],
  })

describe("the tree of a session", () => {
  it("leads from the last record to the root, and names what hangs beside", () => {
    const tree = readTree([entry("a", null), entry("b", "a"), entry("c", "b"), entry("d", "a")])
    const { path } = walkTo(tree, tree.tip)
    expect(path).toEqual([0, 3])
    expect(branchesOf(tree, path)).toEqual([{ leaf: 2, own: [2, 1], leaves: 0 }])
  })

  it("goes on in file order where a parent is missing or its own ancestor, and says so", () => {
    const tree = readTree([entry("a", null), entry("b", "gone"), entry("c", "d"), entry("d", "c")])
    const { path, diagnostics } = walkTo(tree, tree.tip)
    expect(path).toEqual([0, 1, 2, 3])
    expect(diagnostics.map(({ rule }) => rule)).toEqual(["dangling-parent", "parent-cycle"])
  })

  it("reads a record that is there twice where it is last", () => {
    const tree = readTree([entry("a", null), entry("b", "a"), entry("b", "a"), entry("c", "b")])
    expect([walkTo(tree, tree.tip).path, tree.repeated, [...tree.collapsed]]).toEqual([[0, 2, 3], [1], []])
  })

  it("reads all records of one id, each hanging on the nearest before, under names of their own", () => {
    const tree = readTree([entry("x", null, "one"), entry("x", "x", "two"), entry("x", "x", "three")])
    expect([walkTo(tree, tree.tip).path, tree.repeated, [...tree.collapsed]]).toEqual([[0, 1, 2], [], ["x"]])
    const names = [0, 1, 2].map((index) => nameOfLeaf(tree, index))
    expect(names).toEqual(["#0", "#1", "x"])
    expect(names.map((name) => leafNamed(tree, name))).toEqual([0, 1, 2])
  })
})
