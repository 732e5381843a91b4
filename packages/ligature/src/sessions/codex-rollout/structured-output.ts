/** The output of a tool written as an object: as JSON it is what the model saw. Read alike by the decoder and the encoder. */
import { isWire, type ResultBlock, text, type Wire } from "../../model/index.ts"
import { nativeOf } from "../../formats/openai-responses/items.ts"
import { outputFamilyOf } from "./items.ts"

export const isStructured = (item: Wire): boolean => {
  const { output } = item
  return isWire(output) && typeof output["type"] !== "string" && outputFamilyOf(item) !== undefined
}

/** The result of such an item as it says it, from the result that the API would read. */
export const readStructured = (block: ResultBlock): ResultBlock => {
  const output = (nativeOf(block) as Wire)["output"] as Wire
  const { content, success } = output
  if (typeof content !== "string") return { ...block, content: [text(JSON.stringify(output))], structured: true }
  const result: ResultBlock = { ...block, content: content === "" ? [] : [text(content)] }
  return success === false ? { ...result, error: true } : result
}
