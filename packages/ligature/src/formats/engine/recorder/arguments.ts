/** The arguments of a call whose end never came, and which calls may be executed (L7). */
import type { Arguments, CallBlock } from "../../../model/index.ts"

/** Arguments whose end never came. Text that parses is no proof: a server may send `{}` first and the rest later. */
export const cutArguments = (raw: string): Arguments => ({ arguments: {}, raw, fault: "unparsable" })

/**
 * May this call be executed? Not when its arguments were cut or are no object. Empty arguments mean `{}`, and an object
 * inside a text was parsed: both say plainly what the model meant.
 */
export const isExecutable = (call: CallBlock): boolean =>
  call.name !== "" && call.fault !== "unparsable" && call.fault !== "not-object"
