/** All profiles, by name. */
import { LigatureError, suggestion } from "../../model/index.ts"
import { type ProfileName, profileNames, profiles } from "./profiles.ts"
import type { Profile } from "./profile.ts"

export { type ProfileName, profileNames, profiles } from "./profiles.ts"
export type * from "./profile.ts"

/** A profile by what may be its name. */
export const findProfile = (name: string): Profile | undefined =>
  Object.hasOwn(profiles, name) ? profiles[name as ProfileName] : undefined

/** A profile by name; throws with the nearest and all names for an unknown one. Names that people typed come as texts. */
export const resolveProfile = (profile: Profile | string): Profile => {
  if (typeof profile !== "string") return profile
  const found = findProfile(profile)
  if (found) return found
  const near = suggestion(profile, profileNames)
  const message = `Unknown profile ${JSON.stringify(profile)}. ${near === undefined ? "" : `${near} `}Profiles: ${profileNames.join(", ")}`
  throw new LigatureError("unknown-profile", message)
}
