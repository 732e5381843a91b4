/**
 * Follows a rollout from its first record to its last and keeps, at every point, what the agent would send there
 * (`effective`) and all that was said on the way (`whole`).
 *
 *   compacted            the effective history becomes the replacement, or, in old files that have only a message, the
 *                        client's own words so far and the message; the whole one notes the place
 *   thread_rolled_back   the last n prompts go, with all behind them, compactions included; the path they were on is
 *                        kept as an abandoned one
 *
 * Histories are linked backwards, so that a point in time is one pointer, and going back to it costs nothing.
 */
import type { Diagnostic, Wire } from "../../model/index.ts"
import { isPrompt, typeOf } from "./items.ts"

/** One thing said on a path through a session, with the place in the file where it stands. */
export interface Entry {
  /** The item; for words that stand in no item, the record that holds them. Tells entries apart by identity. */
  readonly source: Wire
  /** Index of the record. */
  readonly record: number
  /** Index in the history that a compaction put in place of what was said. */
  readonly at?: number
  /** Words that stand in no item: a compaction's message, an event without twin. */
  readonly words?: { readonly role: "user" | "assistant"; readonly text: string; readonly images?: readonly string[] }
  /** Written by a compaction in place of what it hides. */
  readonly summary?: true
}

/** What a file says of one path, and what is odd about the file. */
export interface Reading {
  readonly entries: readonly Entry[]
  readonly findings: readonly Finding[]
  /** Records that repeat the one in front of them: read once, written once. */
  readonly repeated: ReadonlySet<number>
}

/** A finding, before the line of its record is known. */
export interface Finding {
  readonly kind: "missing-history" | "repeated-record" | "unknown-record" | "malformed-record" | "kind-mismatch"
  readonly record: number
  readonly what: string
  readonly ids?: readonly string[]
  /** In place of what the kind says in general. */
  readonly why?: string
  readonly help?: string
  /** What writing the session does about it. */
  readonly repair?: NonNullable<Diagnostic["repair"]>
}

export interface Replacement {
  readonly record: number
  /** What the compaction put in place, in order; the words of its message last, where no item says them. */
  readonly entries: readonly Entry[]
}

export interface Link {
  readonly entry?: Entry
  readonly replacement?: Replacement
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

const isClientWord = (entry: Entry): boolean =>
  isMessage(entry) && clientRoles.has(entry.words ? entry.words.role : entry.source["role"])

export class Walk {
  readonly abandoned: AbandonedPath[] = []
  #effective: Link | undefined
  #whole: Link | undefined
  /** Of the effective history, what the client said: all that an old compaction keeps. */
  #client: Link | undefined
  /** The moment in front of each prompt. */
  readonly #turns: Moment[] = []

  get tip(): Point {
    return { effective: this.#effective, whole: this.#whole }
  }

  say(entry: Entry): void {
    const prompt = entry.words ? entry.words.role === "user" : isPrompt(entry.source)
    if (prompt) this.#turns.push({ effective: this.#effective, whole: this.#whole, client: this.#client })
    this.#whole = { entry, before: this.#whole }
    this.#hear(entry)
  }

  /** `rebuilt`: the replacement is a whole history; else only a summary that goes behind the client's words. */
  compact(replacement: Replacement, rebuilt: boolean): void {
    this.#whole = { replacement, before: this.#whole }
    this.#effective = rebuilt ? undefined : this.#client
    if (rebuilt) this.#client = undefined
    for (const entry of replacement.entries) {
      if (entry.summary === true) this.#effective = { entry, before: this.#effective }
      else this.#hear(entry)
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

  #hear(entry: Entry): void {
    this.#effective = { entry, before: this.#effective }
    if (isClientWord(entry)) this.#client = { entry, before: this.#client }
  }
}

/** The links from the beginning to `tip`; from behind `fork` where one is given. */
export const linksTo = (tip: Link | undefined, fork?: Link): readonly Link[] => {
  const links: Link[] = []
  for (let link = tip; link && link !== fork; link = link.before) links.push(link)
  return links.reverse()
}

export const isMessage = ({ source, words }: Entry): boolean => words !== undefined || typeOf(source) === "message"
