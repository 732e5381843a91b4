/** Tool names as the target wants them. A changed name ends in a hash of the original, so that two tools never share one. */
import { shortHash } from "../../model/index.ts"
import type { NameDemand } from "../profiles/profile.ts"

export const wireName = (name: string, demand: NameDemand): string => {
  if (name.length <= demand.maxLength && demand.pattern.test(name)) return name
  const clean = name.replace(/[^a-zA-Z0-9_-]/g, "_")
  const start = /^[a-zA-Z_]/.test(clean) ? clean : `_${clean}`
  return `${start.slice(0, demand.maxLength - 7)}_${shortHash(name, 6)}`
}
