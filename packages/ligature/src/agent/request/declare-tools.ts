/** Tools as each format declares them, for agents with a loop of their own. */
import { findCodec, type WireFormat } from "../../convert/index.ts"
import { findProfile, type Profile, type ProfileName, profileNames, resolveProfile } from "../../rules/index.ts"
import { type JsonObject, LigatureError, type Wire } from "../../model/index.ts"
import { requestShapes } from "./request-shapes.ts"
import { type Declaration, declarationOf, noParameters, type Tool } from "../tools/tool.ts"

export type DeclaredTool = Pick<Tool, "name" | "description" | "parameters" | "jsonSchema">

const withSchema = ({ description, parameters = noParameters }: Declaration): JsonObject => ({
  ...(description !== undefined && { description }),
  inputSchema: parameters,
})

/** Formats that the loop itself does not send requests in. */
const others: Readonly<Record<string, (tools: readonly Declaration[]) => Wire>> = {
  "bedrock-converse": (tools) => ({
    toolConfig: {
      tools: tools.map(({ name, description, parameters = noParameters }) => ({
        toolSpec: { name, ...(description !== undefined && { description }), inputSchema: { json: parameters } },
      })),
    },
  }),
  "ai-sdk-model": (tools) => ({
    tools: tools.map((tool) => ({ type: "function", name: tool.name, ...withSchema(tool) })),
  }),
  "ai-sdk-ui": (tools) => ({ tools: Object.fromEntries(tools.map((tool) => [tool.name, withSchema(tool)])) }),
}

const declare = (format: string, tools: readonly Declaration[]): Wire | undefined => {
  if (Object.hasOwn(requestShapes, format)) return requestShapes[format]?.tools(tools)
  return Object.hasOwn(others, format) ? others[format]?.(tools) : undefined
}

/**
 * The fields of a request that declare tools: `{ tools: [...] }`, or what the format has instead. Takes what `encode`
 * takes, a profile or its name, and the names of formats.
 *
 * @example
 * const { tools } = declareTools("anthropic", [{ name: "time", description: "The time of day." }])
 */
export const declareTools = (target: Profile | ProfileName | WireFormat, tools: readonly DeclaredTool[]): Wire => {
  const isName = typeof target === "string" && findProfile(target) === undefined
  const format = isName ? target : resolveProfile(target).format
  const fields = declare(format, tools.map(declarationOf))
  if (fields) return fields
  if (findCodec(format)) throw new LigatureError(
    "not-expressible",
    `Expected a format that declares tools, got "${format}", which has no place for declarations: put the descriptions ` +
      "of the tools into the prompt instead, and answer what the model asks for in its text",
  )
  const known = [...Object.keys(requestShapes), ...Object.keys(others)].join(", ")
  throw new LigatureError(
    "unknown-format",
    `Expected a format that declares tools (${known}) or a profile (${profileNames.join(", ")}), got "${format}"`,
  )
}
