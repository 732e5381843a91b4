/** What readings say, to be searched and compared: texts, and which result answers which call. */
import { settle } from "../../../src/rules/index.ts"
import { type Block, callsOf, type Conversation, resultText, type Transcript } from "../../../src/model/index.ts"

/** All strings of a JSON value. */
const addStrings = (value: unknown, into: string[]): void => {
  if (typeof value === "string") into.push(value)
  else if (typeof value === "object" && value !== null) {
    for (const child of Object.values(value)) addStrings(child, into)
  }
}

export const addBlock = (block: Block, into: string[]): void => {
  if (block.type === "text" || block.type === "thinking" || block.type === "opaque") into.push(block.text)
  else if (block.type === "call") {
    addStrings(block.arguments, into)
    if (block.raw !== undefined) into.push(block.raw)
  } else if (block.type === "result") for (const part of block.content) addBlock(part, into)
}

/** Everything that was said, to find probes in. */
export class Said {
  readonly #texts: string[] = []
  readonly #lines = new Set<string>()
  #joined: string | undefined

  add({ messages }: Transcript): void {
    const before = this.#texts.length
    for (const { blocks } of messages) for (const block of blocks) addBlock(block, this.#texts)
    for (const text of this.#texts.slice(before)) for (const line of text.split(/[\n\r]/)) this.#lines.add(line.trim())
    this.#joined = undefined
  }

  has(probe: string): boolean {
    if (this.#lines.has(probe)) return true
    this.#joined ??= this.#texts.join("\n")
    return this.#joined.includes(probe)
  }
}

export interface Pairs {
  /** Keys of the calls that a result text answered. */
  readonly callsByResult: ReadonlyMap<string, ReadonlySet<string>>
  readonly calls: ReadonlySet<string>
  readonly reliable: boolean
}

export const answered = (conversation: Conversation): readonly (readonly [call: string, result: string])[] =>
  conversation.items.flatMap((item) => {
    if (item.role !== "exchange") return []
    return callsOf(item).flatMap((call, index) => {
      const result = item.outcomes[index]?.result
      if (result === undefined || result.synthetic !== undefined) return []
      return [[`${call.name} ${JSON.stringify(call.arguments)}`, resultText(result)] as const]
    })
  })

/** Ids that repeat, or were never there, leave nothing but the position to pair by: that is not compared. */
export const pairsOf = (transcripts: readonly Transcript[]): Pairs => {
  const callsByResult = new Map<string, Set<string>>()
  const calls = new Set<string>()
  let reliable = true
  for (const transcript of transcripts) {
    const ids = transcript.messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) => {
        if (block.type !== "call") return []
        return [block.assigned === true || block.style === "xml" ? "" : block.id]
      }),
    )
    if (new Set(ids).size !== ids.length || ids.includes("")) reliable = false
    for (const [call, result] of answered(settle(transcript).conversation)) {
      callsByResult.set(result, (callsByResult.get(result) ?? new Set()).add(call))
      calls.add(call)
    }
  }
  return { callsByResult, calls, reliable }
}
