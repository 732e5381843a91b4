/**
 * Tools in words, for a model that calls them in its text: how a call is written, and what each tool takes. What a
 * system prompt describes already is left out. The text is fixed: the same tools give the same bytes.
 */
import { renderCall } from "../../formats/xml-text/render.ts"
import { isWire, type JsonObject } from "../../model/index.ts"
import type { Declaration } from "./tool.ts"

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
