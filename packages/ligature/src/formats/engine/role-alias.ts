/**
 * Names of speakers that trainers and frameworks write, and the usual ones in another case: no server takes them, nobody
 * misreads them. Decoders ask here about a role that is not of their format, and report it.
 */
import type { Role, Wire } from "../../model/index.ts"

const aliases: ReadonlyMap<string, Role> = new Map([
  ["assistant", "assistant"],
  ["agent", "assistant"],
  ["ai", "assistant"],
  ["model", "assistant"],
  ["user", "user"],
  ["human", "user"],
  ["system", "system"],
  ["developer", "system"],
  ["tool", "tool"],
  ["function", "tool"],
])

/** Frameworks name the speaker by the type of the message: `human`, `AIMessage`. */
export const speakerOf = ({ role, type }: Wire): Role | undefined =>
  roleAlias(role) ?? (typeof type === "string" ? roleAlias(type.replace(/Message$/, "")) : undefined)

export const roleAlias = (role: unknown): Role | undefined =>
  typeof role === "string" ? aliases.get(role.toLowerCase()) : undefined
