/**
 * Follows a rollout from its first record to its last and keeps, at every point, what the agent would send there
 * (`effective`) and all that was said on the way (`whole`).
 *
 *   compacted            the effective history becomes the replacement, or, in old files that have only a message, the
 *                        client's own messages so far and the message; the whole one notes the place
 *   thread_rolled_back   the last n prompts go, with all after them, compactions included; the path they were on is
 *                        kept as an abandoned one
 *
 * Histories are linked backwards, so that a point in time is one pointer, and going back to it costs nothing.
 */
import { asWord, canonicalJson, type Wire } from "../../model/index.ts"
import { callIdOf, isPrompt, textOf, typeOf } from "./items.ts"

/** One thing said on a path through a session. */
export interface Entry {
  /** Index of its record; items of a history that a compaction put in place are records of their own. */
  readonly index: number
  /** The item; nothing for text that no item has: a compaction's message, an event without twin. */
  readonly item?: Wire
  readonly text?: { readonly role: "user" | "assistant"; readonly text: string; readonly images?: readonly string[] }
  /** Written by a compaction in place of what it hides. */
  readonly summary?: true
}

export interface Link {
  readonly entry?: Entry
  /** What a compaction put in place, in order. */
  readonly replacement?: readonly Entry[]
  /** Of the record. */
  readonly index: number
  readonly before: Link | undefined
}

export interface Point {
  readonly effective: Link | undefined
  readonly whole: Link | undefined
}

export interface AbandonedPath {
  /** Where it ended. */
  readonly tip: Point
  /** Where it left the path that went on. */
  readonly fork: Point
}

interface Moment extends Point {
  readonly client: Link | undefined
}

const clientRoles: ReadonlySet<unknown> = new Set(["user", "developer", "system"])

const isOfClient = ({ item, text }: Entry): boolean =>
  text ? text.role === "user" : item !== undefined && typeOf(item) === "message" && clientRoles.has(item["role"])

export class Walk {
  readonly abandoned: AbandonedPath[] = []
  #effective: Link | undefined
  #whole: Link | undefined
  /** Of the effective history, what the client said: all that an old compaction keeps. */
  #client: Link | undefined
  /** The moment before each prompt. */
  readonly #turns: Moment[] = []

  get tip(): Point {
    return { effective: this.#effective, whole: this.#whole }
  }

  say(entry: Entry): void {
    const { item, text } = entry
    const isTurn = text ? text.role === "user" : item !== undefined && isPrompt(item)
    if (isTurn) this.#turns.push({ effective: this.#effective, whole: this.#whole, client: this.#client })
    this.#whole = { entry, index: entry.index, before: this.#whole }
    this.#keep(entry)
  }

  /** `rebuilt`: the replacement is a whole history; else only a summary that goes after the client's messages. */
  compact(index: number, replacement: readonly Entry[], rebuilt: boolean): void {
    this.#whole = { replacement, index, before: this.#whole }
    this.#effective = rebuilt ? undefined : this.#client
    if (rebuilt) this.#client = undefined
    for (const entry of replacement) {
      if (entry.summary === true) this.#effective = { entry, index, before: this.#effective }
      else this.#keep(entry)
    }
  }

  rollBack(turns: number): void {
    const first = Math.max(0, this.#turns.length - turns)
    const moment = this.#turns[first]
    if (!moment || turns <= 0) return
    this.abandoned.push({ tip: this.tip, fork: moment })
    this.#effective = moment.effective
    this.#whole = moment.whole
    this.#client = moment.client
    this.#turns.length = first
  }

  #keep(entry: Entry): void {
    const { index } = entry
    this.#effective = { entry, index, before: this.#effective }
    if (isOfClient(entry)) this.#client = { entry, index, before: this.#client }
  }
}

/** The links from the beginning to `tip`; from after `fork` where one is given. */
export const linksTo = (tip: Link | undefined, fork?: Link): readonly Link[] => {
  const links: Link[] = []
  for (let link = tip; link && link !== fork; link = link.before) links.push(link)
  return links.reverse()
}

/** Two entries with one key say the same; ids and bookkeeping of the item aside. */
const keyOf = ({ item, text }: Entry): string => {
  if (!item) return `${text?.role ?? ""}\u0000${text?.text ?? ""}`
  const type = typeOf(item)
  if (type === "message") {
    const said = textOf(item)
    return `${asWord(item["role"])}\u0000${said === "" ? canonicalJson(item["content"]) : said}`
  }
  const id = callIdOf(item) ?? item["encrypted_content"] ?? item["id"]
  return `${asWord(type)}\u0000${typeof id === "string" ? id : canonicalJson(item)}`
}

/**
 * All that was said, in order: where a compaction put a history in place of the old one, only the part of it that was not
 * said before is shown (the summary, surroundings said anew), so that nothing is there twice.
 */
export const wholeEntries = (links: readonly Link[]): readonly Entry[] => {
  const isCompacted = links.some((link) => link.replacement)
  const entries: Entry[] = []
  const said = new Set<string>()
  for (const { entry, replacement } of links) {
    if (entry) entries.push(entry)
    if (entry && isCompacted) said.add(keyOf(entry))
    const anew = replacement?.filter((other) => !said.has(keyOf(other))) ?? []
    for (const other of anew) {
      entries.push(other)
      said.add(keyOf(other))
    }
  }
  return entries
}

export const effectiveEntries = (links: readonly Link[]): readonly Entry[] => links.flatMap(({ entry }) => entry ?? [])
