/**
 * A neutral answer of a model, and arbitrary ones. Renderers write it as a stream of their format and as the message an
 * answer in one piece would have held, so that the two can be compared.
 */
import fc from "fast-check"
import type { RecordedFormat } from "../../../src/record/index.ts"

export type AnswerPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string; readonly signature: string }
  | {
      readonly type: "call"
      readonly id: string
      readonly name: string
      readonly arguments: Readonly<Record<string, unknown>>
    }

export interface Answer {
  readonly parts: readonly AnswerPart[]
}

export type AnswerCall = Extract<AnswerPart, { type: "call" }>

export const callsIn = (answer: Answer): readonly AnswerCall[] => answer.parts.filter((part) => part.type === "call")

/** Cuts a text at places the numbers choose; nothing for an empty text. */
export type Cutter = (text: string) => readonly string[]

export const cutterOf = (sizes: readonly number[]): Cutter => {
  let next = 0
  return (text) => {
    const pieces: string[] = []
    for (let start = 0; start < text.length;) {
      const size = 1 + ((sizes[next++ % Math.max(1, sizes.length)] ?? 6) % 17)
      pieces.push(text.slice(start, start + size))
      start += size
    }
    return pieces
  }
}

/** How a format says an answer. */
export interface Renderer {
  readonly format: RecordedFormat
  /** What the tests call it, where one format has several streams. */
  readonly name?: string
  /** Absent where no provider takes the format as it is. */
  readonly profile?: string
  /** The events of the stream, in order; texts are markers. */
  readonly events: (answer: Answer, cut: Cutter) => readonly unknown[]
  /** What an answer in one piece puts into a history: messages, contents or items. */
  readonly plain: (answer: Answer) => readonly unknown[]
  /** A request whose history is one user message and then these. */
  readonly request: (said: readonly unknown[]) => Readonly<Record<string, unknown>>
  /** The list of the request that holds the history. */
  readonly listOf: (request: Readonly<Record<string, unknown>>) => readonly unknown[]
  /** The order in which the format can say things. */
  readonly arrange?: (answer: Answer) => Answer
}

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).filter((text) => text.trim() !== "" && text.isWellFormed())

const value: fc.Arbitrary<unknown> = fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null), fc.array(words, { maxLength: 2 }))

const text = words.map((said): AnswerPart => ({ type: "text", text: said }))
const thinking = fc
  .tuple(words, fc.stringMatching(/^[A-Za-z0-9+]{8,20}$/))
  .map(([said, signature]): AnswerPart => ({ type: "thinking", text: said, signature }))
const call = fc
  .tuple(fc.constantFrom("read_file", "bash", "grep"), fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), value, { maxKeys: 4 }))
  .map(([name, args]): AnswerPart => ({ type: "call", id: "", name, arguments: { ...args } }))

/** Thinking, words and calls in any order; every call has an id of its own. */
export const anyAnswer: fc.Arbitrary<Answer> = fc
  .array(fc.oneof(text, thinking, call, call), { minLength: 1, maxLength: 6 })
  .map((parts) => ({
    parts: parts.map((part, index) => (part.type === "call" ? { ...part, id: `toolu_0${index}abc` } : part)),
  }))

/** One thinking, one text, then calls: all that formats without order can say. */
export const inFields = (answer: Answer): Answer => {
  const first = (type: AnswerPart["type"]): readonly AnswerPart[] => answer.parts.filter((part) => part.type === type).slice(0, 1)
  return { parts: [...first("thinking"), ...first("text"), ...callsIn(answer)] }
}
