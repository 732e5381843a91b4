/** What is wrong with the content of a message item or the output of an answer, as far as its parts go. */
import { isWire, type Wire } from "../../model/index.ts"
import { isMessageItem } from "./items.ts"

const textTypes: ReadonlySet<unknown> = new Set(["input_text", "output_text", "text", "summary_text", "reasoning_text"])

/** The content an item carries as text or parts, if it is such an item. */
const contentOf = (wire: Wire, type: string): unknown => {
  if (type === "message") return wire["content"]
  return type === "function_call_output" || type === "custom_tool_call_output" ? wire["output"] : ""
}

/** `foreign`: text typed as another speaker's. `malformed`: no text and no part at all. */
export const partsFault = (wire: Wire, type: string): "foreign" | "malformed" | undefined => {
  const content = contentOf(wire, type)
  if (typeof content === "string") return undefined
  if (!Array.isArray(content)) return "malformed"
  const own = type === "message" && wire["role"] === "assistant" ? "output_text" : "input_text"
  let fault: "foreign" | undefined
  for (const part of content as readonly unknown[]) {
    if (!isWire(part) || typeof part["type"] !== "string" || isMessageItem(part)) return "malformed"
    if (!textTypes.has(part["type"])) continue
    if (typeof part["text"] !== "string") return "malformed"
    if (part["type"] !== own) fault = "foreign"
  }
  return fault
}
