/** How a part of a document is decoded: with the lines of its messages, and the tools that were declared beside it. */
import type { DecodeOptions } from "../formats/engine/codec.ts"
import { knownTools } from "../formats/engine/tools.ts"
import type { DocumentPart } from "./document.ts"

export function decodeOptionsOf(part: DocumentPart): DecodeOptions {
  const { names, schemas } = knownTools(part.tools)
  const tools = names.map((name) => (schemas.has(name) ? { name, parameters: schemas.get(name) } : name))
  return { ...(part.lines && { lines: part.lines }), ...(tools.length > 0 && { tools }) }
}
