/**
 * A refusal that can be healed is: the request is made once more, stricter in what the provider's error names. At most once
 * for a request, only for a 400, and only before a byte of an answer was forwarded.
 */
import type { IncomingMessage } from "node:http"
import { readWhole } from "../answer/read-answer.ts"
import { textMember } from "../conversation/slices.ts"
import { type Demands, demandsOf, knows, type Lesson, lessonOf } from "./lessons.ts"
import type { Turn } from "./turn.ts"

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
  const name = lessons.size === 0 ? undefined : (model ?? ask.model ?? textMember(body, "model"))
  return { name, known: [...lessons.of(upstream, name), ...conversation.lessons] }
}

export const sendHealing = async <Made extends Sendable>(turn: Turn, make: (demands: Demands) => Made): Promise<Sent<Made>> => {
  const { upstream, lessons, conversation, wire } = turn
  const { known } = lessonsFor(turn)
  const made = make(demandsOf(upstream, known))
  const answer = await turn.send(made.path, made.headers, made.bytes)
  const { statusCode: status = 502 } = answer
  if ((status !== 400 && status !== 422) || !turn.config.repair || turn.ask.kind !== "generate") return { answer, made }
  const refusal = (await readWhole(answer, mostRefusalBytes)).toString("utf8")
  const lesson = lessonOf(status, refusal, ["model", "stream", wire.list, ...wire.prompt, "contents", "input", "messages"])
  if (!lesson || knows(known, lesson)) return { answer, made, refusal }
  const again = make(demandsOf(upstream, [...known, lesson]))
  if (again.bytes.equals(made.bytes)) return { answer, made, refusal }
  const second = await turn.send(again.path, again.headers, again.bytes)
  if ((second.statusCode ?? 502) >= 400) {
    second.resume()
    return { answer, made, refusal }
  }
  if (lesson.scope === "conversation") conversation.lessons.push(lesson)
  else lessons.learn(upstream, turn.model ?? turn.ask.model ?? textMember(turn.body, "model"), lesson)
  return { answer: second, made: again, healed: lesson.rule }
}
