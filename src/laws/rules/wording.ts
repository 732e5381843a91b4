/** Words that several rules use, so that one thing is always said in one way. */
import type { CallBlock, ResultBlock } from "../../model/index.ts"

export const nameOf = (call: CallBlock): string => call.name || "unnamed tool"

/** `[Another result of read_file (call_1)]`: what a demoted result is introduced with. */
export const resultLabel = (what: string, result: ResultBlock): string => {
  const parts = [result.name, result.callId === "" ? undefined : result.callId].filter((part) => part !== undefined)
  const failed = result.error === true ? ", failed" : ""
  return parts.length === 0 ? `[${what}${failed}]` : `[${what} (${parts.join(", ")}${failed})]`
}

export const idsOf = (...ids: readonly string[]): readonly string[] => ids.filter((id) => id !== "")
