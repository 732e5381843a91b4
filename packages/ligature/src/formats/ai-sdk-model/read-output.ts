/** What a tool gave back → the content of a result. The type of an output says whether it failed. */
import {
  asWord,
  type ContentBlock,
  isWire,
  type MediaBlock,
  readResultContent,
  type ResultBlock,
  syntheticTexts,
  text,
  type Wire,
} from "../../model/index.ts"
import { malformedBlock, previewOf } from "../engine/malformed.ts"
import { either, format, textOf } from "./format.ts"
import { readFileId, readMedia } from "./read-media.ts"

type Content = Pick<ResultBlock, "content" | "error" | "synthetic" | "denied">

const textContent = (value: string): readonly ContentBlock[] => (value === "" ? [] : [text(value)])

const json = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const media = (wire: Wire, block: MediaBlock | undefined): ContentBlock =>
  block ?? { type: "opaque", kind: asWord(wire["type"]), text: previewOf(wire), native: { "ai-sdk-model": wire } }

const readPiece = (wire: unknown): ContentBlock => {
  if (!isWire(wire)) return malformedBlock(format, wire)
  const { type, data, url, filename: name } = wire
  const mediaType = either(wire, "mediaType", "mimeType")
  switch (type) {
    case "text":
      return typeof wire["text"] === "string"
        ? { type: "text", text: wire["text"], native: { "ai-sdk-model": wire } }
        : malformedBlock(format, wire)
    case "media":
    case "file-data":
      return media(wire, readMedia(wire, { value: data, mediaType, name }))
    case "image":
    case "image-data":
      return media(wire, readMedia(wire, { value: data, mediaType, kind: "image" }))
    case "image-url":
      return media(wire, readMedia(wire, { value: url, mediaType, kind: "image" }))
    case "file-url":
      return media(wire, readMedia(wire, { value: url, mediaType, name }))
    case "file-id":
      return media(wire, readFileId(wire, wire["fileId"], "file"))
    case "image-file-id":
      return media(wire, readFileId(wire, wire["fileId"], "image"))
    default:
      return media(wire, undefined)
  }
}

const deniedText = (output: Wire): string => textOf(output["reason"]) || syntheticTexts["not-run"]

const readOutput = (output: Wire): Content => {
  const { type, value } = output
  switch (type) {
    case "text":
      return readResultContent(textContent(textOf(value)), { errorMark: false })
    case "error-text":
      return { ...readResultContent(textContent(textOf(value)), { errorMark: false }), error: true }
    case "json":
      return { content: textContent(json(value)) }
    case "error-json":
      return { content: textContent(json(value)), error: true }
    case "execution-denied":
      return { ...readResultContent([text(deniedText(output))], { errorMark: false }), error: true, denied: true }
    case "content":
      return Array.isArray(value)
        ? readResultContent(value.map(readPiece), { errorMark: true })
        : { content: [malformedBlock(format, output)] }
    default:
      return { content: [malformedBlock(format, output)] }
  }
}

/** Version 4 had the bare value of the tool in `result`, and an error flag beside it. */
const readBare = (wire: Wire): Content => {
  const content = textContent(wire["result"] === undefined ? "" : json(wire["result"]))
  const read = readResultContent(content, { errorMark: false })
  return wire["isError"] === true ? { ...read, error: true } : read
}

export const readResult = (wire: Wire): ResultBlock => {
  const output = wire["output"]
  const read = isWire(output)
    ? readOutput(output)
    : output === undefined
      ? readBare(wire)
      : { content: textContent(json(output)) }
  return {
    type: "result",
    callId: textOf(wire["toolCallId"]),
    ...(typeof wire["toolName"] === "string" && { name: wire["toolName"] }),
    ...read,
    native: { "ai-sdk-model": wire },
  }
}
