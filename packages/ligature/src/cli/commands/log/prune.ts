/** `ligature log prune`: deletes the conversations that were not used for a while. */
import { phrase } from "../../../model/index.ts"
import { type ConversationRecord, prune as pruneStore } from "../../../store/index.ts"
import { type Command, type Context, type ExitCode, jsonOption } from "../../frame/command.ts"
import { printJson } from "../../print/json.ts"
import { count, oneLine } from "../../frame/text.ts"
import { when } from "../../print/when.ts"
import { type OpenedStore, storeOption } from "../../store/store-location.ts"
import { UsageError } from "../../frame/usage-error.ts"
import { withStore, wordsOf } from "../../store/with-store.ts"
import { noteOnRemoval } from "./remove.ts"

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** A time, from a duration before now or a date. */
const timeOf = (given: string, now: number): number => {
  const duration = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(given)
  if (duration) return now - Number(duration[1]) * (unitMs[duration[2] ?? ""] ?? Number.NaN)
  const date = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN
  if (Number.isFinite(date)) return date
  throw new UsageError(phrase`--older is a duration or a date, not ${given}`, phrase`For example: ${"30d, 12h, 2w, 2026-01-31"}`)
}

const lineOf = ({ id, title, updated }: ConversationRecord): string =>
  `${oneLine(id)}  ${when(updated)}  ${oneLine(title ?? "", 80)}`.trimEnd()

const run = async (before: number, opened: OpenedStore, context: Context): Promise<ExitCode> => {
  const { out, err, arguments: given } = context
  const dryRun = given.flag("dry-run")
  const { removed, kept } = await pruneStore(opened.store, { before, dryRun })
  const code = kept.length > 0 ? 1 : 0
  if (given.flag("json")) {
    const refused = kept.map(({ conversation, error }) => ({ conversation, reason: error.reason, message: error.message }))
    printJson("log prune", code, { before, dryRun, removed, kept: refused }, out)
    return code
  }
  for (const conversation of removed) out.line(lineOf(conversation))
  for (const { conversation, error } of kept) {
    err.line(`${err.palette.warning(phrase`kept`)}: ${oneLine(conversation.id)}: ${error.message}`)
  }
  const number = count(removed.length, "conversation")
  const said = dryRun ? phrase`${number} would be removed` : `${err.palette.good("✓")} ${phrase`removed ${number}`}`
  err.line(phrase`${said} (last used before ${when(before)} UTC)`)
  const note = dryRun || removed.length === 0 ? undefined : noteOnRemoval(opened)
  if (note !== undefined) err.line(err.palette.quiet(`  ${note}`))
  return code
}

export const prune: Command = {
  summary: "delete conversations that were not used for a while",
  usage: "--older AGE [--dry-run] [OPTIONS]",
  help: `AGE is a duration (90m, 12h, 30d, 2w) or a date (2026-01-31, or with a time 2026-01-31T12:00Z), compared with the time of
the last entry. Removed conversations are listed on stdout; they are deleted permanently, as by ligature log remove.
--dry-run lists them and removes nothing.

A conversation that is leased or being continued right now is kept and named on stderr; the exit code is then 1.`,
  options: [
    { name: "older", value: "AGE", text: "remove conversations last used longer ago than this, or before this date" },
    { name: "dry-run", text: "only list what would be removed" },
    storeOption,
    jsonOption,
  ],
  examples: [
    ["ligature log prune --older 30d --dry-run", "which are a month old?"],
    ["ligature log prune --older 30d", "remove them, for example every night"],
  ],
  run: (context) => {
    wordsOf(context, "log prune", [])
    const older = context.arguments.text("older")
    if (older === undefined)
      throw new UsageError(phrase`log prune needs --older AGE`, phrase`For example: ${"ligature log prune --older 30d --dry-run"}`)
    const before = timeOf(older, Date.now())
    return withStore(context, (opened) => run(before, opened, context))
  },
}
