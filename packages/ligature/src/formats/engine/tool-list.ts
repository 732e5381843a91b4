/**
 * The tools that a history calls, for providers that refuse calls and results in a request without a list of tools. A
 * history rarely comes with its tools, so each name it uses is declared by the least the provider takes, and reported.
 */
import { callsOf, type Conversation, isWire, type ReportEntry, type Wire } from "../../model/index.ts"
import type { Codec } from "./codec.ts"

/** What a model reads of a tool that nobody described. */
export const stubDescription = "Called earlier in this conversation. Not available now."

/** The least a schema can say: any object. */
export const stubSchema = { type: "object", properties: {} } as const

interface Called {
  readonly names: readonly string[]
  /** The first item with a call. */
  readonly item: number
}

const calledIn = ({ items }: Conversation): Called => {
  const names = new Set<string>()
  let first: number | undefined
  items.forEach((item, index) => {
    if (item.role !== "exchange") return
    for (const { name } of callsOf(item)) {
      first ??= index
      names.add(name)
    }
  })
  return { names: [...names], item: first ?? 0 }
}

export const listsTools = (tools: unknown): boolean => Array.isArray(tools) && tools.length > 0

export interface Declared {
  readonly request: Wire
  readonly entry: ReportEntry
}

/** The request with the tools its history calls; undefined where it calls none or declares some. */
export const declareCalled = (request: Wire, conversation: Conversation, codec: Codec): Declared | undefined => {
  const { names, item } = calledIn(conversation)
  const declared = names.length === 0 ? undefined : codec.declareTools?.(request, names)
  if (declared === undefined) return undefined
  const what = `declared the tools that the history calls: ${names.join(", ")}`
  return { request: declared, entry: { rule: "tool-list", kind: "synthetic", place: { item }, what, ids: [] } }
}

/** The tools a request calls that its provider wants declared; none where it declares some. `list`: the name of its list of messages. */
export const undeclaredTools = (body: unknown, list: string, conversation: Conversation, codec: Codec): readonly string[] =>
  isWire(body) && body[list] !== undefined && declareCalled(body, conversation, codec) ? calledIn(conversation).names : []
