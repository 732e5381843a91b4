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
