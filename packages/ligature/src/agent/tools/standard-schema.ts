/**
 * Schemas of validation libraries (Zod, Valibot, ArkType, …) as parameters of a tool, by the interface they share:
 * Standard Schema version 1, and Standard JSON Schema where a library offers it. The types are written out here, so that
 * nothing has to be installed.
 */
import { isWire, type JsonObject, LigatureError } from "../../model/index.ts"
import type { SchemaIssue } from "./json-schema.ts"

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type StandardResult<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] }

/** An object or a function. `Output` is what validating gives. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly jsonSchema?: { readonly input: (options: { readonly target: "draft-2020-12" }) => object } | undefined
  }
}

export const isStandardSchema = (schema: unknown): schema is StandardSchema =>
  ((typeof schema === "object" && schema !== null) || typeof schema === "function") && "~standard" in schema

const mostIssues = 10
const longestMessage = 500

const keyOf = (segment: unknown): string | number => {
  const key = isWire(segment) ? segment["key"] : segment
  return typeof key === "number" ? key : String(key)
}

const issueOf = (issue: StandardIssue): SchemaIssue => ({
  path: (issue.path ?? []).map(keyOf),
  message: String(issue.message).slice(0, longestMessage),
})

type Validated = { readonly value: unknown } | { readonly issues: readonly SchemaIssue[] }

/** Never rejects: a validation that throws has found something. The library gets a copy, since it may change what it is given. */
export const validate = async (schema: StandardSchema, value: unknown): Promise<Validated> => {
  try {
    const result = await schema["~standard"].validate(structuredClone(value))
    if (result.issues) return { issues: [...result.issues].slice(0, mostIssues).map(issueOf) }
    return { value: result.value }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { issues: [{ path: [], message: `cannot be validated: ${message.slice(0, longestMessage)}` }] }
  }
}

/** The JSON Schema that describes the schema to a provider. Throws a `LigatureError` that says what to pass instead. */
export const jsonSchemaOf = (tool: string, schema: StandardSchema): JsonObject => {
  const { version, vendor, validate: validates, jsonSchema } = schema["~standard"]
  const fail = (what: string, cause?: unknown): never => {
    throw new LigatureError("bad-option", `Tool "${tool}": ${what}`, cause === undefined ? {} : { cause })
  }
  if (version !== 1 || typeof validates !== "function") return fail("expected parameters that implement Standard Schema version 1")
  const way = "pass the JSON Schema of the arguments as jsonSchema next to parameters"
  if (typeof jsonSchema?.input !== "function") return fail(`the schema (${vendor}) cannot be written as JSON Schema; ${way}`)
  let written: unknown
  try {
    written = JSON.parse(JSON.stringify(jsonSchema.input({ target: "draft-2020-12" })))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail(`the schema (${vendor}) cannot be written as JSON Schema (${reason}); ${way}`, error)
  }
  if (!isWire(written)) return fail(`the schema (${vendor}) gave a JSON Schema that is no object; ${way}`)
  const { $schema: _, ...rest } = written
  return rest as JsonObject
}
