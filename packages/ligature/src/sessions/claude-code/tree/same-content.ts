/** Whether two records say the same. Keeps a list of its own on the way: content may be nested as deep as it likes. */
import { isWire, type Wire } from "../../../model/index.ts"
import { contentOf } from "./record.ts"

const sameValue = (left: unknown, right: unknown): boolean => {
  const pairs: [unknown, unknown][] = [[left, right]]
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [one, other] = pair
    if (Object.is(one, other)) continue
    if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
      one.forEach((each, index) => pairs.push([each, other[index]]))
    } else if (isWire(one) && isWire(other)) {
      const keys = Object.keys(one)
      if (keys.length !== Object.keys(other).length || !keys.every((key) => Object.hasOwn(other, key))) return false
      for (const key of keys) pairs.push([one[key], other[key]])
    } else return false
  }
  return true
}

export const sameRecord = (left: Wire, right: Wire): boolean => sameValue(left, right)

export const sameContent = (left: Wire, right: Wire): boolean =>
  left["type"] === right["type"] && sameValue(contentOf(left), contentOf(right))
