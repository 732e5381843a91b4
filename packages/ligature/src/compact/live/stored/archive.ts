/**
 * The archive of a conversation: everything on its path, as if nothing had ever been compacted, and which
 * entries each item is made of. Compactions are planned on the archive and not on the last view, so that a summary of a
 * summary never happens unless a model is asked to bring one up to date, and so that handles mean the same for ever.
 */
import { settle } from "../../../rules/index.ts"
import { type AssistantMessage, type Conversation, type Exchange, type Item, type Message, text } from "../../../model/index.ts"
import type { Entry, Loaded } from "../../../store/index.ts"
import { messageOf } from "../../../store/view.ts"

/** Reason of the hides a compaction writes; all others were made by people and stay. */
export const compactionReason = "compaction"

export interface Archive {
  readonly loaded: Loaded
  /** All that may be shown. */
  readonly conversation: Conversation
  /** Position in the whole history of each item, for handles: hidden items keep their numbers. */
  readonly positions: readonly number[]
  /** The messages the conversation was settled from, and the entry of each. */
  readonly messages: readonly Message[]
  readonly entries: readonly Entry[]
  /** Per message: the items it is part of. */
  readonly owners: readonly (readonly number[])[]
}

/** Ids that people took out of sight: by a hide that counts, of an entry or of a summary that stands for it. */
export const hiddenByPeople = ({ entries, stale }: Loaded): ReadonlySet<string> => {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const gone = new Set(stale)
  const hidden = new Set<string>()
  const hide = (id: string): void => {
    if (hidden.has(id)) return
    hidden.add(id)
    const entry = byId.get(id)
    if (entry?.kind === "summary") for (const { id: covered } of entry.covers) hide(covered)
  }
  for (const entry of entries) {
    if (entry.kind !== "hide" || entry.reason === compactionReason || gone.has(entry.id)) continue
    for (const { id } of entry.covers) hide(id)
  }
  return hidden
}

/** Messages with their number in `line`, which settle keeps on whatever it makes of them. */
const numbered = (entries: readonly Entry[]): readonly Message[] =>
  entries
    .flatMap((entry) => (entry.kind === "summary" ? [] : (messageOf(entry) ?? [])))
    .map((message, index) => ({ ...message, line: index + 1 }))

const lineOf = (message: Message | undefined): number | undefined => message?.line

/** Where an item begins: the number of its first message. */
const anchorOf = (item: Item): number | undefined => lineOf(item.role === "exchange" ? item.message : item)

/**
 * The numbers of the messages an exchange is made of. Results are found by their content, which settle never copies.
 */
const partsOf = (exchange: Exchange, carriers: ReadonlyMap<unknown, number>): readonly number[] => {
  const own = [lineOf(exchange.message), lineOf(exchange.reply)]
  const results = exchange.outcomes.map(({ result }) => (result === undefined ? undefined : carriers.get(result.content)))
  return [...own, ...results].flatMap((line) => (line === undefined ? [] : [line]))
}

/** The number of the message that carries each result, by its content. */
const carriersOf = (messages: readonly Message[]): ReadonlyMap<unknown, number> => {
  const carriers = new Map<unknown, number>()
  for (const [index, { blocks }] of messages.entries()) {
    for (const block of blocks) if (block.type === "result") carriers.set(block.content, index + 1)
  }
  return carriers
}

const ownersOf = (messages: readonly Message[], items: readonly Item[]): readonly (readonly number[])[] => {
  const carriers = carriersOf(messages)
  const owners: number[][] = messages.map(() => [])
  for (const [index, item] of items.entries()) {
    const lines = item.role === "exchange" ? partsOf(item, carriers) : [lineOf(item)].flatMap((line) => line ?? [])
    for (const line of new Set(lines)) owners[line - 1]?.push(index)
  }
  // What settle left out (empty messages, second copies) goes with what comes before it.
  let before = 0
  for (const own of owners) {
    if (own.length === 0) own.push(before)
    before = own.at(-1) ?? before
  }
  return items.length === 0 ? messages.map(() => []) : owners
}

/** Needs the whole path. The last exchange may be open. */
export const archiveOf = (loaded: Loaded): Archive => {
  const said = loaded.entries.filter(({ kind }) => kind === "message" || kind === "result")
  const hidden = hiddenByPeople(loaded)
  const entries = hidden.size === 0 ? said : said.filter(({ id }) => !hidden.has(id))
  const messages = numbered(entries)
  const transcript = { ...loaded.transcript, messages }
  const { conversation } = settle(transcript, { tip: "open" })
  const owners = ownersOf(messages, conversation.items)
  return { loaded, conversation, positions: positionsOf(said, entries, conversation), messages, entries, owners }
}

/** The whole history, hidden items included: what handles count in. Of an item that is hidden in part, the rest shows. */
export const wholeHistory = (loaded: Loaded): { readonly conversation: Conversation; readonly isHidden: (item: number) => boolean } => {
  const said = loaded.entries.filter(({ kind }) => kind === "message" || kind === "result")
  const hidden = hiddenByPeople(loaded)
  const messages = numbered(said)
  const { conversation } = settle({ ...loaded.transcript, messages }, { tip: "open" })
  if (hidden.size === 0) return { conversation, isHidden: () => false }
  const isHiddenLine = (line: number): boolean => hidden.has(said[line - 1]?.id ?? "")
  const open = new Set<number>()
  for (const [index, owners] of ownersOf(messages, conversation.items).entries()) {
    if (!isHiddenLine(index + 1)) for (const owner of owners) open.add(owner)
  }
  const carriers = carriersOf(messages)
  const items = conversation.items.map((item) => withoutHidden(item, isHiddenLine, carriers))
  return { conversation: { ...conversation, items }, isHidden: (item) => !open.has(item) }
}

/** An exchange that is hidden in part, without that content. */
const withoutHidden = (item: Item, isHidden: (line: number) => boolean, carriers: ReadonlyMap<unknown, number>): Item => {
  if (item.role !== "exchange" || !partsOf(item, carriers).some(isHidden)) return item
  const isGone = (message: Message | undefined): boolean => isHidden(lineOf(message) ?? 0)
  const { reply, ...exchange } = item
  return {
    ...exchange,
    ...(isGone(item.message) && { message: withoutContent(item.message) }),
    outcomes: item.outcomes.map((outcome) =>
      outcome.result && isHidden(carriers.get(outcome.result.content) ?? 0)
        ? { ...outcome, result: { ...outcome.result, content: [text(hiddenText)] } }
        : outcome,
    ),
    ...(reply && !isGone(reply) && { reply }),
  }
}

/** The text in place of what was hidden. */
const hiddenText = "[hidden]"

/** The calls stay, because results answer them; what they asked for does not. */
const withoutContent = (message: AssistantMessage): AssistantMessage => {
  const calls = message.blocks.flatMap((block) => {
    if (block.type !== "call") return []
    const { id, name } = block
    return [{ type: "call" as const, id, name, arguments: {} }]
  })
  return { role: message.role, blocks: [text(hiddenText), ...calls] }
}

const positionsOf = (said: readonly Entry[], shown: readonly Entry[], conversation: Conversation): readonly number[] => {
  if (said === shown) return conversation.items.map((_, index) => index)
  const messages = numbered(said)
  const whole = settle({ format: "ligature", messages }, { tip: "open" }).conversation
  const places = new Map<string, number>()
  // By every entry of an item: the one it begins with may be the one that is hidden.
  for (const [index, owners] of ownersOf(messages, whole.items).entries()) {
    const [owner] = owners
    if (owner !== undefined) places.set(said[index]?.id ?? "", owner)
  }
  let before = -1
  return conversation.items.map((item) => {
    const entry = shown[(anchorOf(item) ?? 0) - 1]
    before = (entry && places.get(entry.id)) ?? before + 1
    return before
  })
}
