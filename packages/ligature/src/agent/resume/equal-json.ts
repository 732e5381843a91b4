/** Whether two JSON values say the same, whatever the order of their fields. */
import { isWire } from "../../model/index.ts"

export const equalJson = (left: unknown, right: unknown): boolean => {
  if (left === right) return true
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false
    return left.every((value, index) => equalJson(value, right[index]))
  }
  if (!isWire(left) || !isWire(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && equalJson(left[key], right[key]))
}
