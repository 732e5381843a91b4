/**
 * Makes a failing input small: leaves out and simplifies as long as the same failure shows. Greedy, largest pieces first, and
 * bounded by a number of tries, since a failure that is hard to shrink must not eat the time for finding others.
 */
import { Buffer } from "node:buffer"
import { cloned, isTree, jsonOf, removeAt, setAt, type Spot, spotsIn, valueAt } from "./json-tree.ts"

export type StillFails<Value> = (value: Value) => Promise<boolean>

/** Simpler values to put in the place of this one, simplest first. */
const simpler = (value: unknown): readonly unknown[] => {
  if (typeof value === "string") {
    if (value === "") return []
    const half = Math.floor(value.length / 2)
    return value.length === 1 ? [""] : ["", "a", value.slice(0, half), value.slice(half)].filter((text) => text !== value)
  }
  if (Array.isArray(value)) return value.length === 1 ? [value[0], []] : [[]]
  if (isTree(value)) return [{}, ...Object.values(value).filter(isTree).slice(0, 3)]
  return value === 0 || value === null ? [] : [0]
}

const size = (value: unknown): number => jsonOf(value).length

const change = (holder: { value: unknown }, index: number, apply: (spot: Spot) => void): unknown => {
  const copy = { value: cloned(holder.value) }
  const spot = spotsIn(copy)[index]
  if (spot) apply(spot)
  return copy.value
}

export const shrunkJson = async (given: unknown, stillFails: StillFails<unknown>, tries = 2500): Promise<unknown> => {
  const holder = { value: cloned(given) }
  let left = tries
  const attempt = async (candidate: unknown): Promise<boolean> => {
    if (left-- <= 0 || size(candidate) >= size(holder.value) || !(await stillFails(cloned(candidate)))) return false
    holder.value = candidate
    return true
  }
  for (let before = -1; before !== size(holder.value) && left > 0;) {
    before = size(holder.value)
    // Halves of lists first: most of a history has nothing to do with a failure.
    for (let index = 0; index < spotsIn(holder).length && left > 0; index++) {
      const spot = spotsIn(holder)[index]
      const held = spot && valueAt(spot)
      if (!Array.isArray(held) || held.length < 2) continue
      for (let width = Math.ceil(held.length / 2), at = 0; width >= 1 && left > 0;) {
        const list = valueAt(spotsIn(holder)[index] ?? { parent: [], key: 0, depth: 0 })
        if (!Array.isArray(list)) break
        if (at >= list.length) [width, at] = [width === 1 ? 0 : Math.ceil(width / 2), 0]
        else if (!(await attempt(change(holder, index, (found) => void (valueAt(found) as unknown[]).splice(at, width))))) at += width
      }
    }
    for (let index = 1; index < spotsIn(holder).length && left > 0;) {
      if (!(await attempt(change(holder, index, removeAt)))) index++
    }
    for (let index = 0; index < spotsIn(holder).length && left > 0; index++) {
      const spot = spotsIn(holder)[index]
      for (const candidate of spot ? simpler(valueAt(spot)) : []) {
        if (await attempt(change(holder, index, (found) => setAt(found, cloned(candidate))))) break
      }
    }
  }
  return holder.value
}

export const shrunkBytes = async (given: Buffer, stillFails: StillFails<Buffer>, tries = 1500): Promise<Buffer> => {
  let bytes = given
  let left = tries
  for (let width = Math.ceil(bytes.length / 2); width >= 1 && left > 0; width = width === 1 ? 0 : Math.ceil(width / 2)) {
    for (let at = 0; at < bytes.length && left > 0; left--) {
      const candidate = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + width)])
      if (await stillFails(candidate)) bytes = candidate
      else at += width
    }
  }
  return bytes
}
