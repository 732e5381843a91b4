/** The tool configuration that Converse wants beside every history with calls. */
import { isWire, type Wire } from "../../model/index.ts"
import { listsTools, stubDescription, stubSchema } from "../engine/tool-list.ts"

export const declareTools = (request: Wire, names: readonly string[]): Wire | undefined => {
  const given = request["toolConfig"]
  if (isWire(given) && listsTools(given["tools"])) return undefined
  const tools = names.map((name) => ({ toolSpec: { name, description: stubDescription, inputSchema: { json: stubSchema } } }))
  return { ...request, toolConfig: { ...(isWire(given) && given), tools } }
}
