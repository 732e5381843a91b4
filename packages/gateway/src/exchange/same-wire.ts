/** The upstream speaks the wire of the client: its own bytes go on, or repaired ones, and the answer passes as it comes. */
import type { IncomingMessage } from "node:http"
import type { ReportEntry } from "ligature"
import { passAnswer } from "../answer/pass.ts"
import { membersFrom, skipBlanks } from "../conversation/slices.ts"
import { targetOf } from "../server/target.ts"
import { flat, forwarded } from "../upstream/headers.ts"
import { sendHealing } from "./heal.ts"
import { withoutCounter } from "./billing.ts"
import { answerCount } from "./count.ts"
import { editBody } from "./edits.ts"
import { judgeGrowth, judgeWhole } from "./judge.ts"
import type { Demands } from "./lessons.ts"
import { type AnswerTap, tapOf } from "../record/tap.ts"
import { withoutMembers } from "./write-body.ts"
import { type Look, type Outcome, ownHeaders, storeOf, type Turn } from "./turn.ts"

interface Judgement {
  readonly bytes: Buffer
  readonly changes: readonly ReportEntry[]
  readonly look: Look
}

/** The body as it may be sent; the conversation remembers what was found out about it. */
const judged = ({ config, conversation, wire, body, ask }: Turn, demands: Demands): Judgement => {
  const { bytes } = body
  if (!config.repair || ask.kind !== "generate") return { bytes, changes: [], look: "none" }
  const { known, body: before } = conversation
  const growth = before && known?.profile === demands.key ? body.growthFrom(before) : undefined
  const grown = growth && known ? judgeGrowth(bytes, growth, known, wire, demands) : undefined
  const found = grown ?? judgeWhole(body, wire, demands)
  conversation.remember(body, found?.known)
  if (!found) return { bytes, changes: [], look: "none" }
  return { bytes: found.bytes, changes: found.changes, look: grown ? "grown" : "whole" }
}

/** The same body for another model. */
const forModel = (body: Buffer, model: string): Buffer => {
  const open = skipBlanks(body, 0)
  const span = body[open] === 123 ? membersFrom(body, open + 1, "model")?.get("model") : undefined
  if (!span) return body
  return Buffer.concat([body.subarray(0, span.start), Buffer.from(JSON.stringify(model)), body.subarray(span.end)])
}

/** The client's own address and query: `/v1/messages?beta=true` stays so. */
const pathOf = ({ request, wire, ask, model, upstream }: Turn): string => {
  const { path: pathname, search, query: searchParams } = targetOf(request.url)
  const path =
    ask.model !== undefined && model !== undefined ? wire.path(ask.kind, model, ask.stream === true).replace(/\?.*$/, "") : pathname
  const versioned = /^\/v\d/.test(path) ? path : `/v1${path}`
  if (upstream.key === undefined || !searchParams.has("key")) return versioned + search
  // A key in the address is a credential like any other.
  searchParams.delete("key")
  return searchParams.size === 0 ? versioned : `${versioned}?${searchParams}`
}

const headersOf = ({
  request,
  config,
  upstream,
  wire,
}: Pick<Turn, "request" | "config" | "upstream" | "wire">): readonly (readonly [string, string])[] => {
  const replaced = new Set(Object.keys(upstream.headers).map((name) => name.toLowerCase()))
  // A key of this gateway is nobody else's business.
  const own = upstream.key !== undefined || config.keys.length > 0
  const kept = forwarded(
    request.rawHeaders,
    (name) =>
      name === "host" ||
      name === "content-length" ||
      name === "content-encoding" ||
      replaced.has(name) ||
      (own && wire.credentials.includes(name)),
  )
  return [...kept, ...(upstream.key === undefined ? [] : [wire.keyHeader(upstream.key)]), ...Object.entries(upstream.headers)]
}

/** A refusal that was read goes on as it was, unpacked. */
const passRefusal = (answer: IncomingMessage, { response }: Turn, text: string, headers: ReturnType<typeof ownHeaders>): void => {
  const body = Buffer.from(text)
  const kept = forwarded(answer.rawHeaders, (name) => name === "content-length" || name === "content-encoding")
  response.writeHead(
    answer.statusCode ?? 502,
    answer.statusMessage ?? "",
    flat([...kept, ["content-length", String(body.length)], ...headers]),
  )
  response.end(body)
}

/** A question that is not about a conversation (which models there are): asked and answered as it is. */
export const passQuestion = async (
  question: Pick<Turn, "request" | "response" | "config" | "upstream" | "wire">,
  send: (path: string, headers: ReturnType<typeof headersOf>) => Promise<IncomingMessage>,
): Promise<void> => {
  const { path, search } = targetOf(question.request.url)
  const answer = await send(path + search, headersOf(question))
  await passAnswer(answer, question.response, { headers: [], wire: question.wire })
}

const tapFor = (answer: IncomingMessage, turn: Turn): AnswerTap | undefined => {
  const store = storeOf(turn)
  return store && tapOf(answer, turn.wire.name, turn.ask, store)
}

export const passExchange = async (turn: Turn): Promise<Outcome> => {
  const { answer, made, refusal, healed, refused } = await sendHealing(turn, (demands) => {
    const { bytes: valid, ...found } = judged(turn, demands)
    const bytes = withoutCounter(valid, turn.body, turn.upstream)
    const asked = turn.model === undefined || turn.ask.model !== undefined ? bytes : forModel(bytes, turn.model)
    const kept = withoutMembers(asked, demands.members)
    return {
      ...found,
      path: pathOf(turn),
      headers: headersOf(turn),
      bytes: editBody(kept, demands.edits, turn.wire.list),
      left: kept === asked ? [] : demands.members.map(({ name }) => name),
    }
  })
  const { changes, look, left } = made
  // Not everybody who answers counts as well.
  if (turn.ask.kind === "count" && [404, 405, 501].includes(answer.statusCode ?? 502)) {
    answer.resume()
    answerCount(turn)
    return { status: 200, ended: "complete", look, changes }
  }
  const status = answer.headers["retry-after"] === undefined ? answer.statusCode : undefined
  const headers = ownHeaders(turn.conversation, { changes, left, healed, status })
  const outcome = { status: answer.statusCode ?? 502, look, changes, ...(healed !== undefined && { healed }), ...(refused && { refused }) }
  if (refusal === undefined)
    return { ...outcome, ended: await passAnswer(answer, turn.response, { headers, wire: turn.wire, tap: tapFor(answer, turn) }) }
  passRefusal(answer, turn, refusal, headers)
  return { ...outcome, ended: "complete" }
}
