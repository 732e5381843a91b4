/** Reading fields of wire values that may be anything. */
import { isWire, type Wire } from "../../../model/index.ts"

export const stringOf = (value: unknown): string => (typeof value === "string" ? value : "")

export const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

export const wireOf = (value: unknown): Wire => (isWire(value) ? value : {})

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** `{ [name]: value }` for the values that are numbers. */
export const counts = <Name extends string>(
  given: Readonly<Record<Name, unknown>>,
): { readonly [Key in Name]?: number } => {
  const found: Partial<Record<Name, number>> = {}
  for (const name in given) {
    const value = given[name]
    if (typeof value === "number") found[name] = value
  }
  return found
}
