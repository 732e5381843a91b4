/**
 * How many tokens a request has, where nobody can be asked who counts: the library's estimate, scaled to what the provider
 * reported of the last request of this conversation, and rounded up. Too high a count makes a client compact a little early,
 * too low a one makes its next request fail.
 */
import { decode, settle } from "ligature"
import { calibrate, estimateMeter, type Meter } from "ligature/compact"
import type { Conversation } from "../conversation/memory.ts"
import type { Json, Wire } from "../wires/wire.ts"
import { ownHeaders, jsonOf, type Turn, writeJson } from "./turn.ts"

const tokensOf = (body: Json, wire: Wire, meter: Meter): number => {
  const { conversation } = settle(decode(wire.name, body), { tip: "open" })
  const tools = body["tools"] === undefined ? 0 : meter.sizeOfTools(body["tools"]).tokens
  return conversation.items.reduce((sum, item) => sum + meter.sizeOfItem(item).tokens, tools)
}

const meterFor = ({ body, reported }: Conversation, wire: Wire): Meter => {
  const last = reported === undefined ? undefined : body && jsonOf(body)
  if (!last || reported === undefined) return estimateMeter
  try {
    return calibrate(estimateMeter, [{ estimated: tokensOf(last, wire, estimateMeter), reported }])
  } catch {
    return estimateMeter
  }
}

export const answerCount = ({ response, wire, body, conversation }: Turn): void => {
  const asked = jsonOf(body) ?? {}
  const inner = asked["generateContentRequest"]
  const request = typeof inner === "object" && inner !== null ? (inner as Json) : asked
  let tokens = 0
  try {
    tokens = Math.ceil(tokensOf(request, wire, meterFor(conversation, wire)))
  } catch {
    // What is no history of this wire is counted as what it is: text.
    tokens = estimateMeter.count(body.bytes.toString("utf8"))
  }
  writeJson(response, 200, wire.countBody(tokens), [...ownHeaders(conversation), ["x-ligature-estimated", "input-tokens"]])
}
