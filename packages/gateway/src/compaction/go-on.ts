/** The request that lets a model go on after calls which the gateway answered: what was sent, and what was said since. */
import { type CallBlock, decode, encode, type Message, type ResultBlock, settle } from "ligature"
import { recall } from "ligature/compact"
import type { Store } from "ligature/store"
import type { Upstream } from "../config/config.ts"
import { sliceBody } from "../conversation/slices.ts"
import { splice, writeList } from "../exchange/write-body.ts"
import { ownResult } from "../record/conversation-record.ts"
import { type Json, wireNames } from "../wires/wire.ts"
import { wires } from "../wires/index.ts"
import { recallName, type Round } from "./recall-answer.ts"

const messagesOf = (rounds: readonly Round[]): readonly Message[] =>
  rounds.flatMap(({ message, results }): Message[] => [message, { role: "tool", blocks: results }])

/** `sent`: the body the upstream was sent, in its own wire. */
export const bodyToGoOn = (sent: Buffer, upstream: Upstream, rounds: readonly Round[]): Buffer => {
  const { list: name } = wires[upstream.wire]
  const slices = sliceBody(sent, name)
  const value = JSON.parse(sent.toString("utf8")) as Json
  const before = value[name]
  const transcript = decode(upstream.wire, value as never)
  const { conversation } = settle({ ...transcript, messages: [...transcript.messages, ...messagesOf(rounds)] }, { tip: "open" })
  const list = (encode(conversation, upstream.profile as (typeof wireNames)[number]).value as Json)[name]
  if (!slices || !Array.isArray(before) || !Array.isArray(list)) throw new Error("The request cannot be gone on with")
  return splice(sent, slices.members, new Map([[name, writeList(list, before, sent, slices.elements)]]))
}

/** What the model asked for, read from the store. */
export const readBack = (store: Store, conversation: string, calls: readonly CallBlock[]): Promise<readonly ResultBlock[]> =>
  Promise.all(
    calls.map(async ({ id, arguments: given }): Promise<ResultBlock> => {
      const { text, media = [] } = await recall.read(store, conversation, given)
      return { type: "result", callId: id, name: recallName, content: [{ type: "text", text }, ...media], native: ownResult }
    }),
  )
