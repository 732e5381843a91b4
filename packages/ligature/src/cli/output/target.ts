/** The target of a conversion: `--to` a format, `--for` a provider. */
import { phrase } from "../../model/index.ts"
import { findCodec, type Format, isSessionCodec, resolveCodec, type SessionCodec } from "../../convert/index.ts"
import { allSessions } from "../../registry/registry.ts"
import { type Profile, profiles } from "../../rules/index.ts"
import type { Context } from "../frame/command.ts"
import { suggestion } from "../../model/nearest.ts"
import { profileNamed, profileOf } from "../frame/settings.ts"
import { UsageError } from "../frame/usage-error.ts"
import { formatNamed } from "./visit-sources.ts"

export interface Target {
  readonly to: Format
  readonly profile?: Profile
  /** The target is an agent's session file. */
  readonly session?: SessionCodec
}

/** As people call them: `codex` for `codex-rollout`. */
export const writableNames = (): readonly string[] =>
  allSessions().flatMap(({ format, session }) =>
    session.writes === "any" && session.place !== undefined
      ? [session.aliases.find((alias) => format.startsWith(`${alias}-`)) ?? format]
      : [],
  )

/** The target with its session codec, if new sessions can be written in it. */
const withSession = (target: Target): Target => {
  const codec = resolveCodec(target.to)
  if (!isSessionCodec(codec)) return target
  if (codec.session.writes === "any") return { ...target, session: codec }
  throw new UsageError(
    phrase`${codec.title} sessions can be read but not written`,
    phrase`Sessions that can be written: ${writableNames().join(", ")}`,
  )
}

/** The agent that `--to` names. Names that are those of an API, too, mean the agent here: gemini is Gemini CLI. */
export const agentTarget = (context: Context): Target & { readonly session: SessionCodec } => {
  const named = context.arguments.text("to")
  const all = phrase`Agents: ${writableNames().join(", ")}`
  if (named === undefined) throw new UsageError(phrase`move needs --to AGENT`, all)
  const direct = findCodec(named)
  const agents = allSessions().filter(({ session, format }) => session.writes === "any" && format.startsWith(`${named}-`))
  const found = direct !== undefined && isSessionCodec(direct) ? direct : agents[0]
  if (found === undefined) {
    if (direct !== undefined) throw new UsageError(phrase`${named} is not the session format of an agent`, all)
    throw new UsageError(phrase`${"--to"}: unknown agent ${named}`, [suggestion(named, writableNames()) ?? [], all].flat().join(" "))
  }
  const { to, session } = withSession({ to: found.format as Format })
  if (session === undefined) throw new UsageError(phrase`${named} is not the session format of an agent`, all)
  return { to, session }
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
