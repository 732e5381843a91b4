/** OpenAI Responses → Transcript: a request body or a bare list of items. The items themselves are read one by one. */
import { isWire, type Message, type Transcript, type Wire } from "../../model/index.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { malformedBlock } from "../engine/malformed.ts"
import { ItemReader } from "./item-reader.ts"
import { format } from "./items.ts"
import { readParts } from "./read-parts.ts"

const readInstructions = (body: Wire): readonly Message[] => {
  const instructions = body["instructions"]
  if (instructions === undefined || instructions === null || instructions === "") return []
  const blocks = typeof instructions === "string" ? readParts(instructions) : [malformedBlock(format, instructions)]
  return [{ role: "system", blocks, native: { "openai-responses": { instructions } } }]
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const body: Wire = isWire(value) ? value : { input: value }
  const { input, model } = body
  const reader = new ItemReader(body, options)
  for (const message of readInstructions(body)) reader.whole(message)
  if (typeof input === "string") {
    reader.whole({ role: "user", blocks: readParts(input), native: { "openai-responses": input } })
  } else if (Array.isArray(input)) for (const wire of input as readonly unknown[]) reader.item(wire)
  else if (input !== undefined && input !== null) reader.malformed(input, "input")
  const messages = reader.finish()
  const { diagnostics } = reader
  return {
    format,
    messages,
    native: { "openai-responses": isWire(value) ? value : {} },
    origin: { provider: "openai", ...(typeof model === "string" && { model }) },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
