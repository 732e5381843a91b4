/** What a tool is: a name and a schema the model sees, and a function that runs. */
import { renderCall } from "../../formats/xml-text/render.ts"
import { assertOptions, type CallBlock, type ContentBlock, isWire, type JsonObject, LigatureError } from "../../model/index.ts"
import { isStandardSchema, jsonSchemaOf, type StandardSchema } from "./standard-schema.ts"

export interface ToolContext {
  /** Aborted when the run is, and when the tool's time is over. What a tool does afterwards nobody waits for. */
  readonly signal: AbortSignal
  readonly call: CallBlock
  readonly conversation: string
  /** Answers with blocks: images, or several texts. */
  readonly content: (...blocks: readonly ContentBlock[]) => ToolContent
}

/** `Given`: the arguments as its functions receive them. `defineTool` infers it from the schema. */
export interface Tool<Given = JsonObject> {
  /** Unique among the tools of a run. */
  readonly name: string
  readonly description?: string
  /**
   * Schema of the arguments: JSON Schema, or a schema of any library that implements Standard Schema version 1. Arguments
   * that do not fit are told to the model, and the call is not run. The functions of the tool receive what a Standard
   * Schema made of the arguments. Default: an object without properties.
   */
  readonly parameters?: JsonObject | StandardSchema<unknown, Given>
  /** What providers are shown instead of `parameters`; needed where the library of a Standard Schema cannot write JSON Schema. */
  readonly jsonSchema?: JsonObject
  /**
   * Runs the call. A text goes to the model as it is, `context.content(…)` as blocks, anything else as JSON. The
   * model sees what it throws as the tool's failure.
   */
  readonly run: (given: Given, context: ToolContext) => unknown
  /** Says what is wrong with the arguments; then the call is not run and the model is told. */
  readonly check?: (given: Given) => string | undefined
  /** How long to wait for it, in milliseconds. Default: `toolTimeoutMs` of the run. */
  readonly timeoutMs?: number
  /** Whether its calls need approval. Default: yes when the run has an `approve` hook, else no. */
  readonly approval?: boolean | ((given: Given) => boolean)
}

/**
 * A tool whose functions are typed by its Standard Schema.
 *
 *     const read = defineTool({ name: "read", parameters: z.object({ path: z.string() }), run: ({ path }) => readFile(path, "utf8") })
 */
export const defineTool = <Given = JsonObject>(tool: Tool<Given>): Tool => {
  assertOptions<Tool<Given>>(tool, {
    name: true,
    description: true,
    parameters: true,
    jsonSchema: true,
    run: true,
    check: true,
    timeoutMs: true,
    approval: true,
  })
  // The loop gives these functions only what the schema has validated.
  return tool as unknown as Tool
}

/** What providers are told of a tool. */
export interface Declaration {
  readonly name: string
  readonly description?: string
  readonly parameters?: JsonObject
}

/** Throws a `LigatureError` where the parameters cannot be written as JSON Schema. */
export const declarationOf = ({ name, description, parameters, jsonSchema }: Omit<Tool, "run">): Declaration => {
  const schema = jsonSchema ?? (isStandardSchema(parameters) ? jsonSchemaOf(name, parameters) : parameters)
  return { name, ...(description !== undefined && { description }), ...(schema && { parameters: schema }) }
}

export const noParameters: JsonObject = { type: "object", properties: {} }

/** Blocks a tool gave back. */
export class ToolContent {
  readonly blocks: readonly ContentBlock[]

  constructor(blocks: readonly ContentBlock[]) {
    this.blocks = blocks
  }
}

const contentTypes: ReadonlySet<unknown> = new Set(["text", "media", "opaque"])

/** For tools that answer with images or several texts. What is no block is the tool's failure, and told to the model. */
export const toolContent = (...blocks: readonly ContentBlock[]): ToolContent => {
  const strange = blocks.findIndex((block: unknown) => !isWire(block) || !contentTypes.has(block["type"]))
  if (strange < 0) return new ToolContent(blocks)
  throw new LigatureError("bad-option", `Expected blocks of text or media, got ${typeof blocks[strange]} as number ${strange + 1}`)
}

/** The tools by name. Two of one name are a mistake of the programmer. */
export const toolsByName = (tools: readonly Tool[]): ReadonlyMap<string, Tool> => {
  const found = new Map<string, Tool>()
  for (const tool of tools) {
    const { name } = tool
    if (found.has(name)) throw new LigatureError("bad-option", `Expected tools of different names, got "${name}" twice`)
    found.set(tool.name, tool)
  }
  return found
}

/** Where nobody can say whether a call needs approval, it does. */
export const needsApproval = (tool: Tool, given: JsonObject, hasHook: boolean): boolean => {
  if (typeof tool.approval !== "function") return tool.approval ?? hasHook
  try {
    return tool.approval(given)
  } catch {
    return true
  }
}

// Tools in words, for a model that calls them in its text: how a call is written, and what each tool takes. What a
// system prompt describes already is left out. The text is fixed: the same tools give the same bytes.

const introduction = `# Tools

You call a tool by writing its tag in your answer, on a line of its own, with one tag inside for each parameter. End your
answer after the call: the result comes with the next message.`

const typeOf = (schema: unknown): string => {
  const type = isWire(schema) ? schema["type"] : undefined
  return typeof type === "string" ? type : Array.isArray(type) ? type.join(" or ") : "any"
}

const describeTool = ({ name, description, parameters }: Declaration): string => {
  const properties = isWire(parameters?.["properties"]) ? (parameters["properties"] as JsonObject) : {}
  const required = new Set<unknown>(Array.isArray(parameters?.["required"]) ? parameters["required"] : [])
  const lines = Object.entries(properties).map(([key, schema]) => {
    const text = isWire(schema) && typeof schema["description"] === "string" ? `: ${schema["description"]}` : ""
    return `- ${key} (${typeOf(schema)}${required.has(key) ? ", required" : ""})${text}`
  })
  const example = Object.fromEntries(Object.keys(properties).map((key) => [key, `${key} here`]))
  return [
    `## ${name}`,
    ...(description === undefined ? [] : [description]),
    ...(lines.length === 0 ? [] : ["Parameters:", ...lines]),
    "Usage:",
    renderCall(name, example, "tag"),
  ].join("\n")
}

/** Undefined where there is nothing to say. */
export const withToolsInWords = (system: string | undefined, tools: readonly Declaration[]): string | undefined => {
  const missing = tools.filter(({ name }) => !system?.includes(`<${name}>`))
  if (missing.length === 0) return system
  return [...(system === undefined ? [] : [system]), introduction, ...missing.map(describeTool)].join("\n\n")
}
