/** Outcomes → tool messages: one each. The format has no error flag, so a failure says so in its first words. */
import { type CallBlock, type ContentBlock, errorMark, type ResultBlock, type Wire } from "../../model/index.ts"
import { type EncodeOptions } from "../engine/codec.ts"
import { nativeWireOf, saysCalls, withoutCalls } from "./native.ts"
import { writeContent } from "./write-content.ts"

const marked = (content: readonly ContentBlock[]): readonly ContentBlock[] => {
  const [first, ...rest] = content
  if (first?.type !== "text") return [{ type: "text", text: errorMark }, ...content]
  return [{ ...first, text: errorMark + first.text }, ...rest]
}

/** Invented outcomes carry a mark of their own. */
const contentOf = (result: ResultBlock): readonly ContentBlock[] =>
  result.error === true && result.synthetic === undefined ? marked(result.content) : result.content

const nameFields = (result: ResultBlock, call: CallBlock, native: Wire | undefined, options: EncodeOptions): Wire | undefined => {
  const before = native?.["name"]
  // Elsewhere a name is written only where there was one.
  const wanted = options.resultName === true ? call.name : typeof before === "string" ? (result.name ?? before) : undefined
  const name = wanted !== undefined && before !== wanted
  const toolName = options.objectArguments === true && native?.["tool_name"] !== call.name
  if (!name && !toolName) return undefined
  return { ...(name && { name: wanted }), ...(toolName && { tool_name: call.name }) }
}

export const writeResult = (result: ResultBlock, call: CallBlock, legacy: boolean, options: EncodeOptions): Wire => {
  const native = nativeWireOf(result)
  const content = writeContent(contentOf(result), native?.["content"], "tool", options) ?? ""
  if (legacy) {
    const isSame = native?.["role"] === "function" && native["name"] === call.name && native["content"] === content
    return isSame && !saysCalls(native) ? native : { ...withoutCalls(native), role: "function", name: call.name, content }
  }
  const names = nameFields(result, call, native, options)
  const { callId } = result
  if (!native && !names) return { role: "tool", tool_call_id: callId, content }
  if (!native) return { role: "tool", tool_call_id: callId, ...names, content }
  if (
    names === undefined &&
    native["role"] === "tool" &&
    native["tool_call_id"] === callId &&
    native["content"] === content &&
    !saysCalls(native)
  ) {
    return native
  }
  const { tool_call_ids: _, ...kept } = withoutCalls(native)
  return { ...kept, role: "tool", tool_call_id: callId, ...names, content }
}
