/** What a target demands of the order of messages: who begins, who ends, who may follow whom. */
import {
  type AssistantBlock,
  type AssistantMessage,
  type Block,
  callsOf,
  type Exchange,
  fillers,
  type Item,
  type Native,
  phrase,
  pushAll,
  text,
  type TextBlock,
  type UserBlock,
  type UserMessage,
} from "../../model/index.ts"
import type { Profile } from "../profiles/profile.ts"
import { beginningOf, code, type Note, quoted } from "./note.ts"

type Step = (items: readonly Item[], profile: Profile, note: Note) => readonly Item[]

const shown = (ids: readonly string[]): string => ids.slice(0, 8).map(code).join(", ") + (ids.length > 8 ? ", …" : "")

const filler = (words: string): UserMessage => ({ role: "user", blocks: [text(words)] })

const speech = (message: AssistantMessage): Exchange => ({ role: "exchange", message, outcomes: [] })

const bridge = (): Exchange => speech({ role: "assistant", blocks: [text(fillers.bridge)] })

/** Changes items one by one; the same list when nothing changed. */
const expand = (items: readonly Item[], change: (item: Item, index: number) => readonly Item[] | undefined): readonly Item[] => {
  let out: Item[] | undefined
  items.forEach((item, index) => {
    const changed = change(item, index)
    if (changed) out ??= items.slice(0, index)
    if (out) pushAll(out, changed ?? [item])
  })
  return out ?? items
}

/** One call per message: the first keeps the text, the reply goes to the last. */
const serializeCalls: Step = (items, profile, note) =>
  profile.parallelCalls === "allow"
    ? items
    : expand(items, (item) => {
        if (item.role !== "exchange" || item.outcomes.length < 2) return undefined
        const calls = callsOf(item)
        const ids = calls.map((call) => call.id)
        const found = phrase`${profile.title} takes one tool call per message; ${shown(ids)} share one and would be sent one after the other`
        note("parallel-calls", "safe", "made one exchange of each parallel call", item, { ids, found })
        const rest = item.message.blocks.filter((block) => block.type !== "call")
        return calls.map((call, position): Exchange => {
          const blocks: readonly AssistantBlock[] = position === 0 ? [...rest, call] : [call]
          const outcome = item.outcomes[position]
          const last = position === calls.length - 1
          return {
            role: "exchange",
            message: { role: "assistant", blocks },
            outcomes: outcome ? [outcome] : [],
            ...(last && item.reply && { reply: item.reply }),
          }
        })
      })

/** Text and calls in messages of their own, with a word of the user between. */
const splitText: Step = (items, profile, note) =>
  profile.textBesideCalls === "allow"
    ? items
    : expand(items, (item) => {
        if (item.role !== "exchange" || item.outcomes.length === 0) return undefined
        const words = item.message.blocks.filter((block) => block.type !== "call")
        if (words.length === 0) return undefined
        const found =
          phrase`${profile.title} takes no text next to tool calls; ${beginningOf({ blocks: words })} would be sent in a message before ` +
          shown(callsOf(item).map((call) => call.id))
        note("call-beside-text", "synthetic", "moved the text of a message before its calls", item, { found })
        const message: AssistantMessage = { role: "assistant", blocks: callsOf(item) }
        return [speech({ role: "assistant", blocks: words }), filler(fillers.closing), { ...item, message }]
      })

const endsInResults = (item: Item | undefined): boolean =>
  item?.role === "exchange" && item.reply === undefined && item.outcomes.some((outcome) => outcome.result)

/** An assistant message between results and user text. */
const bridgeResults: Step = (items, profile, note) =>
  profile.textAfterResults === "allow"
    ? items
    : expand(items, (item, index) => {
        if (item.role !== "user" || !endsInResults(items[index - 1])) return undefined
        const found = phrase`${profile.title} takes no user message directly after tool results; an assistant message ${quoted(fillers.bridge)} would be added before ${beginningOf(item)}`
        note("result-beside-text", "synthetic", "put an assistant message between results and user text", item, { found })
        return [bridge(), item]
      })

/** True for user text that came in another message than the results directly before it. */
const standsApart = (native: Native, previous: Item | undefined): boolean => {
  if (previous?.role !== "exchange" || !endsInResults(previous)) return false
  const carrier = previous.outcomes.findLast((outcome) => outcome.result)?.carrier
  return carrier !== undefined && carrier !== native
}

/** Neighbours of one role become one message, where the target wants them to take turns. */
const mergeNeighbours: Step = (items, profile, note) => {
  if (!profile.alternate) return items
  const alternation = phrase`${profile.title} requires user and assistant messages to alternate`
  const out: Item[] = []
  let changed = false
  /** Blocks of the last message in `out` while it is still being joined: grown in place, so that long runs stay linear. */
  let growing: Block[] | undefined
  items.forEach((item) => {
    const previous = out.at(-1)
    if (item.role === "user" && previous?.role === "user") {
      const found = phrase`${alternation}; this user message (${beginningOf(item)}) would be joined with the one before it`
      note("role-alternation", "safe", "joined two user messages", item, { found })
      changed = true
      if (!growing) {
        growing = [...previous.blocks]
        out[out.length - 1] = { role: "user", blocks: growing as UserBlock[] }
      }
      pushAll(growing, item.blocks)
      return
    }
    if (item.role === "user" && item.native && standsApart(item.native, previous)) {
      const found = phrase`${alternation}; this user message (${beginningOf(item)}) would be joined with the results before it`
      note("role-alternation", "safe", "joined user text with the results before it", item, { found })
      growing = undefined
      changed = true
      // Without the message it came in, it is written into the one that carries the results.
      out.push({ role: "user", blocks: item.blocks })
      return
    }
    if (item.role !== "exchange" || previous?.role !== "exchange" || !endsInSpeech(previous)) {
      growing = undefined
      out.push(item)
      return
    }
    changed = true
    if (item.outcomes.length > 0 && profile.textBesideCalls === "split") {
      const found =
        phrase`${profile.title} takes no text next to tool calls; a user message ${quoted(fillers.closing)} would be added before ` +
        shown(callsOf(item).map((call) => call.id))
      note("call-beside-text", "synthetic", "put a user message between text and calls", item, { found })
      growing = undefined
      out.push(filler(fillers.closing), item)
      return
    }
    const found = phrase`${alternation}; this assistant message (${beginningOf(item.message)}) would be joined with the one before it`
    note("role-alternation", "safe", "joined two assistant messages", item, { found })
    const { reply, ...rest } = previous
    growing ??= [...(reply ?? previous.message).blocks]
    pushAll(growing, item.message.blocks)
    const message: AssistantMessage = { role: "assistant", blocks: growing as AssistantBlock[] }
    out.pop()
    if (reply) out.push(item.outcomes.length === 0 ? { ...rest, reply: message } : rest)
    if (!reply || item.outcomes.length > 0) out.push({ ...item, message })
    if (item.outcomes.length > 0) growing = undefined
  })
  return changed ? out : items
}

const endsInSpeech = (exchange: Exchange): boolean => exchange.reply !== undefined || exchange.outcomes.length === 0

/** One system message in front, where templates have no second one. */
const joinSystem: Step = (items, profile, note) => {
  const first = items.findIndex((item) => item.role !== "system")
  const count = first < 0 ? items.length : first
  if (profile.systemInMiddle === "keep" || count < 2) return items
  const found = phrase`${profile.title} takes one system message; the ${count} at the beginning would be joined`
  note("system-position", "safe", "joined the system messages", 0, { found })
  const blocks = items.slice(0, count).flatMap((item) => (item.role === "system" ? item.blocks : []))
  return [{ role: "system", blocks }, ...items.slice(count)]
}

const openWithUser: Step = (items, profile, note) => {
  // No target takes a request without any message.
  if (profile.first === "any" && items.length > 0) return items
  const first = items.findIndex((item) => item.role !== "system")
  if (first >= 0 && items[first]?.role === "user") return items
  const at = first < 0 ? items.length : first
  const begins = items[at]
  const given =
    begins?.role === "exchange"
      ? phrase`requires the first message to be the user's; it is the assistant's (${beginningOf(begins.message)})`
      : "requires at least one message besides the system prompt; there is none"
  const found = phrase`${profile.title} ${given}, and ${quoted(fillers.opening)} would be added`
  note("first-role", "synthetic", "added a first user message", begins ?? at, { found })
  return [...items.slice(0, at), filler(fillers.opening), ...items.slice(at)]
}

const closeWithUser: Step = (items, profile, note) => {
  const last = items.at(-1)
  if (profile.last === "any" || last?.role !== "exchange" || !endsInSpeech(last)) return items
  const found = phrase`${profile.title} requires the last message to be the user's or a tool result; it is the assistant's (${beginningOf(last.reply ?? last.message)}), and ${quoted(fillers.closing)} would be added`
  note("last-role", "synthetic", "added a last user message", last, { found })
  return [...items, filler(fillers.closing)]
}

/** A final assistant text may not end in whitespace. */
const trimFinal: Step = (items, profile, note) => {
  const last = items.at(-1)
  if (!profile.trimFinal || last?.role !== "exchange" || !endsInSpeech(last)) return items
  const message = last.reply ?? last.message
  const final = message.blocks.at(-1)
  if (final?.type !== "text" || final.text === final.text.trimEnd()) return items
  const found = phrase`${profile.title} takes no white space at the end of the final assistant text; ${quoted(final.text.slice(-40))} would be trimmed`
  note("last-role", "safe", "trimmed the end of the final assistant text", last, { original: final, found })
  const trimmed: TextBlock = { ...final, text: final.text.trimEnd() }
  const next = { ...message, blocks: [...message.blocks.slice(0, -1), trimmed] }
  return [...items.slice(0, -1), last.reply ? { ...last, reply: next } : { ...last, message: next }]
}

const steps: readonly Step[] = [
  joinSystem,
  serializeCalls,
  splitText,
  bridgeResults,
  openWithUser,
  mergeNeighbours,
  closeWithUser,
  trimFinal,
]

/** Applies all of them in order; the same list when the order already fits. */
export const arrange = (items: readonly Item[], profile: Profile, note: Note): readonly Item[] =>
  steps.reduce((arranged, step) => step(arranged, profile, note), items)
