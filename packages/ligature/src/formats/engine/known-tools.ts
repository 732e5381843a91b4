/**
 * Which tools there are, as a caller or a request has them: names, or declarations in the form of any provider. Used
 * where calls are read from text, to tell a call from prose and a number from the text of one.
 */
import { isWire, type Wire } from "../../model/index.ts"

/** A name, or a declaration as requests have it: `{ name, input_schema }`, `{ function: { name, parameters } }`, … */
export type KnownTool = string | object

export interface KnownTools {
  readonly names: readonly string[]
  /** The JSON schema of a tool's arguments, where it is declared. */
  readonly schemas: ReadonlyMap<string, Wire>
}

const declarations = (tool: unknown): readonly (readonly [string, Wire | undefined])[] => {
  if (typeof tool === "string") return tool === "" ? [] : [[tool, undefined]]
  if (!isWire(tool)) return []
  const { name, function: target, toolSpec, functionDeclarations } = tool
  if (Array.isArray(functionDeclarations)) return functionDeclarations.flatMap(declarations)
  const inner = [target, toolSpec].find(isWire)
  if (typeof name !== "string") return inner ? declarations(inner) : []
  const given = tool["input_schema"] ?? tool["inputSchema"] ?? tool["parameters"] ?? tool["parametersJsonSchema"]
  const schema = isWire(given) && isWire(given["json"]) ? given["json"] : given
  return [[name, isWire(schema) ? schema : undefined]]
}

/** `tools`: a list, or what a request has under that name. Never fails on data. */
export const knownTools = (tools: unknown): KnownTools => {
  const inner = isWire(tools) && Array.isArray(tools["tools"]) ? tools["tools"] : tools
  // An SDK declares its tools as an object, under their names.
  const list: readonly unknown[] = Array.isArray(inner) ? inner : isWire(inner) ? Object.entries(inner).map(named) : []
  const found = list.flatMap(declarations)
  const schemas = new Map<string, Wire>()
  for (const [name, schema] of found) if (schema) schemas.set(name, schema)
  return { names: [...new Set(found.map(([name]) => name))], schemas }
}

const named = ([name, declared]: readonly [string, unknown]): unknown =>
  isWire(declared) ? { ...declared, name } : name
