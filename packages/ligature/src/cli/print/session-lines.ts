/** Sessions in lists: how each is known to a person, and the command that revives it. */
import { findCodec, isSessionCodec } from "../../convert/index.ts"
import { phrase, shellFile } from "../../model/index.ts"
import type { Printer } from "../frame/command.ts"
import type { Io } from "../frame/io.ts"
import type { FoundSession } from "../frame/named-session.ts"
import { count, cut, oneLine, size, wrap } from "../frame/text.ts"
import type { Examination, State } from "../sessions/examine.ts"
import { argumentFor, fileOf } from "../sessions/session-name.ts"
import { type ExaminedFile, nearPath, shortPath } from "../sessions/session-files.ts"
import { when } from "./when.ts"

export const stateTexts: Readonly<Record<State, () => string>> = {
  healthy: () => phrase`healthy`,
  open: () => phrase`open`,
  warnings: () => phrase`warnings`,
  errors: () => phrase`errors`,
}

export const paintState = (state: State, { palette }: Printer): string => {
  const paint = { healthy: palette.good, open: palette.accent, warnings: palette.warning, errors: palette.error }[state]
  return paint(stateTexts[state]())
}

export const titleOf = ({ session: { title, id } }: FoundSession): string => oneLine(title ?? id ?? phrase`(no title)`)

/** One line about the session that a word was taken for. */
export const describeSession = (found: FoundSession, io: Io): string => {
  const { session, file } = found
  return [session.agent, titleOf(found), when(file.modified), shortPath(file.path, io)].map((fact) => oneLine(fact)).join(" · ")
}

/** `names`: see `namesIn`; of everything in the homes of agents, if the session was found there and its id names it. */
export const reviveCommand = (
  found: FoundSession & { readonly session: Examination },
  names: readonly string[] | undefined,
  { isDerived, isPartial }: Pick<ExaminedFile, "isDerived" | "isPartial">,
  io: Io,
): string => {
  const path = shellFile(nearPath(isDerived === true ? fileOf(found) : found.file.path, io))
  const name = names === undefined ? path : argumentFor(found, names, path)
  const codec = findCodec(found.session.format)
  if (codec !== undefined && isSessionCodec(codec) && codec.session.writes === "none") return `ligature move ${name} --to AGENT`
  if (isPartial === true || found.session.causes["too-large"] !== undefined) return `ligature rescue ${name}`
  if (isDerived === true) return `ligature convert ${name} --to ${found.session.format} --install`
  return name === path ? `ligature repair ${path} --in-place` : `ligature repair ${name}`
}

/** Why a session is ill: what counts for its state. */
const causesOf = ({ causes, state }: Examination): string =>
  Object.entries(causes)
    .map(([cause, { errors, warnings }]) => [cause, state === "errors" ? errors : warnings] as const)
    .filter(([, times]) => times > 0)
    .sort((left, right) => right[1] - left[1])
    .map(([cause, times]) => (times === 1 ? cause : `${cause} ×${times}`))
    .join(", ")

/** Title; who, where, when and why; the command. */
export const printSession = (found: FoundSession & { readonly session: Examination }, command: string, io: Io, out: Printer): void => {
  const { palette } = out
  const { session, file } = found
  const label = `${paintState(session.state, out)}  `
  out.line(`${label}${palette.strong(cut(titleOf(found), out.width - stateTexts[session.state]().length - 2))}`)
  const facts = [
    session.agent,
    ...(session.folder === undefined ? [] : [shortPath(session.folder, io)]),
    when(file.modified),
    size(file.bytes),
    count(session.messages, "message"),
    ...(session.tokens === undefined ? [] : [count(session.tokens, "token")]),
    causesOf(session),
  ]
  for (const line of wrap(facts.map((fact) => oneLine(fact)).join(" · "), out.width - 2)) out.line(`  ${palette.quiet(line)}`)
  out.whole(`  ${palette.accent(command)}`)
}
