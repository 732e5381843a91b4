/**
 * Which tools there are, as a caller or a request has them: names, or declarations in the form of any provider. Used
 * where calls are read from text, to tell a call from prose and a number from the text of one.
 */
import { callsOf, type Conversation, isWire, type ReportEntry, type Wire } from "../../model/index.ts"
import type { Codec } from "./codec.ts"

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

const named = ([name, declared]: readonly [string, unknown]): unknown => (isWire(declared) ? { ...declared, name } : name)

// The tools that a history calls, for providers that refuse calls and results in a request without a list of tools. A history rarely comes with its
// tools, so each name it uses is declared by the least the provider takes, and reported.

/** What a model reads of a tool that nobody described. */
export const stubDescription = "Called earlier in this conversation. Not available now."

/** The least a schema can say: any object. */
export const stubSchema = { type: "object", properties: {} } as const

interface Called {
  readonly names: readonly string[]
  /** The first item with a call. */
  readonly item: number
}

const calledIn = ({ items }: Conversation): Called => {
  const names = new Set<string>()
  let first: number | undefined
  items.forEach((item, index) => {
    if (item.role !== "exchange") return
    for (const { name } of callsOf(item)) {
      first ??= index
      names.add(name)
    }
  })
  return { names: [...names], item: first ?? 0 }
}

export const listsTools = (tools: unknown): boolean => Array.isArray(tools) && tools.length > 0

interface Declared {
  readonly request: Wire
  readonly entry: ReportEntry
}

/** The request with the tools its history calls; undefined where it calls none or declares some. */
export const declareCalled = (request: Wire, conversation: Conversation, codec: Codec): Declared | undefined => {
  const { names, item } = calledIn(conversation)
  const declared = names.length === 0 ? undefined : codec.declareTools?.(request, names)
  if (declared === undefined) return undefined
  const what = `declared the tools that the history calls: ${names.join(", ")}`
  return { request: declared, entry: { rule: "tool-list", kind: "synthetic", place: { item }, what, ids: [] } }
}

/** The tools a request calls that its provider wants declared; none where it declares some. `list`: the name of its list of messages. */
export const undeclaredTools = (body: unknown, list: string, conversation: Conversation, codec: Codec): readonly string[] =>
  isWire(body) && body[list] !== undefined && declareCalled(body, conversation, codec) ? calledIn(conversation).names : []
