/**
 * Why the model stopped. Servers say "stop" beside calls and "tool_calls" beside none, so whether results are awaited
 * is decided by what the message holds; the words of the wire decide only the rest.
 */
import type { Message } from "../../../model/index.ts"
import type { EndCause, StopReason } from "./recorder.ts"

export interface StreamEnd {
  readonly cause: EndCause
  /** The end marker of the format came. */
  readonly marked: boolean
  readonly failed: boolean
  /** What the wire's reason means by itself. */
  readonly meant: StopReason | undefined
}

export const isComplete = ({ marked, failed }: StreamEnd): boolean => marked && !failed

export const stopOf = (end: StreamEnd, message: Message): StopReason => {
  if (end.failed) return "failed"
  if (!end.marked) return end.cause === "error" ? "failed" : end.cause === "abort" ? "aborted" : "cut"
  const calls = message.blocks.some((block) => block.type === "call")
  const meant = end.meant ?? "end"
  if (calls && (meant === "end" || meant === "other")) return "calls"
  return meant === "calls" && !calls ? "end" : meant
}
