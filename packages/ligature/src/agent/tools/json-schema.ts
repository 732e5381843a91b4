/**
 * Checks the arguments of a call against the JSON Schema of its tool: the subset that tools use. Unknown keywords are
 * ignored, as the specification demands. It never throws and its work is bounded, whatever schema and value are: where the
 * bounds are reached (a `$ref` that leads back to itself, unions inside unions), the rest counts as valid, because a
 * tool that runs on arguments nobody could check is what happened before there were checks.
 */
import { isWire, type Wire } from "../../model/index.ts"

export interface SchemaIssue {
  /** Names and indices from the arguments to the value at fault. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

const deepest = 100
const mostSteps = 200_000
const mostIssues = 10
const longestPattern = 500

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

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/**
 * How long a text may be for a pattern, so that matching takes at most about 10⁸ steps; 0: the pattern is not used.
 * A repetition of something that itself repeats or chooses takes exponential time, and a back-reference may; each
 * other open repetition adds one factor of the length.
 */
const longestText = (pattern: string): number => {
  if (pattern.length > longestPattern || /\\[1-9k]/.test(pattern)) return 0
  const plain = pattern.replaceAll(/\\./gs, "x").replaceAll(/\[[^\]]*\]/g, "x")
  const open: boolean[] = [false]
  let repetitions = 0
  for (let at = 0; at < plain.length; at++) {
    const char = plain[at]
    const repeats = /^(?:[*+]|\{\d+,?\d*\})/.test(plain.slice(at, at + 12))
    if (char === "(") open.push(false)
    else if (char === ")") {
      const varies = open.length > 1 && open.pop() === true
      if (varies && /^(?:[*+]|\{\d+,?\d*\})/.test(plain.slice(at + 1, at + 13))) return 0
      if (varies) open[open.length - 1] = true
    } else if (repeats || char === "|" || (char === "?" && plain[at - 1] !== "(")) {
      open[open.length - 1] = true
      if (repeats) repetitions++
    }
  }
  return Math.floor(10 ** (8 / (repetitions + 1)))
}

const matches = (text: string, pattern: string): boolean => {
  if (text.length > longestText(pattern)) return true
  try {
    return new RegExp(pattern, "u").test(text)
  } catch {
    return true
  }
}

const resolve = (reference: string, root: unknown): unknown => {
  if (!reference.startsWith("#")) return undefined
  let found: unknown = root
  for (const part of reference.slice(1).split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Wire)[key]
  }
  return found
}

const textIssues = (value: string, schema: Wire): readonly string[] => {
  const { minLength, maxLength, pattern } = schema
  const length = isNumber(minLength) || isNumber(maxLength) ? [...value].length : 0
  return [
    ...(isNumber(minLength) && length < minLength ? [`expected at least ${minLength} characters, got ${length}`] : []),
    ...(isNumber(maxLength) && length > maxLength ? [`expected at most ${maxLength} characters, got ${length}`] : []),
    ...(isText(pattern) && !matches(value, pattern) ? [`expected text that matches ${pattern}`] : []),
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
  const issues: SchemaIssue[] = listOf(required).flatMap((name) =>
    isText(name) && !Object.hasOwn(value, name) ? [{ path: [...path, name], message: "is required" }] : [],
  )
  const mayBeOthers = isWire(schema["patternProperties"])
  for (const [name, inner] of Object.entries(value)) {
    if (issues.length >= mostIssues || work.steps > mostSteps) break
    if (Object.hasOwn(known, name)) issues.push(...issuesOf(inner, known[name], [...path, name], work, depth + 1))
    else if (mayBeOthers) continue
    else if (additionalProperties === false) issues.push({ path: [...path, name], message: "is not a known property" })
    else issues.push(...issuesOf(inner, additionalProperties, [...path, name], work, depth + 1))
  }
  return issues
}

const listIssues = (value: readonly unknown[], schema: Wire, path: Path, work: Work, depth: number): readonly SchemaIssue[] => {
  const { items, prefixItems, minItems, maxItems } = schema
  const issues: SchemaIssue[] = []
  if (isNumber(minItems) && value.length < minItems) issues.push({ path, message: `expected at least ${minItems} items, got ${value.length}` })
  if (isNumber(maxItems) && value.length > maxItems) issues.push({ path, message: `expected at most ${maxItems} items, got ${value.length}` })
  const first = listOf(prefixItems ?? (Array.isArray(items) ? items : undefined))
  for (const [index, inner] of value.entries()) {
    if (issues.length >= mostIssues || work.steps > mostSteps) break
    const own = index < first.length ? first[index] : Array.isArray(items) ? undefined : items
    issues.push(...issuesOf(inner, own, [...path, index], work, depth + 1))
  }
  return issues
}

const unionIssues = (value: unknown, schema: Wire, path: Path, work: Work, depth: number): readonly SchemaIssue[] => {
  const { anyOf, oneOf, allOf } = schema
  const issues = listOf(allOf).flatMap((each) => issuesOf(value, each, path, work, depth + 1))
  for (const [choices, isOne] of [[anyOf, false], [oneOf, true]] as const) {
    if (!Array.isArray(choices) || choices.length === 0) continue
    const failures = choices.map((each) => issuesOf(value, each, path, work, depth + 1))
    if (work.steps > mostSteps) continue
    const fitting = failures.filter((failed) => failed.length === 0).length
    if (isOne && fitting > 1) issues.push({ path, message: `expected exactly one of ${choices.length} forms, fits ${fitting}` })
    if (fitting > 0) continue
    // The form that comes closest says more than that none fits.
    const closest = failures.toSorted((one, other) => one.length - other.length)[0] ?? []
    issues.push({ path, message: `fits none of ${choices.length} forms` }, ...closest)
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
  if (isText(reference)) issues.push(...issuesOf(value, resolve(reference, work.root), path, work, depth + 1))
  const types = isText(type) ? [type] : listOf(type)
  if (types.length > 0 && !types.some((each) => hasType(value, each))) {
    return [...issues, { path, message: `expected ${types.join(" or ")}, got ${typeOf(value)}` }]
  }
  if (Array.isArray(choices) && !choices.some((each) => equal(value, each, work)) && work.steps <= mostSteps) {
    say(`expected one of ${shown(choices)}, got ${shown(value)}`)
  }
  if (Object.hasOwn(schema, "const") && !equal(value, schema["const"], work) && work.steps <= mostSteps) {
    say(`expected ${shown(schema["const"])}, got ${shown(value)}`)
  }
  if (isText(value)) for (const message of textIssues(value, schema)) say(message)
  else if (isNumber(value)) for (const message of numberIssues(value, schema)) say(message)
  else if (Array.isArray(value)) issues.push(...listIssues(value, schema, path, work, depth))
  else if (isWire(value)) issues.push(...objectIssues(value, schema, path, work, depth))
  issues.push(...unionIssues(value, schema, path, work, depth))
  return issues
}

/** What is wrong with a value, the first ten things of it; empty: it is valid, as far as this check goes. */
export const schemaIssues = (value: unknown, schema: unknown): readonly SchemaIssue[] =>
  issuesOf(value, schema, [], { root: schema, steps: 0 }, 0).slice(0, mostIssues)
