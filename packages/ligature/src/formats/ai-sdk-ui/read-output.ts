/** What a tool part says of its outcome → a result. Outputs are any JSON; content lists are read piece by piece. */
import {
  type ContentBlock,
  isWire,
  type MediaBlock,
  readResultContent,
  type ResultBlock,
  syntheticTexts,
  text,
  type Wire,
} from "../../model/index.ts"
import { previewOf } from "../engine/malformed.ts"
import { kindOfMediaType } from "../engine/media.ts"
import { textOf } from "./format.ts"
import { type ToolPart, toolFields } from "./tool-part.ts"

type Content = Pick<ResultBlock, "content" | "error" | "synthetic" | "denied">

const textContent = (value: string): readonly ContentBlock[] => (value === "" ? [] : [text(value)])

const readPiece = (wire: Wire): ContentBlock => {
  const native = { "ai-sdk-ui": wire }
  const mediaType = wire["mediaType"] ?? wire["mimeType"]
  if (wire["type"] === "text" && typeof wire["text"] === "string") return { type: "text", text: wire["text"], native }
  if (typeof wire["data"] !== "string" || typeof mediaType !== "string") {
    return { type: "opaque", kind: textOf(wire["type"]), text: previewOf(wire), native }
  }
  const block: MediaBlock = {
    type: "media",
    kind: kindOfMediaType(mediaType),
    mediaType,
    source: { type: "base64", data: wire["data"] },
    native,
  }
  return block
}

const isPiece = (value: unknown): value is Wire => isWire(value) && typeof value["type"] === "string"

/** The list in an output that is content: of the SDK (`{type: "content", value}`) or of an MCP tool (`{content}`). */
const contentList = (output: unknown): readonly Wire[] | undefined => {
  if (!isWire(output)) return undefined
  const list = output["type"] === "content" ? output["value"] : output["content"]
  return Array.isArray(list) && list.length > 0 && list.every(isPiece) ? list : undefined
}

const readValue = (output: unknown): Content => {
  const list = contentList(output)
  if (list) {
    const read = readResultContent(list.map(readPiece), { errorMark: true })
    return isWire(output) && output["isError"] === true ? { ...read, error: true } : read
  }
  if (typeof output === "string") return readResultContent(textContent(output), { errorMark: true })
  return { content: textContent(output === undefined || output === null ? "" : (JSON.stringify(output) ?? "")) }
}

const deniedText = (fields: Wire): string => {
  const { approval } = fields
  return (isWire(approval) && textOf(approval["reason"])) || syntheticTexts["not-run"]
}

const readOutcome = (fields: Wire, state: string): Content | undefined => {
  switch (state) {
    case "output-available":
      return readValue("output" in fields ? fields["output"] : fields["result"])
    case "output-error":
      return { ...readResultContent(textContent(textOf(fields["errorText"])), { errorMark: false }), error: true }
    case "output-denied":
      return { ...readResultContent([text(deniedText(fields))], { errorMark: false }), error: true, denied: true }
    default:
      return undefined
  }
}

/** Nothing while the tool has not answered. */
export const readResult = (part: Wire, tool: ToolPart): ResultBlock | undefined => {
  const read = readOutcome(toolFields(part), tool.state)
  return read && { type: "result", callId: tool.id, name: tool.name, ...read, native: { "ai-sdk-ui": part } }
}
