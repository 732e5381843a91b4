/**
 * Checks the arguments of a call against the JSON Schema of its tool: the subset that tools use. Unknown keywords are
 * ignored, as the specification demands. It never throws and its work is bounded, whatever schema and value are: where the
 * bounds are reached (a `$ref` that leads back to itself, unions inside unions), the rest counts as valid, because a
 * tool that runs on arguments nobody could check is what happened before there were checks. Which patterns are not
 * checked says `pattern.ts`; `patternProperties`, `format`, `not`, `if`, `multipleOf` and `uniqueItems` are not either.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { matchesPattern } from "./pattern.ts"

export interface SchemaIssue {
  /** Names and indices from the arguments to the value at fault. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

const deepest = 100
const mostSteps = 200_000
const mostIssues = 10
const longestShown = 100
const longestReference = 1_000
const mostTypes = 10

interface Work {
  readonly root: unknown
  steps: number
}

type Path = readonly (string | number)[]

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value
}

const hasType = (value: unknown, type: unknown): boolean => {
  const found = typeOf(value)
  return found === type || (type === "number" && found === "integer")
}

const isText = (value: unknown): value is string => typeof value === "string"
const isNumber = (value: unknown): value is number => typeof value === "number"
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Equal as JSON; every comparison counts as a step, so that large constants cannot make the check slow. */
const equal = (left: unknown, right: unknown, work: Work, depth = 0): boolean => {
  if (left === right) return true
  if (++work.steps > mostSteps || depth > deepest) return false
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
    return left.every((value, index) => equal(value, right[index], work, depth + 1))
  }
  if (!isWire(left) || !isWire(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && equal(left[key], right[key], work, depth + 1))
}

/** A value for a message: at most about 100 characters, however large or deep it is. */
const shown = (value: unknown, room = longestShown, depth = 0): string => {
  if (isText(value)) return JSON.stringify(value.length > room ? `${value.slice(0, room)}…` : value)
  if (typeof value !== "object" || value === null) return String(value)
  const isList = Array.isArray(value)
  const parts: string[] = []
  let left = room
  for (const key of depth > 5 ? ["…"] : Object.keys(value)) {
    if (depth > 5 || left <= 0) {
      parts.push("…")
      break
    }
    const inner = shown((value as Wire)[key], left, depth + 1)
    const part = isList ? inner : `${shown(key, left)}:${inner}`
    parts.push(part)
    left -= part.length + 1
  }
  return isList ? `[${parts.join(",")}]` : `{${parts.join(",")}}`
}

const brief = (text: string): string => (text.length > longestShown ? `${text.slice(0, longestShown)}…` : text)

/** Adds issues up to the number that is told. */
const addTo = (issues: SchemaIssue[], more: readonly SchemaIssue[]): void => {
  for (const issue of more) if (issues.length < mostIssues) issues.push(issue)
}

const resolve = (reference: string, { root }: Work): unknown => {
  if (!reference.startsWith("#") || reference.length > longestReference) return undefined
  let found: unknown = root
  for (const part of reference.slice(1).split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Wire)[key]
  }
  return found
}

const textIssues = (value: string, schema: Wire, work: Work): readonly string[] => {
  const { minLength, maxLength, pattern } = schema
  // Both go through the whole text, for each schema that asks for it.
  if (minLength !== undefined || maxLength !== undefined || pattern !== undefined) work.steps += value.length >> 6
  const length = isNumber(minLength) || isNumber(maxLength) ? [...value].length : 0
  return [
    ...(isNumber(minLength) && length < minLength ? [`expected at least ${minLength} characters, got ${length}`] : []),
    ...(isNumber(maxLength) && length > maxLength ? [`expected at most ${maxLength} characters, got ${length}`] : []),
    ...(isText(pattern) && matchesPattern(value, pattern) === false ? [`expected text that matches ${brief(pattern)}`] : []),
  ]
}

const numberIssues = (value: number, schema: Wire): readonly string[] => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  return [
    ...(isNumber(minimum) && value < minimum ? [`expected at least ${minimum}, got ${value}`] : []),
    ...(isNumber(maximum) && value > maximum ? [`expected at most ${maximum}, got ${value}`] : []),
    ...(isNumber(exclusiveMinimum) && value <= exclusiveMinimum ? [`expected more than ${exclusiveMinimum}, got ${value}`] : []),
    ...(isNumber(exclusiveMaximum) && value >= exclusiveMaximum ? [`expected less than ${exclusiveMaximum}, got ${value}`] : []),
  ]
}

const objectIssues = (value: Wire, schema: Wire, path: Path, work: Work, depth: number): readonly SchemaIssue[] => {
  const { properties, required, additionalProperties } = schema
  const known: Wire = isWire(properties) ? properties : {}
  const issues: SchemaIssue[] = []
  for (const name of listOf(required)) {
    if (issues.length >= mostIssues || ++work.steps > mostSteps) break
    if (isText(name) && !Object.hasOwn(value, name)) issues.push({ path: [...path, name], message: "is required" })
  }
  const mayBeOthers = isWire(schema["patternProperties"])
  const names = Object.keys(value)
  work.steps += names.length
  for (const name of names) {
    if (issues.length >= mostIssues || work.steps > mostSteps) break
    const at = [...path, name]
    if (Object.hasOwn(known, name)) addTo(issues, issuesOf(value[name], known[name], at, work, depth + 1))
    else if (mayBeOthers) continue
    else if (additionalProperties === false) issues.push({ path: at, message: "is not a known property" })
    else addTo(issues, issuesOf(value[name], additionalProperties, at, work, depth + 1))
  }
  return issues
}

const listIssues = (value: readonly unknown[], schema: Wire, path: Path, work: Work, depth: number): readonly SchemaIssue[] => {
  const { items, prefixItems, minItems, maxItems } = schema
  const issues: SchemaIssue[] = []
  if (isNumber(minItems) && value.length < minItems)
    issues.push({ path, message: `expected at least ${minItems} items, got ${value.length}` })
  if (isNumber(maxItems) && value.length > maxItems)
    issues.push({ path, message: `expected at most ${maxItems} items, got ${value.length}` })
  const first = listOf(prefixItems ?? (Array.isArray(items) ? items : undefined))
  for (const [index, inner] of value.entries()) {
    if (issues.length >= mostIssues || work.steps > mostSteps) break
    const own = index < first.length ? first[index] : Array.isArray(items) ? undefined : items
    addTo(issues, issuesOf(inner, own, [...path, index], work, depth + 1))
  }
  return issues
}

const unionIssues = (value: unknown, schema: Wire, path: Path, work: Work, depth: number): readonly SchemaIssue[] => {
  const { anyOf, oneOf, allOf } = schema
  const issues: SchemaIssue[] = []
  for (const each of listOf(allOf)) addTo(issues, issuesOf(value, each, path, work, depth + 1))
  for (const [choices, isOne] of [
    [anyOf, false],
    [oneOf, true],
  ] as const) {
    if (!Array.isArray(choices) || choices.length === 0) continue
    const failures = choices.map((each) => issuesOf(value, each, path, work, depth + 1))
    if (work.steps > mostSteps) continue
    const fitting = failures.filter((failed) => failed.length === 0).length
    if (isOne && fitting > 1) issues.push({ path, message: `expected exactly one of ${choices.length} forms, fits ${fitting}` })
    if (fitting > 0) continue
    // The form that comes closest says more than that none fits.
    const closest = failures.toSorted((one, other) => one.length - other.length)[0] ?? []
    addTo(issues, [{ path, message: `fits none of ${choices.length} forms` }, ...closest])
  }
  return issues
}

const issuesOf = (value: unknown, schema: unknown, path: Path, work: Work, depth: number): readonly SchemaIssue[] => {
  if (schema === false) return [{ path, message: "is not allowed" }]
  if (!isWire(schema) || depth > deepest || ++work.steps > mostSteps) return []
  if (value === null && schema["nullable"] === true) return []
  const { $ref: reference, type, enum: choices } = schema
  const issues: SchemaIssue[] = []
  const say = (message: string): void => void issues.push({ path, message })
  if (isText(reference)) addTo(issues, issuesOf(value, resolve(reference, work), path, work, depth + 1))
  const types = isText(type) ? [type] : listOf(type).slice(0, mostTypes).filter(isText)
  if (types.length > 0 && !types.some((each) => hasType(value, each))) {
    return [...issues, { path, message: `expected ${brief(types.join(" or "))}, got ${typeOf(value)}` }]
  }
  if (Array.isArray(choices) && !choices.some((each) => equal(value, each, work)) && work.steps <= mostSteps) {
    say(`expected one of ${shown(choices)}, got ${shown(value)}`)
  }
  if (Object.hasOwn(schema, "const") && !equal(value, schema["const"], work) && work.steps <= mostSteps) {
    say(`expected ${shown(schema["const"])}, got ${shown(value)}`)
  }
  if (isText(value)) for (const message of textIssues(value, schema, work)) say(message)
  else if (isNumber(value)) for (const message of numberIssues(value, schema)) say(message)
  else if (Array.isArray(value)) addTo(issues, listIssues(value, schema, path, work, depth))
  else if (isWire(value)) addTo(issues, objectIssues(value, schema, path, work, depth))
  addTo(issues, unionIssues(value, schema, path, work, depth))
  return issues
}

/** What is wrong with a value, the first ten things of it; empty: it is valid, as far as this check goes. */
export const schemaIssues = (value: unknown, schema: unknown): readonly SchemaIssue[] => {
  try {
    return issuesOf(value, schema, [], { root: schema, steps: 0 }, 0)
  } catch {
    // A getter or proxy in a schema that is no plain data.
    return []
  }
}
