/** Which sessions `doctor` and `list` look at: of one agent, changed since a day, of one project. */
import { resolve } from "node:path"
import { phrase } from "../../model/index.ts"
import type { FoundFile } from "../../files/find-sessions.ts"
import { allSessions } from "../../registry/registry.ts"
import { suggestion } from "../../model/nearest.ts"
import type { SessionCodec } from "../../convert/index.ts"
import type { OptionSpec } from "../frame/arguments.ts"
import type { Context } from "../frame/command.ts"
import type { SessionIdentity } from "../frame/named-session.ts"
import { UsageError } from "../frame/usage-error.ts"
import { isWithin } from "./session-files.ts"

export const filterOptions: readonly OptionSpec[] = [
  { name: "agent", value: "NAME", text: "only sessions of this agent (claude-code, codex, pi, …)" },
  { name: "since", value: "WHEN", text: "only sessions changed since then: 2h, 7d, 2w or 2026-01-31" },
  { name: "project", value: "DIR", text: "only sessions of this folder and the folders below it (. is the current one)" },
]

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }

const momentOf = (given: string, now: number): number => {
  const [, amount, unit = ""] = /^(\d+)([hdw])$/.exec(given) ?? []
  const moment = amount === undefined ? Date.parse(given) : now - Number(amount) * (unitMs[unit] ?? 0)
  if (!Number.isNaN(moment)) return moment
  throw new UsageError(phrase`--since is a time, not ${given}`, phrase`For example: 2h, 7d, 2w or 2026-01-31.`)
}

/** `claude-code`, `Claude Code` and `claude` mean one agent. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

const namesOf = ({ format, session }: SessionCodec): readonly string[] => [format, session.agent, ...session.aliases]

const wordsOf = (name: string): readonly string[] => name.toLowerCase().split(/[^a-z0-9]+/)

/** The formats that a name means: those it names in full or by a word, else those with it in a name. `pi` is not Copilot. */
const formatsNamed = (given: string): ReadonlySet<string> => {
  const wanted = plain(given)
  const having = (is: (name: string) => boolean): readonly string[] =>
    allSessions().flatMap((codec) => (namesOf(codec).some(is) ? [codec.format] : []))
  const named = having((name) => plain(name) === wanted || wordsOf(name).includes(wanted))
  return new Set(named.length > 0 ? named : having((name) => plain(name).includes(wanted)))
}

export class SessionFilter {
  readonly #formats: ReadonlySet<string> | undefined
  readonly #since: number
  readonly #project: string | undefined

  constructor({ arguments: given, io }: Context) {
    const since = given.text("since")
    const project = given.text("project")
    const wanted = given.text("agent")
    this.#formats = wanted === undefined ? undefined : formatsNamed(wanted)
    this.#since = since === undefined ? 0 : momentOf(since, Date.now())
    this.#project = project === undefined ? undefined : resolve(io.cwd, project)
    if (wanted === undefined || this.#formats?.size !== 0) return
    throw new UsageError(
      phrase`Unknown agent ${wanted}`,
      suggestion(wanted, allSessions().flatMap(namesOf)) ?? phrase`ligature formats lists them`,
    )
  }

  /** Before a file is read. */
  admits({ modified }: FoundFile): boolean {
    return modified >= this.#since
  }

  takes({ format, folder }: SessionIdentity): boolean {
    if (this.#project !== undefined && (folder === undefined || !isWithin(folder, this.#project))) return false
    return this.#formats?.has(format) !== false
  }
}
