/**
 * The media a refusal is most likely about, where it names no place ("You uploaded an unsupported image"): the first that
 * breaks a limit we know of; else the largest or the oldest, as the refusal has it.
 */
import type { MediaBlock, Transcript } from "../../model/index.ts"
import { judgeMedia } from "../media/judge-media.ts"
import { readMedia } from "../media/read-media.ts"
import { profiles } from "../profiles/index.ts"
import type { Profile } from "../profiles/profile.ts"
import type { ProviderRule } from "../rulebook/index.ts"

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

export const blamedMedia = (rule: ProviderRule, transcript: Transcript): Omit<MediaSpot, "media"> | undefined => {
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
