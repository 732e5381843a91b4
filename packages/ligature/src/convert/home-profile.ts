/** What the provider that a format is named after requires, and how much of it holds for a history that is not sent yet. */
import { findProfile, type Profile, profiles } from "../rules/index.ts"

/** The profile that stands for a format when nobody names a provider; the name may be of anything. */
export const formatProfile = (format: string): Profile | undefined =>
  findProfile(format) ?? Object.values(profiles).find((profile) => profile.format === format)

/**
 * What a provider demands of a history that stays in its own format: validity, but none of the rewriting that suits a
 * request made for it. What came from there keeps its fields, its thinking and its spelling.
 */
export const atHome = (profile: Profile): Profile => ({
  ...profile,
  unknownFields: "ignore",
  thinking: profile.thinking === "never" ? "plain" : profile.thinking,
  wire: {},
})

/** For a history that nobody sends as it is: the next word is the user's, whoever had the last one. */
export const goesOn = (profile: Profile): Profile => ({ ...profile, last: "any", trimFinal: false })
