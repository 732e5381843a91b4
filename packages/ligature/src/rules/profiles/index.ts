/** All profiles, by name. */
import { LigatureError } from "../../model/index.ts"
import { profiles } from "./profiles.ts"
import type { Profile } from "./profile.ts"

export { profiles } from "./profiles.ts"
export type * from "./profile.ts"

export const profileNames: readonly string[] = Object.keys(profiles)

/** A profile by name; throws with the list of names for an unknown one. */
export const resolveProfile = (profile: Profile | string): Profile => {
  if (typeof profile !== "string") return profile
  const found = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined
  if (found) return found
  throw new LigatureError("unknown-profile", `Expected one of ${profileNames.join(", ")}, got "${profile}"`)
}
