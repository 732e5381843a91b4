/** The recall tool in the words of each format, for agents with a loop of their own. */
import { findCodec } from "../../../codecs/index.ts"
import { recallTool } from "../../../compact/recall/index.ts"
import { type Profile, profileNames, resolveProfile } from "../../../laws/index.ts"
import { LigatureError, type Wire } from "../../../model/index.ts"
import { requestShapes } from "../../request/request-shapes.ts"

const { name, description, parameters } = recallTool

/** Formats the loop itself does not speak. */
const others: Readonly<Record<string, Wire>> = {
  "bedrock-converse": { toolConfig: { tools: [
    { toolSpec: { name, description, inputSchema: { json: parameters } } },
  ] } },
  "ai-sdk-model": { tools: [{ type: "function", name, description, inputSchema: parameters }] },
  "ai-sdk-ui": { tools: { [name]: { description, inputSchema: parameters } } },
}

const shapeOfFormat = (format: string): Wire | undefined => {
  if (Object.hasOwn(requestShapes, format)) return requestShapes[format]?.tools([{ ...recallTool, run: () => undefined }])
  return Object.hasOwn(others, format) ? others[format] : undefined
}

/**
 * The fields of a request that declare the tool: `{ tools: [...] }`, or what the format says instead. Takes what `encode`
 * takes, a profile or its name, and the names of formats.
 */
export const recallToolFor = (target: Profile | string): Wire => {
  const isName = typeof target === "string" && !profileNames.includes(target)
  const format = isName ? target : resolveProfile(target).format
  const shape = shapeOfFormat(format)
  if (shape) return shape
  if (findCodec(format)) throw new LigatureError(
    "not-expressible",
    `Expected a format that declares tools, got "${format}", which has no place for declarations: put ` +
      "`recallTool.description` into the prompt instead, and answer with `recall` what the model asks for in its text",
  )
  const known = [...Object.keys(requestShapes), ...Object.keys(others)].join(", ")
  throw new LigatureError(
    "unknown-format",
    `Expected a format that declares tools (${known}) or a profile (${profileNames.join(", ")}), got "${format}"`,
  )
}
