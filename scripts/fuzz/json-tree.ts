/** Walking and changing JSON values of any depth. Nothing here recurses: inputs are nested as deep as a mutation likes. */
export type Tree = Record<string, unknown> | unknown[]

export interface Spot {
  readonly parent: Tree
  readonly key: string | number
  readonly depth: number
}

export const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null

export const valueAt = ({ parent, key }: Spot): unknown => (parent as Record<string | number, unknown>)[key]

/** Also where the key is `__proto__`, which an assignment would not store. */
export const setAt = ({ parent, key }: Spot, value: unknown): void => {
  if (key === "__proto__") Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true })
  else (parent as Record<string | number, unknown>)[key] = value
}

export const removeAt = ({ parent, key }: Spot): void => {
  if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else delete parent[key]
}

const keysOf = (tree: Tree): readonly (string | number)[] => (Array.isArray(tree) ? [...tree.keys()] : Object.keys(tree))

/** Every place below the root, parents first; at most `most` of them. */
export const spotsIn = (root: unknown, most = 20_000): readonly Spot[] => {
  const spots: Spot[] = []
  if (!isTree(root)) return spots
  const open: { readonly tree: Tree; readonly depth: number }[] = [{ tree: root, depth: 1 }]
  for (let next = open.pop(); next && spots.length < most; next = open.pop()) {
    for (const key of keysOf(next.tree)) {
      const spot = { parent: next.tree, key, depth: next.depth }
      spots.push(spot)
      const value = valueAt(spot)
      if (isTree(value)) open.push({ tree: value, depth: next.depth + 1 })
    }
  }
  return spots
}

/** A copy that shares nothing, `__proto__` keys included. */
export const cloned = (root: unknown): unknown => {
  if (!isTree(root)) return root
  const copy: Tree = Array.isArray(root) ? [] : {}
  const open: [Tree, Tree][] = [[root, copy]]
  for (let next = open.pop(); next; next = open.pop()) {
    const [from, to] = next
    for (const key of keysOf(from)) {
      const value = (from as Record<string | number, unknown>)[key]
      const made: unknown = isTree(value) ? (Array.isArray(value) ? [] : {}) : value
      setAt({ parent: to, key, depth: 0 }, made)
      if (isTree(value)) open.push([value, made as Tree])
    }
  }
  return copy
}

/** Frozen all the way down: who changes its input is thrown at. */
export const frozen = <Value>(root: Value): Value => {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const next = open.pop()
    if (!isTree(next) || Object.isFrozen(next)) continue
    Object.freeze(next)
    for (const value of Object.values(next)) if (isTree(value)) open.push(value)
  }
  return root
}

export const depthOf = (root: unknown): number => spotsIn(root).reduce((most, { depth }) => Math.max(most, depth), 0)

/** JSON text of a value of any depth. */
export const jsonOf = (root: unknown): string => {
  try {
    return JSON.stringify(root) ?? "null"
  } catch (error) {
    // After some thousand levels.
    if (!(error instanceof RangeError)) throw error
    return deepJsonOf(root)
  }
}

const deepJsonOf = (root: unknown): string => {
  const written: string[] = []
  const open: (() => void)[] = []
  const write = (value: unknown): void => {
    if (!isTree(value)) return void written.push(JSON.stringify(value) ?? "null")
    const [first, last] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
    const keys = keysOf(value).filter((key) => Array.isArray(value) || valueAt({ parent: value, key, depth: 0 }) !== undefined)
    written.push(first)
    open.push(() => void written.push(last))
    for (const [index, key] of [...keys.entries()].reverse()) {
      open.push(() => {
        if (index > 0) written.push(",")
        if (typeof key === "string") written.push(`${JSON.stringify(key)}:`)
        write(valueAt({ parent: value, key, depth: 0 }))
      })
    }
  }
  write(root)
  for (let next = open.pop(); next; next = open.pop()) next()
  return written.join("")
}
