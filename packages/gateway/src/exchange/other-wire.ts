/** The upstream speaks another wire than the client: the request is translated, and so is the answer. */
import { replyOf } from "ligature/record"
import { convertStream, convertWhole } from "../answer/convert-answer.ts"
import { readWhole } from "../answer/read-answer.ts"
import { failureOf } from "../answer/refused.ts"
import { type Chains, uniqueOf } from "../conversation/chains.ts"
import { wires } from "../wires/index.ts"
import { isJson, type Json, type Wire } from "../wires/wire.ts"
import { answerCount } from "./count.ts"
import { sendHealing } from "./heal.ts"
import { type Outcome, ownHeaders, jsonOf, storeOf, type Turn, writeFailure } from "./turn.ts"
import { translate } from "./translate.ts"

const itemsOf = (input: unknown): readonly unknown[] =>
  Array.isArray(input) ? input : typeof input === "string" ? [{ role: "user", content: input }] : []

/** The request with everything that led to the response it goes on from; undefined where that is not known. */
const chained = async (body: Json, chains: Chains, { owner, recording }: Turn): Promise<Json | undefined> => {
  const { previous_response_id: previous, ...rest } = body
  if (typeof previous !== "string") return body
  const before = chains.find(previous, owner) ?? (await recording?.chain(previous))
  return before && { ...rest, input: [...before, ...itemsOf(body["input"])] }
}

const headersFor = ({ upstream }: Turn, target: Wire, stream: boolean): readonly (readonly [string, string])[] => [
  ["content-type", "application/json"],
  ["accept", stream ? "text/event-stream" : "application/json"],
  ["accept-encoding", "identity"],
  ...Object.entries(target.headers),
  // A client's own key is for its own provider, and never goes to another one.
  ...(upstream.key === undefined ? [] : [target.keyHeader(upstream.key)]),
  ...Object.entries(upstream.headers),
]

const refused = (turn: Turn, failure: Parameters<Wire["errorBody"]>[0]): Outcome => {
  writeFailure(turn.response, turn.wire, failure, ownHeaders(turn.conversation))
  return { status: failure.status, ended: "complete", look: "none", changes: [] }
}

export const convertExchange = async (turn: Turn, chains: Chains): Promise<Outcome> => {
  const { response, wire, ask, upstream, model, conversation, owner } = turn
  if (ask.kind === "count") {
    answerCount(turn)
    return { status: 200, ended: "complete", look: "none", changes: [] }
  }
  const given = jsonOf(turn.body)
  if (!given || !(Array.isArray(given[wire.list]) || typeof given[wire.list] === "string")) {
    return refused(turn, { status: 400, message: `Expected a JSON object with a list under "${wire.list}"` })
  }
  const body = wire.name === "openai-responses" ? await chained(given, chains, turn) : given
  if (!body) {
    const message = `Previous response with id '${String(given["previous_response_id"])}' not found.`
    return refused(turn, { status: 400, message, code: "previous-response" })
  }
  const target = wires[upstream.wire]
  const {
    answer,
    made,
    refusal,
    healed,
    refused: first,
  } = await sendHealing(turn, (demands) => {
    const translated = translate(body, { wire, ask, upstream, model, carrier: conversation.carrier, demands })
    const { model: sentModel, stream } = translated
    return { ...translated, path: target.path(ask.kind, sentModel, stream), headers: headersFor(turn, target, stream) }
  })
  // By this the next request is known as one of the same conversation.
  conversation.remember(turn.body, undefined)
  conversation.reported = undefined
  const { asked, stream, tools, changes, left } = made
  const status = answer.statusCode ?? 502
  const after = answer.headers["retry-after"]
  const headers = ownHeaders(conversation, { changes, left, healed, ...(after === undefined && { status }) })
  const outcome = { status, look: "converted" as const, changes, ...(healed !== undefined && { healed }), ...(first && { refused: first }) }
  if (status >= 400) {
    const text = refusal ?? (await readWhole(answer, 1 << 20).catch(() => Buffer.alloc(0))).toString("utf8")
    writeFailure(response, wire, failureOf(status, text), typeof after === "string" ? [...headers, ["retry-after", after]] : headers)
    return { ...outcome, ended: "complete" }
  }
  const usageEvent = isJson(given["stream_options"]) && given["stream_options"]["include_usage"] === true
  const options = {
    from: upstream.wire,
    wire,
    ask,
    model: asked,
    tools,
    usageEvent,
    headers,
    now: Date.now(),
    store: storeOf(turn),
    ...(wire.name === "openai-responses" && { unique: uniqueOf(conversation.id, owner) }),
  }
  const done = await (stream ? convertStream(answer, response, options) : convertWhole(answer, response, options))
  if (!turn.recording) conversation.carrier.keep(done.recorded.message)
  conversation.reported = done.recorded.usage?.inputTokens
  if (wire.name === "openai-responses" && done.recorded.complete) {
    const output = replyOf(done.own, wire.name, { id: done.id }).body["output"]
    chains.keep(done.id, owner, [...itemsOf(body["input"]), ...itemsOf(output)])
  }
  return { ...outcome, ended: done.ended, usage: done.recorded.usage }
}
