/**
 * Nothing is lost silently: every text of a value that a decoder understood only in part is in the transcript or is named
 * here, and the report keeps it. Decoders say where they met a foreign shape; this looks at those places alone, so that a
 * healthy history costs one comparison.
 */
import {
  type Block,
  type Diagnostic,
  isWire,
  type Message,
  type OpaqueBlock,
  phrase,
  type Place,
  type Transcript,
  type Wire,
} from "../model/index.ts"
import { leftover, unreadOf } from "../formats/engine/unread.ts"

export const unreadRule = "unread-field"

/** How many names of fields a sentence can take. */
const mostNames = 4

const namesOf = (unread: Wire): string => {
  const names = Object.keys(unread)
  const rest = names.length - mostNames
  return rest > 0 ? `${names.slice(0, mostNames).join(", ")} and ${rest} more` : names.join(", ")
}

const originalOf = (format: string, unread: Wire): OpaqueBlock => ({
  type: "opaque",
  kind: leftover,
  text: JSON.stringify(unread),
  native: { [format]: unread },
})

const unreadField = (place: Place, format: string, unread: Wire): Diagnostic => ({
  rule: unreadRule,
  severity: "warning",
  place,
  what: phrase`Fields that were not understood: ${namesOf(unread)}`,
  why: "The value is not of this format. What it means is clear, except for these fields.",
  help: "The fields are left out and kept in the report. If a model should read them, put their text into the message.",
  ids: [],
  repair: { kind: "drop", what: phrase`left out ${namesOf(unread)}` },
  original: originalOf(format, unread),
})

const leftoverOf = (block: Block): Wire | undefined => {
  const own = block.native?.[leftover]
  const inner = block.type === "result" ? block.content.map(leftoverOf).filter((each) => each !== undefined) : []
  const all = [...(isWire(own) ? [own] : []), ...inner]
  return all.length === 0 ? undefined : Object.assign({}, ...all)
}

/** What foreign blocks of a message left unread. */
const leftoversIn = (message: Message, index: number, format: string): readonly Diagnostic[] =>
  message.blocks.flatMap((block, position) => {
    const unread = leftoverOf(block)
    const line = message.line !== undefined && { line: message.line }
    return unread ? [unreadField({ message: index, block: position, ...line }, format, unread)] : []
  })

/** The element of the list that a path begins with: `messages[3].content[1]` is about the fourth message. */
const elementAt = (value: unknown, path: string | undefined): { readonly wire: unknown } | undefined => {
  const [, name, index] = /^(\w+)\[(\d+)\]/.exec(path ?? "") ?? []
  if (name === undefined) return undefined
  const list = Array.isArray(value) ? value : isWire(value) ? value[name] : undefined
  const at = Number(index)
  return Array.isArray(list) && at < list.length ? { wire: list[at] } : undefined
}

const isKept = (message: Message | undefined, wire: unknown): boolean => {
  const values = Object.values(message?.native ?? {})
  return values.some((native) => native === wire || (Array.isArray(native) && native.includes(wire)))
}

/** The transcript with a finding for each value of which something was not read. `value`: what it was decoded from. */
export const accountFor = (transcript: Transcript, value: unknown): Transcript => {
  const { diagnostics, messages, format } = transcript
  if (!diagnostics?.some(({ severity }) => severity !== "info")) return transcript
  const found = messages.flatMap((message, index) => leftoversIn(message, index, format))
  const seen = new Set<unknown>()
  for (const { place, severity, rule } of diagnostics) {
    // Findings about ids and links concern values that were read.
    const isForeign = severity !== "info" && rule.startsWith("malformed-")
    const element = isForeign ? elementAt(value, place.path) : undefined
    const message = messages[place.message ?? -1]
    if (!element || seen.has(element.wire) || isKept(message, element.wire)) continue
    seen.add(element.wire)
    const unread = unreadOf(element.wire, message)
    if (unread) found.push(unreadField(place, format, unread))
  }
  return found.length === 0 ? transcript : { ...transcript, diagnostics: [...diagnostics, ...found] }
}
