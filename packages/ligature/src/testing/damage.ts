/**
 * What goes wrong with histories in the wild, as operations on a list of messages: lost, doubled and swapped entries, cuts
 * at either end, changed, doubled and missing ids, cut arguments, blank and broken text, words between call and result.
 */
import { type Block, type CallBlock, type Message, user } from "../model/index.ts"

// A stream of decisions. Generators draw from it instead of from a random source, so that a history is a pure function of
// a list of numbers: property-test libraries can generate and shrink the list, and a seed gives a list for loops.

export class Choices {
  readonly #numbers: readonly number[]
  #next = 0

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers
  }

  /** So many decisions, always the same for a seed. */
  static fromSeed(seed: number, count: number): Choices {
    return new Choices(numbersFromSeed(seed, count))
  }

  /** A whole number from 0 to `below` - 1; 0 when the list is used up, so that shrinking gives the simplest choice. */
  number(below: number): number {
    const drawn = this.#numbers[this.#next++] ?? 0
    return Math.abs(Math.trunc(drawn)) % below
  }

  one<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.number(values.length)] ?? values[0]
  }

  /** True once in `of` draws. */
  chance(of: number): boolean {
    return this.number(of) === of - 1
  }
}

/** A list of numbers from a seed: xorshift, the same on every machine. */
export const numbersFromSeed = (seed: number, length: number): readonly number[] => {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1
  return Array.from({ length }, () => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state
  })
}

/** One kind of damage. Returns a new list; a list it cannot damage comes back as it is. */
export type Damage = (messages: readonly Message[], choices: Choices) => readonly Message[]

const at = (messages: readonly Message[], choices: Choices): number => choices.number(Math.max(1, messages.length))

const withMessage = (messages: readonly Message[], index: number, change: (message: Message) => Message): readonly Message[] =>
  messages.map((message, position) => (position === index ? change(message) : message))

/** Changes one block of a kind somewhere; nothing when there is none. */
const withBlock = (
  messages: readonly Message[],
  choices: Choices,
  type: Block["type"],
  change: (block: never) => readonly Block[],
): readonly Message[] => {
  const spots = messages.flatMap((message, index) =>
    message.blocks.flatMap((block, position) => (block.type === type ? [[index, position] as const] : [])),
  )
  const spot = spots[choices.number(Math.max(1, spots.length))]
  if (!spot) return messages
  return withMessage(messages, spot[0], (message) => ({
    ...message,
    blocks: message.blocks.flatMap((block, position) => (position === spot[1] ? change(block as never) : [block])),
  }))
}

const faultyArguments = (call: CallBlock, choices: Choices): CallBlock => {
  const whole = JSON.stringify(call.arguments)
  return choices.chance(2)
    ? { ...call, arguments: {}, raw: whole.slice(0, 1 + choices.number(whole.length - 1)), fault: "unparsable" }
    : { ...call, arguments: {}, raw: "[1,2]", fault: "not-object" }
}

/** Damage that keeps every call and result recognisable by its id. */
export const damages: Readonly<Record<string, Damage>> = {
  "cut the head": (messages, choices) => messages.slice(at(messages, choices)),
  "cut the tail": (messages, choices) => messages.slice(0, at(messages, choices) + 1),
  "lose a message": (messages, choices) => messages.toSpliced(at(messages, choices), 1),
  "lose a result": (messages, choices) => withBlock(messages, choices, "result", () => []),
  "lose a call": (messages, choices) => withBlock(messages, choices, "call", () => []),
  "double a message": (messages, choices) => {
    const index = at(messages, choices)
    const copy = messages[index]
    return copy ? messages.toSpliced(index + 1 + choices.number(3), 0, copy) : messages
  },
  "swap two neighbours": (messages, choices) => {
    const index = at(messages, choices)
    const [first, second] = [messages[index], messages[index + 1]]
    return first && second ? messages.toSpliced(index, 2, second, first) : messages
  },
  "move a message": (messages, choices) => {
    const index = at(messages, choices)
    const moved = messages[index]
    return moved ? messages.toSpliced(index, 1).toSpliced(at(messages, choices), 0, moved) : messages
  },
  "speak between": (messages, choices) => messages.toSpliced(at(messages, choices), 0, user("are you still there?")),
  "speak before results": (messages, choices) =>
    withBlock(messages, choices, "result", (block: Block) => [{ type: "text", text: "by the way" }, block]),
  "double a result": (messages, choices) => withBlock(messages, choices, "result", (block: Block) => [block, block]),
  "reverse results": (messages, choices) =>
    withMessage(messages, at(messages, choices), (message) =>
      message.role === "tool" ? { ...message, blocks: message.blocks.toReversed() } : message,
    ),
  "blank a text": (messages, choices) => withBlock(messages, choices, "text", () => [{ type: "text", text: " \n" }]),
  "empty a message": (messages, choices) => withMessage(messages, at(messages, choices), (message) => ({ ...message, blocks: [] })),
  "break a character": (messages, choices) =>
    withBlock(messages, choices, "text", () => [{ type: "text", text: `cut ${"🎉".slice(0, 1)}` }]),
  "cut arguments": (messages, choices) => withBlock(messages, choices, "call", (block: CallBlock) => [faultyArguments(block, choices)]),
  "lose a tool name": (messages, choices) => withBlock(messages, choices, "call", (block: CallBlock) => [{ ...block, name: "" }]),
  "put a result into the assistant message": (messages, choices) => {
    const index = messages.findIndex((message) => message.role === "tool")
    const carrier = messages[index]
    const owner = messages[index - 1]
    if (!carrier || owner?.role !== "assistant" || choices.chance(2)) return messages
    return messages.toSpliced(index - 1, 2, { ...owner, blocks: [...owner.blocks, ...carrier.blocks] })
  },
}

/** Damage that also takes ids away, so that only names and positions are left. */
export const idDamages: Readonly<Record<string, Damage>> = {
  "forget the id of a call": (messages, choices) => withBlock(messages, choices, "call", (block: CallBlock) => [{ ...block, id: "" }]),
  "forget the id of a result": (messages, choices) =>
    withBlock(messages, choices, "result", (block: Block) => [{ ...block, callId: "" } as Block]),
  "redact all ids": (messages) =>
    messages.map((message) => ({
      ...message,
      blocks: message.blocks.map((block): Block => {
        if (block.type === "call") return { ...block, id: "REDACTED" }
        return block.type === "result" ? { ...block, callId: "REDACTED" } : block
      }),
    })),
}

/** Applies up to `most` kinds of damage, chosen and placed by the choices. */
export const damageHistory = (
  messages: readonly Message[],
  choices: Choices,
  kinds: Readonly<Record<string, Damage>> = damages,
  most = 4,
): { readonly messages: readonly Message[]; readonly done: readonly string[] } => {
  const names = Object.keys(kinds) as [string, ...string[]]
  const done: string[] = []
  let damaged = messages
  for (let count = choices.number(most + 1); count > 0; count--) {
    const name = choices.one(names)
    done.push(name)
    damaged = kinds[name]?.(damaged, choices) ?? damaged
  }
  return { messages: damaged, done }
}
