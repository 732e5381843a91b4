/**
 * A value that is full of content of which nothing was understood is of another format than its caller thinks. Decoding
 * never fails on data, so its transcript is empty or all text; a request made of that would be valid and say nothing.
 */
import { isMalformed, isWire, LigatureError, type Transcript, type Wire } from "../model/index.ts"
import type { Codec } from "../formats/engine/codec.ts"
import { detectFormat } from "../document/detect-format.ts"
import { isWireFormat, requestListKey } from "../document/formats.ts"
import { requestKeys } from "../document/shapes.ts"
import { unreadOf } from "../formats/engine/unread.ts"
import { isSessionCodec, allSessions, resolveCodec } from "../registry/registry.ts"
import { isMostlyUnread, recordsLookedAt, type SessionCodec, type SessionSample } from "../formats/engine/session.ts"

/** A message without blocks says nothing: whether there was something to understand, its value shows. */
const isUnderstood = ({ messages }: Transcript): boolean => messages.some(({ blocks }) => blocks.some((block) => !isMalformed(block)))

const sampleOf = (value: unknown): SessionSample =>
  Array.isArray(value) ? { syntax: "lines", records: value.slice(0, recordsLookedAt) } : { syntax: "value", records: [value] }

/** A damaged session is of its format while its records still show it. */
const isRecognised = (value: unknown, { session }: SessionCodec): boolean => {
  const found = session.recognise(sampleOf(value)) ?? session.recognise({ syntax: "value", records: [value] })
  return found !== undefined && found.certainty !== "guess"
}

const listKeys: ReadonlySet<string> = new Set(Object.values(requestListKey))

const isEmptyValue = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0)

/** Nothing at all, or what is around an empty list. */
const isEmptyHistory = (value: unknown): boolean => isEmptyValue(value) || (isWire(value) && Object.values(value).every(isEmptyValue))

const isFull = (value: unknown): boolean => typeof value === "object" && !isEmptyValue(value)

/** Messages are under the name that another format has for their list, or under one that no request has. */
const hasOtherList = (value: Wire, own: string): boolean =>
  [...listKeys].some((key) => key !== own && !isEmptyValue(value[key])) ||
  (value[own] === undefined && Object.keys(value).some((key) => !requestKeys.has(key) && isFull(value[key])))

const hasUnread = ({ diagnostics = [] }: Transcript): boolean =>
  diagnostics.some(({ rule, severity }) => severity !== "info" && rule.startsWith("malformed-"))

/** Whether something is there that should have become a message. Bookkeeping alone is an empty history. */
const hasContent = (transcript: Transcript, value: unknown, codec: Codec | SessionCodec): boolean => {
  // In a file of lines, an empty object is a record that nobody understands.
  const isRecord = isWire(value) && isEmptyValue(value) && isSessionCodec(codec) && codec.session.layout === "lines"
  if (!isRecord && isEmptyHistory(value)) return false
  if (isSessionCodec(codec)) return !isRecognised(value, codec) || isMostlyUnread(codec, value)
  if (Array.isArray(value)) return !value.some(isWire) || unreadOf(value, []) !== undefined
  if (hasUnread(transcript) || !isWire(value)) return true
  return hasOtherList(value, isWireFormat(codec.format) ? requestListKey[codec.format] : "")
}

interface Seen {
  readonly format: string
  readonly why: string
}

/** Requests on lines, and messages with bookkeeping around them. */
const within = (value: unknown): readonly unknown[] => {
  if (!Array.isArray(value)) return []
  const inner = value
    .slice(0, recordsLookedAt)
    .flatMap((each: unknown) => (isWire(each) && isWire(each["message"]) ? [each["message"]] : []))
  return [value[0], ...(inner.length > 0 ? [inner] : [])]
}

/** The format that the content shows, where that is another one. */
const otherFormat = (value: unknown, named: string): Seen | undefined => {
  const sample = sampleOf(value)
  for (const { format, session } of allSessions()) {
    const recognised = format === named ? undefined : session.recognise(sample)
    if (recognised && recognised.certainty !== "guess") return { format, why: recognised.why }
  }
  for (const each of [value, ...within(value)]) {
    const detected = detectFormat(each)
    if (detected && detected.format !== named && detected.certainty !== "guess") return detected
  }
  return undefined
}

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isWire(value) && isEmptyValue(value)) return "an empty object"
  return isWire(value) ? `an object with ${Object.keys(value).slice(0, 6).join(", ")}` : `a ${typeof value}`
}

export const wrongFormat = (value: unknown, codec: Codec): LigatureError => {
  const seen = otherFormat(value, codec.format)
  const wayOut = seen
    ? `It looks like ${seen.format} (${seen.why}): name that format.`
    : "Name the format it is in, or leave the format to be detected."
  return new LigatureError(
    "wrong-format",
    `Expected ${codec.title} (${codec.format}), got ${kindOf(value)} in which no message was understood. ${wayOut}`,
  )
}

/** Throws where nothing of a value that has content was understood. An empty history is a history. */
export const assertUnderstood = (transcript: Transcript, value: unknown, from: string): void => {
  if (isUnderstood(transcript)) return
  const codec = resolveCodec(from)
  if (hasContent(transcript, value, codec)) throw wrongFormat(value, codec)
}
