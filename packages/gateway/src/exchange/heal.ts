/**
 * A refusal that can be healed is: the request is made once more, stricter in what the provider's error names, and only
 * before a byte of an answer was forwarded.
 */
import type { IncomingMessage } from "node:http"
import { readWhole } from "../answer/read-answer.ts"
import { textMember } from "../conversation/slices.ts"
import { type Demands, demandsOf, knows, type Lesson, lessonsOf } from "./lessons.ts"
import type { Refused, Turn } from "./turn.ts"

export interface Sendable {
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
  readonly bytes: Buffer
}

export interface Sent<Made extends Sendable> {
  readonly answer: IncomingMessage
  readonly made: Made
  /** The body of the answer, where it had to be read: then it was a refusal. */
  readonly refusal?: string
  /** The requirement that was learned. */
  readonly healed?: string
  /** The first refusal, healed or not. */
  readonly refused?: Refused
}

const mostRefusalBytes = 1 << 20

/** The lessons that hold for a request. */
const lessonsFor = ({
  lessons,
  upstream,
  conversation,
  ask,
  body,
  model,
}: Turn): { readonly name: string | undefined; readonly known: readonly Lesson[] } => {
  // Nobody looks for the model of a body while there is nothing to know about any.
  const name = lessons.size === 0 ? undefined : (model ?? ask.model ?? textMember(body.bytes, "model"))
  return { name, known: [...lessons.of(upstream, name), ...conversation.lessons] }
}

/**
 * A provider stops at the first thing it objects to: when that is healed, it may name the next one. So often it is asked
 * again, and only while its words and the request change.
 */
const mostTries = 3

/** Refusals of a request as it is. Servers that render templates say it with a 500; items that they do not know are a 404. */
const isRefusal = (status: number): boolean => status === 400 || status === 404 || status === 413 || status === 422 || status === 500

export const sendHealing = async <Made extends Sendable>(turn: Turn, make: (demands: Demands) => Made): Promise<Sent<Made>> => {
  const { upstream, lessons, conversation, wire, config, ask } = turn
  const { known } = lessonsFor(turn)
  const made = make(demandsOf(upstream, known))
  const answer = await turn.send(made.path, made.headers, made.bytes)
  const heals = config.repair && ask.kind === "generate"
  if (!heals || !isRefusal(answer.statusCode ?? 502)) return { answer, made }
  const own = ["model", "stream", wire.list, ...wire.prompt, "contents", "input", "messages"]
  const first = (await readWhole(answer, mostRefusalBytes)).toString("utf8")
  turn.refused?.(answer.statusCode ?? 502, first)
  const refused = { status: answer.statusCode ?? 502, text: first }
  const learned: Lesson[] = []
  let [last, status, refusal] = [made, answer.statusCode ?? 502, first]
  while (learned.length < mostTries) {
    const so = [...known, ...learned]
    let again: Made | undefined
    for (const lesson of lessonsOf(status, refusal, own)) {
      if (knows(so, lesson) || knows(conversation.useless, lesson)) continue
      const next = make(demandsOf(upstream, [...so, lesson]))
      if (next.bytes.equals(last.bytes)) continue
      again = next
      learned.push(lesson)
      break
    }
    if (!again) break
    const second = await turn.send(again.path, again.headers, again.bytes)
    status = second.statusCode ?? 502
    if (status < 400) {
      const name = turn.model ?? ask.model ?? textMember(turn.body.bytes, "model")
      for (const lesson of learned) {
        if (lesson.scope === "conversation") conversation.lessons.push(lesson)
        else lessons.learn(upstream, name, lesson)
      }
      return { answer: second, made: again, healed: learned.map(({ rule }) => rule).join(","), refused }
    }
    refusal = (await readWhole(second, mostRefusalBytes)).toString("utf8")
    if (!isRefusal(status)) break
    last = again
  }
  // The next request of this conversation need not try in vain again.
  conversation.useless.push(...learned)
  // The first refusal is about the request that the client made.
  return { answer, made, refusal: first, refused }
}
