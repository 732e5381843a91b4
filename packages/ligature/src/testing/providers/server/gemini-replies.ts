/**
 * Gemini replies: one response, or a sequence of responses whose parts add up to it. Calls arrive whole, the finish
 * reason is STOP even with calls, and only the first call carries the thought signature.
 */
import { type PlannedReply, type ReplyFormat, pieces, stamp } from "./script.ts"

export const geminiReplies: ReplyFormat = {
  plain: reply => responseOf(reply, [...thoughtParts(reply), ...textParts(reply, false), ...callParts(reply)], true),
  events: reply => {
    const chunks = [...thoughtParts(reply), ...textParts(reply, true)].map(part => [part])
    if (reply.calls.length > 0) chunks.push([...callParts(reply)])
    return chunks.map((parts, index) => ({ value: responseOf(reply, parts, index === chunks.length - 1) }))
  },
  streamError: message => ({ value: { error: { code: 503, message, status: "UNAVAILABLE" } } }),
}

function responseOf({ number, model }: PlannedReply, parts: readonly object[], isLast: boolean): object {
  return {
    candidates: [{
      content: { role: "model", parts },
      ...(isLast ? { finishReason: "STOP" } : {}),
      index: 0,
    }],
    ...(isLast
      ? { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20, totalTokenCount: 30 } }
      : {}),
    modelVersion: model,
    responseId: `fake${stamp(number)}`,
  }
}

function thoughtParts({ thinking }: PlannedReply): readonly object[] {
  return thinking === undefined || thinking === "" ? [] : [{ text: thinking, thought: true }]
}

function textParts({ text }: PlannedReply, isStreamed: boolean): readonly object[] {
  if (text === undefined) return []
  return (isStreamed ? pieces(text) : [text]).map(piece => ({ text: piece }))
}

function callParts({ number, calls }: PlannedReply): readonly object[] {
  return calls.map(({ id, name, arguments: args }, index) => ({
    functionCall: { id, name, args },
    ...(index === 0 ? { thoughtSignature: `c2lnbmF0dXJl${stamp(number)}` } : {}),
  }))
}
