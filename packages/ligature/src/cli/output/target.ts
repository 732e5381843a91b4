/** What a conversation is written for: `--to` a format, `--for` a provider. */
import { findCodec, isSessionCodec, resolveCodec, type SessionCodec } from "../../convert/index.ts"
import { sessionCodecs } from "../../registry/sessions.ts"
import { type Profile, profiles } from "../../rules/index.ts"
import type { Context } from "../frame/command.ts"
import { profileNamed, profileOf } from "../frame/settings.ts"
import { UsageError } from "../frame/usage-error.ts"
import { formatNamed } from "./visit-sources.ts"

export interface Target {
  readonly to: string
  readonly profile?: Profile
  /** The target is an agent's session file. */
  readonly session?: SessionCodec
}

/** The target with its session codec, when it is one that new sessions can be written for. */
const withSession = (target: Target): Target => {
  const codec = resolveCodec(target.to)
  if (!isSessionCodec(codec)) return target
  if (codec.session.writes === "any") return { ...target, session: codec }
  const writable = Object.values(sessionCodecs).flatMap(({ format, session }) => (session.writes === "any" ? [format] : []))
  throw new UsageError(
    `${codec.title} sessions can be read but not written`,
    `Sessions that can be written: ${writable.join(", ")}`,
  )
}

/** `--to` names a format; a profile's name will do as well, and means its format. */
export const targetOf = (context: Context, command: string): Target => {
  const named = context.arguments.text("to")
  const asked = profileOf(context)
  if (named === undefined) {
    if (asked) return { to: asked.format, profile: asked }
    throw new UsageError(`${command} needs --to FORMAT`, `ligature formats lists them; ligature ${command} --help explains.`)
  }
  const isProfile = findCodec(named) === undefined && Object.hasOwn(profiles, named)
  const profile = isProfile ? profileNamed(named, "--to") : asked
  const to = isProfile && profile ? profile.format : formatNamed(named, "--to")
  if (to === undefined) throw new UsageError(`${command} needs --to FORMAT`)
  if (asked && asked.format !== to) {
    throw new UsageError(
      `--for ${asked.name} wants the format ${asked.format}, --to says ${named}`,
      `Leave --to out, or say --to ${asked.format}.`,
    )
  }
  return withSession({ to, ...(profile && { profile }) })
}
