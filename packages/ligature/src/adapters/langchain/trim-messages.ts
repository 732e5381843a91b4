/**
 * Trimming that never parts a call from its results, for lists and for the state of a graph. A checkpointer keeps what a
 * reducer made of the updates it got, so a trimmed state is written as an update: the removals, or, where messages have
 * no ids, everything anew.
 */
import { atomicGroups } from "../../messages/index.ts"
import { langgraph } from "../../sessions/langgraph/index.ts"
import { assertOptions, LigatureError, type Message, type Wire } from "../../model/index.ts"

export interface TrimOptions<Input> {
  /** The most messages to keep, those kept first included. Default: no limit. */
  readonly maxMessages?: number
  /** The most tokens to keep, as `meter` counts them. Default: no limit. */
  readonly maxTokens?: number
  /** Tokens of one message; needed for `maxTokens`. */
  readonly meter?: (message: Input) => number
  /** How many messages at the start stay in any case. Default: the system messages there. */
  readonly keepFirst?: number
  /** `human` (default): what is kept of the rest begins with a person, as several providers demand. */
  readonly startOn?: "human" | "any"
  /** Makes a message of a plain object: `coerceMessageLikeToMessage` of `@langchain/core/messages`. */
  readonly coerce?: (message: never) => Input
}

/** Takes a message out of a graph's state. */
export interface Removal {
  readonly type: "remove"
  readonly id: string
}

export interface Trimmed<Input> {
  /** The messages that stay: the very same list where all do. */
  readonly messages: Input[]
  readonly removed: Input[]
  /** What a node returns as `messages` to make the state so: `{ messages: update }`. Empty where nothing goes. */
  readonly update: (Input | Removal)[]
}

const removeAll = "__remove_all__"

/** As much of a message as grouping wants to know. */
const outline = ({ role, blocks }: Message): readonly Wire[] => {
  const [first] = blocks
  if (first?.type === "result") return [{ role: "tool", tool_call_id: first.callId, content: "" }]
  const calls = blocks.flatMap((block) => (block.type === "call" ? [{ id: block.id, function: { name: block.name, arguments: "" } }] : []))
  return [{ role, content: "", ...(calls.length > 0 && { tool_calls: calls }) }]
}

/** How many groups at the end fit; the newest always stays, whatever it costs. */
const firstFitting = (
  groups: readonly (readonly number[])[],
  from: number,
  room: { messages: number; tokens: number },
  cost: (index: number) => number,
): number => {
  let { messages, tokens } = room
  let first = groups.length
  while (first > from) {
    const group = groups[first - 1] as readonly number[]
    messages -= group.length
    for (const index of group) tokens -= cost(index)
    if ((messages < 0 || tokens < 0) && first < groups.length) break
    first--
  }
  return first
}

const idOf = (message: unknown): string | undefined => {
  const id: unknown = (message as Wire)["id"]
  return typeof id === "string" && id !== "" ? id : undefined
}

/**
 * Keeps the start and the newest exchanges that fit. A node of a graph returns `{ messages: update }`.
 *
 * @example
 * const { update } = trimMessages(messages, { maxMessages: 40 })
 */
export const trimMessages = <Input>(messages: readonly Input[], options: TrimOptions<Input> = {}): Trimmed<Input> => {
  assertOptions(options, { maxMessages: true, maxTokens: true, meter: true, keepFirst: true, startOn: ["human", "any"], coerce: true })
  const { maxMessages = Infinity, maxTokens = Infinity, meter, startOn = "human" } = options
  if (maxTokens !== Infinity && !meter) {
    throw new LigatureError("bad-option", "Expected a meter beside maxTokens, a function that counts the tokens of a message")
  }
  const read = langgraph.decode(messages).messages
  const groups = atomicGroups(read.flatMap(outline))
  const roleAt = (group: number): string | undefined => read[groups[group]?.[0] ?? -1]?.role
  const cost = (index: number): number => (meter ? meter(messages[index] as Input) : 0)
  let head = 0
  if (options.keepFirst === undefined) while (roleAt(head) === "system") head++
  else while (head < groups.length && (groups[head]?.[0] ?? 0) < options.keepFirst) head++
  const kept = new Set<number>()
  for (const index of groups.slice(0, head).flat()) kept.add(index)
  let spent = 0
  for (const index of kept) spent += cost(index)
  const fitting = firstFitting(groups, head, { messages: maxMessages - kept.size, tokens: maxTokens - spent }, cost)
  let start = fitting
  if (startOn === "human" && fitting > head) while (start < groups.length && roleAt(start) !== "user") start++
  if (start === groups.length) start = fitting
  for (const index of groups.slice(start).flat()) kept.add(index)
  if (kept.size === messages.length) return { messages: messages as Input[], removed: [], update: [] }
  const stay = messages.filter((_, index) => kept.has(index))
  const removed = messages.filter((_, index) => !kept.has(index))
  return { messages: stay, removed, update: updateOf(stay, removed, options) }
}

type Coerce<Input> = Pick<TrimOptions<Input>, "coerce">

const removal = <Input>(id: string, { coerce }: Coerce<Input>): Input | Removal => {
  const message: Removal = { type: "remove", id }
  return coerce ? coerce(message as never) : message
}

/** Removals one by one, where a reducer would find each message by its id and no other one with it. */
const updateOf = <Input>(stay: readonly Input[], removed: readonly Input[], options: Coerce<Input>): (Input | Removal)[] => {
  const ids = removed.map(idOf).filter((id) => id !== undefined)
  const distinct = new Set(ids)
  const found = distinct.size === removed.length && !stay.some((message) => distinct.has(idOf(message) ?? ""))
  return found ? ids.map((id) => removal(id, options)) : stateUpdate(stay, options)
}

/**
 * The update that makes these messages the whole state of a graph: for a state that was repaired in the middle, where a
 * reducer alone could only append.
 *
 * @example
 * const update = stateUpdate(messages)
 */
export const stateUpdate = <Input>(messages: readonly Input[], options: Coerce<Input> = {}): (Input | Removal)[] => [
  removal(removeAll, options),
  ...messages,
]
