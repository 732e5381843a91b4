/** Reading and writing single fields of wire values that may be anything: what every format needs, said once. */
import { type CallBlock, isWire, parseJson, type Role, type Wire } from "../../model/index.ts"

/** The arguments as JSON text: as they came where they came as text and were sound. */
export const writeArgumentsText = (call: CallBlock): string =>
  call.raw !== undefined && call.fault === undefined ? call.raw : JSON.stringify(call.arguments)

// Reading fields of wire values that may be anything.

export const stringOf = (value: unknown): string => (typeof value === "string" ? value : "")

export const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

export const asWire = (value: unknown): Wire | undefined => (isWire(value) ? value : undefined)

export const wireOf = (value: unknown): Wire => (isWire(value) ? value : {})

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** A list; one thing that is none counts as a list of it, and nothing as an empty one. */
export const asList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** `{ [name]: value }` for the values that are numbers. */
export const counts = <Name extends string>(given: Readonly<Record<Name, unknown>>): { readonly [Key in Name]?: number } => {
  const found: Partial<Record<Name, number>> = {}
  for (const name in given) {
    const value = given[name]
    if (typeof value === "number") found[name] = value
  }
  return found
}

/**
 * An id as text. Some writers number their calls: such a number names its call as well as its digits do, and the text of
 * one side may be beside the number of the other. What is neither names nothing.
 */
export const idText = (value: unknown): string => {
  if (typeof value === "string") return value
  return typeof value === "number" ? String(value) : ""
}

/** A wire value whose fields have the names of the format. `names`: from the name it has to the name it should have. */
export const renameFields = (wire: Wire, names: ReadonlyMap<string, string>): Wire => {
  const replaced = new Set(names.values())
  const entries = Object.entries(wire).flatMap(([key, value]): readonly (readonly [string, unknown])[] => {
    const name = names.get(key)
    if (name !== undefined) return [[name, value]]
    return replaced.has(key) ? [] : [[key, value]]
  })
  return Object.fromEntries(entries)
}

// Names of speakers that trainers and frameworks write, and the usual ones in another case: no server takes them, nobody misreads them. Decoders ask
// here about a role that is not of their format, and report it.

/** The roles as most formats name them. */
export const usualRoles: ReadonlyMap<unknown, Role> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "tool"],
])

const aliases: ReadonlyMap<string, Role> = new Map([
  ["assistant", "assistant"],
  ["agent", "assistant"],
  ["ai", "assistant"],
  ["model", "assistant"],
  ["user", "user"],
  ["human", "user"],
  ["system", "system"],
  ["developer", "system"],
  ["tool", "tool"],
  ["function", "tool"],
])

/** Frameworks name the speaker by the type of the message: `human`, `AIMessage`. */
export const speakerOf = ({ role, type }: Wire): Role | undefined =>
  roleAlias(role) ?? (typeof type === "string" ? roleAlias(type.replace(/Message$/, "")) : undefined)

export const roleAlias = (role: unknown): Role | undefined => (typeof role === "string" ? aliases.get(role.toLowerCase()) : undefined)

/** `tool_calls` that a database gave back as the text it keeps; undefined where it is no such text. */
export const callsInText = (calls: unknown): readonly unknown[] | undefined => {
  const value = typeof calls === "string" ? parseJson(calls) : undefined
  if (isWire(value)) return [value]
  return Array.isArray(value) ? value : undefined
}
