/** Arguments of a call, written as text. */
import type { CallBlock } from "../../model/index.ts"

/** The arguments as JSON text: as they came where they came as text and were sound. */
export const writeArgumentsText = (call: CallBlock): string =>
  call.raw !== undefined && call.fault === undefined ? call.raw : JSON.stringify(call.arguments)
