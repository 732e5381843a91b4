/**
 * The calls in front of a user message that its text results may answer. A header names the tool and often what the call
 * was about (`[read_file for 'a.ts'] Result:`): that decides between calls of one name, and it keeps the result of an
 * earlier call away from the one that waits. Otherwise it decides nothing alone, because agents also write `for 4 files`
 * or `for 'undefined'`.
 */
import type { Block, CallBlock, JsonValue } from "../../model/index.ts"

interface Header {
  readonly name?: string
  readonly hint?: string
}

const texts = (value: JsonValue): readonly string[] => {
  if (typeof value === "string") return value === "" ? [] : [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(texts)
}

/** Agents shorten what they show: either may contain the other. */
const isAbout = (call: CallBlock, hint: string): boolean =>
  texts(call.arguments).some((value) => value.includes(hint) || hint.includes(value))

/** What headers show is short; whole files that a call writes need not be remembered. */
const longestHint = 400

/** So many calls are compared with a hint: a message has a few, and comparing all with all would take forever. */
const mostCompared = 256

/** Calls in order; those that were taken are skipped, and forgotten where they come first. */
class Waiting {
  private readonly calls: CallBlock[] = []
  private first = 0

  add(call: CallBlock): void {
    this.calls.push(call)
  }

  /** The first ones that were not taken. */
  few(taken: ReadonlySet<CallBlock>): readonly CallBlock[] {
    while (this.first < this.calls.length && taken.has(this.calls[this.first] as CallBlock)) this.first++
    return this.calls.slice(this.first, this.first + mostCompared).filter((call) => !taken.has(call))
  }
}

export class OpenCalls {
  private all = new Waiting()
  private byName = new Map<string, Waiting>()
  private added: CallBlock[] = []
  private readonly taken = new Set<CallBlock>()
  /** What calls that no longer wait were about, each under the name of its tool. */
  private readonly past = new Set<string>()

  add(blocks: readonly Block[]): void {
    for (const block of blocks) {
      if (block.type !== "call") continue
      const named = this.byName.get(block.name) ?? new Waiting()
      this.byName.set(block.name, named)
      for (const list of [this.all, named]) list.add(block)
      this.added.push(block)
    }
  }

  /** Leaves out calls that results as blocks answer. */
  answer(blocks: readonly Block[]): void {
    const answered = new Set(blocks.flatMap((block) => (block.type === "result" ? [block.callId] : [])))
    if (answered.size > 0) for (const call of this.added) if (answered.has(call.id)) this.taken.add(call)
  }

  take({ name, hint: shown }: Header): CallBlock | undefined {
    // An empty one is part of every argument.
    const hint = shown === "" ? undefined : shown
    const waiting = name === undefined ? this.all : this.byName.get(name)
    const candidates = waiting?.few(this.taken) ?? []
    const meant = hint === undefined ? undefined : candidates.find((call) => isAbout(call, hint))
    if (!meant && hint !== undefined && this.past.has(`${name}\0${hint}`)) return undefined
    const found = meant ?? candidates[0]
    if (!found) return undefined
    this.taken.add(found)
    this.remember(found)
    return found
  }

  clear(): void {
    for (const call of this.added) if (!this.taken.has(call)) this.remember(call)
    this.all = new Waiting()
    this.byName = new Map()
    this.added = []
    this.taken.clear()
  }

  private remember(call: CallBlock): void {
    for (const value of texts(call.arguments)) if (value.length <= longestHint) this.past.add(`${call.name}\0${value}`)
  }
}
