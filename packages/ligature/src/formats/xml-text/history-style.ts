/** In which style a history's calls are written, as far as it shows: by its blocks, and by calls that are kept as text. */
import type { Transcript } from "../../model/index.ts"
import type { KnownTool } from "../engine/known-tools.ts"
import { inOneStyle } from "./in-one-style.ts"
import type { ToolStyle } from "./tool-style.ts"

/** `xml` when all of its calls are text, `json` when any is a block; undefined when it has none. */
export const historyStyle = (transcript: Transcript, tools?: readonly KnownTool[]): ToolStyle | undefined => {
  let found: ToolStyle | undefined
  for (const { blocks } of inOneStyle(transcript, tools).transcript.messages) {
    for (const block of blocks) {
      if (block.type !== "call") continue
      if (block.style !== "xml") return "json"
      found = "xml"
    }
  }
  return found
}
