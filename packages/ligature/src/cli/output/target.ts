/** The target of a conversion: `--to` a format, `--for` a provider. */
import { phrase } from "../../model/index.ts"
import { findCodec, type Format, isSessionCodec, resolveCodec, type SessionCodec } from "../../convert/index.ts"
import { allSessions } from "../../registry/registry.ts"
import { type Profile, profiles } from "../../rules/index.ts"
import type { Context } from "../frame/command.ts"
import { profileNamed, profileOf } from "../frame/settings.ts"
import { UsageError } from "../frame/usage-error.ts"
import { formatNamed } from "./visit-sources.ts"

export interface Target {
  readonly to: Format
  readonly profile?: Profile
  /** The target is an agent's session file. */
  readonly session?: SessionCodec
}

/** The target with its session codec, if new sessions can be written in it. */
const withSession = (target: Target): Target => {
  const codec = resolveCodec(target.to)
  if (!isSessionCodec(codec)) return target
  if (codec.session.writes === "any") return { ...target, session: codec }
  const writable = allSessions().flatMap(({ format, session }) => (session.writes === "any" ? [format] : []))
  throw new UsageError(
    phrase`${codec.title} sessions can be read but not written`,
    phrase`Sessions that can be written: ${writable.join(", ")}`,
  )
}

/** `--to` names a format, or a profile, which means its format. */
export const targetOf = (context: Context, command: string): Target => {
  const named = context.arguments.text("to")
  const asked = profileOf(context)
  if (named === undefined) {
    if (asked) return { to: asked.format as Format, profile: asked }
    throw new UsageError(phrase`${command} needs --to FORMAT`, phrase`ligature formats lists them. See: ${`ligature ${command} --help`}`)
  }
  const isProfile = findCodec(named) === undefined && Object.hasOwn(profiles, named)
  const profile = isProfile ? profileNamed(named, "--to") : asked
  const to = isProfile && profile ? profile.format : formatNamed(named, "--to")
  if (to === undefined) throw new UsageError(phrase`${command} needs --to FORMAT`)
  if (asked && asked.format !== to) {
    throw new UsageError(
      phrase`${`--for ${asked.name}`} needs format ${asked.format}, but --to is ${named}`,
      phrase`Omit --to, or use ${`--to ${asked.format}`}.`,
    )
  }
  return withSession({ to: to as Format, ...(profile && { profile }) })
}
