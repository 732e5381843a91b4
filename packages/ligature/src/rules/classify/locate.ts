/**
 * From a classified refusal to the place in the history it was sent from. Ids name the block wherever it is. A path is
 * followed through the request itself: messages and blocks keep the wire value they came from, so whatever is at the
 * end of the path says which block it became, in any format. Where a refusal names neither, media that breaks a limit is
 * found by the limits.
 */
import { type Block, type Diagnostic, isWire, type Place, type Transcript, type MediaBlock } from "../../model/index.ts"
import { check } from "../judge/check.ts"
import { placeOf } from "../place.ts"
import { profiles } from "../profiles/index.ts"
import type { Spot } from "../survey/index.ts"
import type { Classification } from "./classify.ts"
import { judgeMedia } from "../media/judge-media.ts"
import { readMedia } from "../media/read-media.ts"
import type { Profile } from "../profiles/profile.ts"
import type { ProviderRule } from "../rulebook/index.ts"

// The media a refusal is most likely about, where it names no place ("You uploaded an unsupported image"): the first that
// breaks a limit we know of; else the largest or the oldest, as the refusal has it.

interface MediaSpot {
  readonly message: number
  readonly block: number
  readonly inside?: number
  readonly media: MediaBlock
}

const mediaOf = ({ messages }: Transcript): readonly MediaSpot[] =>
  messages.flatMap(({ blocks }, message) =>
    blocks.flatMap((value, block): readonly MediaSpot[] => {
      if (value.type === "media") return [{ message, block, media: value }]
      if (value.type !== "result") return []
      return value.content.flatMap((media, inside) => (media.type === "media" ? [{ message, block, inside, media }] : []))
    }),
  )

/** The provider that refused, as far as rule and format say it. */
const profileOf = ({ providers }: ProviderRule, { format }: Transcript): Profile | undefined =>
  Object.values(profiles).find((profile) => providers.includes(profile.name)) ??
  Object.values(profiles).find((profile) => profile.format === format)

const sizeOf = ({ media }: MediaSpot): number => {
  const facts = readMedia(media)
  return facts === undefined ? 0 : facts.encodedBytes
}

const blamedMedia = (rule: ProviderRule, transcript: Transcript): Omit<MediaSpot, "media"> | undefined => {
  if (rule.action !== "fix-media") return undefined
  const all = mediaOf(transcript)
  const profile = profileOf(rule, transcript)
  const broken = profile && all.find(({ media }) => judgeMedia(media, profile.media).type !== "fine")
  const largest = (): MediaSpot | undefined =>
    all.reduce<MediaSpot | undefined>((best, spot) => (best && sizeOf(best) >= sizeOf(spot) ? best : spot), undefined)
  const isOldest = rule.blames === "oldest-media"
  const found = isOldest ? all[0] : (broken ?? (rule.blames === "largest-media" ? largest() : undefined))
  if (!found) return undefined
  const { media: _, ...spot } = found
  return spot
}

export interface Location {
  readonly place: Place
  /** Which block inside a result, where the refusal is about one: its index in the content. */
  readonly inside?: number
  /** How it was found: by an id or path the refusal names, or because it is the likeliest cause. */
  readonly by: "id" | "path" | "likely"
  /** What check finds there: the damage after the refusal, with its repair. */
  readonly diagnostics: readonly Diagnostic[]
}

interface Found extends Spot {
  readonly inside?: number
}

/** Messages before the wire list: a system prompt that the format keeps beside it. */
const outsideList = (transcript: Transcript): number => {
  const wire = transcript.messages[0]?.native?.[transcript.format]
  return transcript.messages[0]?.role === "system" && isWire(wire) && !("role" in wire) ? 1 : 0
}

const findById = (transcript: Transcript, ids: ReadonlySet<string>): Found | undefined => {
  for (const [message, { blocks }] of transcript.messages.entries()) {
    for (const [block, value] of blocks.entries()) {
      const id = value.type === "call" ? value.id : value.type === "result" ? value.callId : undefined
      if (id !== undefined && ids.has(id)) return { message, block }
    }
  }
  return undefined
}

/** `messages[2].content[0].image_url` and `messages.2.content.0.image` as keys. */
const keysOf = (path: string): readonly (string | number)[] =>
  (path.match(/\w+/g) ?? []).map((key) => (/^\d+$/.test(key) ? Number(key) : key))

const mostSteps = 24

/**
 * The objects along a path, the outermost first. Providers put names of types and of their own fields between the keys
 * of the request: what is no key is stepped over.
 */
const objectsAlong = (body: unknown, path: string): readonly object[] => {
  const found: object[] = []
  let value = body
  // A bare list has no name that the path could begin with.
  for (const key of keysOf(path).slice(Array.isArray(body) ? 1 : 0, mostSteps)) {
    const next: unknown = typeof key === "number" ? (Array.isArray(value) ? value[key] : undefined) : isWire(value) ? value[key] : undefined
    if (next === undefined && typeof key === "number") break
    if (next === undefined || next === null) continue
    value = next
    if (isWire(next)) found.push(next)
  }
  return found
}

const nativesOf = (value: { readonly native?: Readonly<Record<string, unknown>> }, format: string): readonly unknown[] => {
  const native = value.native?.[format]
  return Array.isArray(native) ? native : [native]
}

/** Which block, or which block inside of it, came from this object. */
const blockFrom = (blocks: readonly Block[], wire: object, format: string): Omit<Found, "message"> | undefined => {
  for (const [block, value] of blocks.entries()) {
    if (nativesOf(value, format).includes(wire)) return { block }
    const inside = value.type === "result" ? value.content.findIndex((inner) => nativesOf(inner, format).includes(wire)) : -1
    if (inside >= 0) return { block, inside }
  }
  return undefined
}

const findByPath = (transcript: Transcript, body: unknown, path: string): Found | undefined => {
  const { format, messages } = transcript
  // The innermost object says it best; one that nothing came from is part of the one around it.
  for (const wire of objectsAlong(body, path).toReversed()) {
    for (const [message, value] of messages.entries()) {
      const found = blockFrom(value.blocks, wire, format)
      if (found) return { message, ...found }
      if (nativesOf(value, format).includes(wire)) return { message, block: -1 }
    }
  }
  return undefined
}

const findByIndex = (transcript: Transcript, index: number, block: number | undefined): Found | undefined => {
  const message = index + outsideList(transcript)
  const found = transcript.messages[message]
  return found && { message, block: block !== undefined && block < found.blocks.length ? block : -1 }
}

/**
 * In a history that is no request, such as the session of an agent: where user and assistant take turns on the wire, what
 * is side by side was one message there.
 */
const findByTurn = ({ messages }: Transcript, index: number, block = -1): Found | undefined => {
  let turn = -1
  let speaker: boolean | undefined
  let left = block
  let first: Found | undefined
  for (const [message, { role, blocks }] of messages.entries()) {
    if (role === "system") continue
    if ((role === "assistant") !== speaker) turn++
    speaker = role === "assistant"
    if (turn > index) break
    if (turn < index) continue
    first ??= { message, block: -1 }
    if (left >= 0 && left < blocks.length) return { message, block: left }
    left -= blocks.length
  }
  return first
}

const isWireFormat = (format: string): boolean => Object.values(profiles).some((profile) => profile.format === format)

/** Providers that write `messages.5.content.1` want turns; those that write `messages[5]` count every message. */
const countsTurns = (path: string): boolean => /^messages\.\d/.test(path)

/** What is looked for: a classification, or only the place that an unknown refusal names. */
export type Refused = Pick<Classification, "place" | "ids"> & Partial<Pick<Classification, "rule">>

/**
 * @param body the request that was refused, or its bare list of messages. Default: the one the transcript was read from.
 */
export const locate = (
  refused: Refused,
  transcript: Transcript,
  body: unknown = transcript.native?.[transcript.format],
): Location | undefined => {
  const ids = new Set(refused.ids)
  const { path = "", message, block } = refused.place ?? {}
  const byIndex = (index: number): Found | undefined =>
    !isWireFormat(transcript.format) && countsTurns(path) ? findByTurn(transcript, index, block) : findByIndex(transcript, index, block)
  const byId = ids.size > 0 ? findById(transcript, ids) : undefined
  const byPath = byId ?? (message === undefined ? undefined : (findByPath(transcript, body, path) ?? byIndex(message)))
  const likely = byPath ? undefined : refused.rule && blamedMedia(refused.rule, transcript)
  const spot = byPath ?? likely
  const diagnostics = check(transcript).filter(
    (diagnostic) => diagnostic.ids.some((id) => ids.has(id)) || (spot !== undefined && diagnostic.place.message === spot.message),
  )
  const place = spot ? placeOf(transcript, spot) : diagnostics[0]?.place
  if (!place) return undefined
  return {
    place,
    ...(spot?.inside !== undefined && { inside: spot.inside }),
    by: byId ? "id" : byPath ? "path" : likely ? "likely" : "id",
    diagnostics,
  }
}
