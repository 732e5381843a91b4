/** The name of this format, and the wire value a block, message or envelope of it came with. */
import { isWire, type Native, type Wire } from "../../model/index.ts"

export const format = "openai-chat"

interface Carrying {
  readonly native?: Native
}

/** Any value: malformed parts are kept too. */
export const nativeOf = (value: Carrying): unknown => value.native?.["openai-chat"]

export const nativeWireOf = (value: Carrying): Wire | undefined => {
  const native = value.native?.["openai-chat"]
  return isWire(native) ? native : undefined
}

const isSaid = (value: unknown): boolean => value !== undefined && value !== null

/** Whether a message that is not the assistant's has calls, which are written as the assistant's. */
export const saysCalls = (native: Wire): boolean => isSaid(native["tool_calls"]) || isSaid(native["function_call"])

export const withoutCalls = (native: Wire | undefined): Wire => {
  const { tool_calls: _, function_call: __, ...kept } = native ?? {}
  return kept
}
