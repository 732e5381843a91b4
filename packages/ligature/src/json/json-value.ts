/**
 * Small questions about parsed JSON. Everything here is iterative: a value may be nested deeper than the stack is.
 */

export type JsonObject = Readonly<Record<string, unknown>>

export type Path = readonly (string | number)[]

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Own members only: a key called `__proto__` or `constructor` in a file is a key like any other. */
export function member(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as JsonObject)[key]
}

export function at(value: unknown, path: Path): unknown {
  let current = value
  for (const key of path) current = member(current, key)
  return current
}

export function pointer(path: Path): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
}

export function isDeeperThan(value: unknown, limit: number): boolean {
  const values: unknown[] = [value]
  const depths: number[] = [1]
  while (values.length > 0) {
    const current = values.pop()
    const depth = depths.pop() ?? 0
    if (typeof current !== "object" || current === null) continue
    if (depth > limit) return true
    for (const child of Object.values(current)) {
      if (typeof child !== "object" || child === null) continue
      values.push(child)
      depths.push(depth + 1)
    }
  }
  return false
}

export function isDeepEqual(left: unknown, right: unknown): boolean {
  const lefts: unknown[] = [left]
  const rights: unknown[] = [right]
  while (lefts.length > 0) {
    const one = lefts.pop()
    const other = rights.pop()
    if (one === other) continue
    if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
    if (Array.isArray(one) !== Array.isArray(other)) return false
    const keys = Object.keys(one)
    if (keys.length !== Object.keys(other).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(other, key)) return false
      lefts.push((one as JsonObject)[key])
      rights.push((other as JsonObject)[key])
    }
  }
  return true
}
