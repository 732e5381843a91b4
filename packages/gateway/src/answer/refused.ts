/** An error of an upstream, in the words of the client's wire. */
import { type Failure, isJson } from "../wires/wire.ts"

/** How providers say that a request is longer than the context window of the model. */
const contextWords =
  /prompt is too long|context[ _]length|maximum context|context window|input token count.{0,40}exceeds|too many (?:input )?tokens|reduce the length/i

/** The sentence in an error body, wherever its provider puts it. */
export const messageIn = (text: string): string => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text.slice(0, 2000)
  }
  const first = Array.isArray(value) ? value[0] : value
  const error = isJson(first) ? first["error"] : undefined
  if (typeof error === "string") return error
  const message = isJson(error) ? error["message"] : isJson(first) ? (first["message"] ?? first["detail"]) : undefined
  return typeof message === "string" ? message : text.slice(0, 2000)
}

export const failureOf = (status: number, text: string): Failure => {
  const message = messageIn(text) || `The provider answered ${status}`
  const isContext = (status === 400 || status === 413 || status === 422) && contextWords.test(text)
  return { status: isContext ? 400 : status, message, ...(isContext && { code: "context" }) }
}
