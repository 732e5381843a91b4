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

export class OpenCalls {
  private calls: CallBlock[] = []
  /** What calls that no longer wait were about, each under the name of its tool. */
  private readonly past = new Set<string>()

  add(blocks: readonly Block[]): void {
    for (const block of blocks) if (block.type === "call") this.calls.push(block)
  }

  /** Leaves out calls that results as blocks answer. */
  answer(blocks: readonly Block[]): void {
    const answered = new Set(blocks.flatMap((block) => (block.type === "result" ? [block.callId] : [])))
    if (answered.size > 0) this.calls = this.calls.filter((call) => !answered.has(call.id))
  }

  take({ name, hint }: Header): CallBlock | undefined {
    const candidates = name === undefined ? this.calls : this.calls.filter((call) => call.name === name)
    const meant = hint === undefined ? undefined : candidates.find((call) => isAbout(call, hint))
    if (!meant && hint !== undefined && this.past.has(`${name}\0${hint}`)) return undefined
    const found = meant ?? candidates[0]
    if (!found) return undefined
    this.calls = this.calls.filter((call) => call !== found)
    this.remember(found)
    return found
  }

  clear(): void {
    for (const call of this.calls) this.remember(call)
    this.calls = []
  }

  private remember(call: CallBlock): void {
    for (const value of texts(call.arguments)) if (value.length <= longestHint) this.past.add(`${call.name}\0${value}`)
  }
}
