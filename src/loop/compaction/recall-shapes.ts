/** The recall tool in the words of each format, for agents with a loop of their own. */
import { recallTool } from "../../compact/recall/index.ts"
import { LigatureError, type Wire } from "../../model/index.ts"
import { requestShapes } from "../request/request-shapes.ts"

const { name, description, parameters } = recallTool

/** Formats the loop itself does not speak. */
const others: Readonly<Record<string, Wire>> = {
  "bedrock-converse": { toolConfig: { tools: [
    { toolSpec: { name, description, inputSchema: { json: parameters } } },
  ] } },
  "ai-sdk-model": { tools: [{ type: "function", name, description, inputSchema: parameters }] },
  "ai-sdk-ui": { tools: { [name]: { description, inputSchema: parameters } } },
}

/** The fields of a request that declare the tool: `{ tools: [...] }`, or what the format says instead. */
export const recallToolFor = (format: string): Wire => {
  const shape = Object.hasOwn(requestShapes, format) ? requestShapes[format] : undefined
  if (shape) return shape.tools([{ ...recallTool, run: () => undefined }])
  const other = Object.hasOwn(others, format) ? others[format] : undefined
  if (other) return other
  const known = [...Object.keys(requestShapes), ...Object.keys(others)].join(", ")
  throw new LigatureError("unknown-format", `Expected a format that declares tools (${known}), got "${format}"`)
}
