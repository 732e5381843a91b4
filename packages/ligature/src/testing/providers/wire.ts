/**
 * Looking at JSON values of unknown shape. `undefined` counts as absent everywhere, because a body that is judged
 * before it is serialised may hold keys that JSON would leave out.
 */

export type WireObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** The first key that is not in the allow-list. */
export function unknownKey(value: WireObject, allowed: ReadonlySet<string>): string | undefined {
  for (const key in value) {
    if (!allowed.has(key) && value[key] !== undefined) return key
  }
  return undefined
}

/** Whether a text is empty or only whitespace; looks at the first visible character and no further. */
export function isBlank(text: string): boolean {
  return !/\S/u.test(text)
}

/** How the OpenAI family names the type of a value. */
export function typeName(value: unknown): string {
  if (value === undefined || value === null) return "null"
  if (Array.isArray(value)) return "an array"
  switch (typeof value) {
    case "string":
      return "a string"
    case "number":
      return Number.isInteger(value) ? "an integer" : "a decimal"
    case "boolean":
      return "a boolean"
    default:
      return "an object"
  }
}

/** Whether a text is the JSON of an object; the usual empty object is recognised without parsing. */
export function parsesToObject(text: string): boolean {
  if (text === "{}") return true
  try {
    return isObject(JSON.parse(text))
  } catch {
    return false
  }
}
