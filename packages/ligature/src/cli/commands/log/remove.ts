/** `ligature log remove`: deletes conversations for good. */
import { phrase } from "../../../model/index.ts"
import { type Command, type Context, type ExitCode, jsonOption } from "../../frame/command.ts"
import { printJson } from "../../print/json.ts"
import { oneLine } from "../../frame/text.ts"
import { type OpenedStore, storeOption } from "../../store/store-location.ts"
import { UsageError } from "../../frame/usage-error.ts"
import { withStore } from "../../store/with-store.ts"

/** What is true of a server and of no file; undefined where nothing has to be said. */
export const noteOnRemoval = ({ location }: OpenedStore): string | undefined =>
  location.kind === "postgres"
    ? phrase`VACUUM was started, which frees the deleted rows; VACUUM FULL, old WAL and backups are up to you`
    : undefined

/** Reads one line: whoever only presses return has not agreed. */
const agrees = async (question: string, { io, err }: Context): Promise<boolean> => {
  err.write(`${question} [y/N] `)
  for await (const chunk of io.stdin) return /^\s*y(?:es)?\s*$/i.test(chunk.toString())
  return false
}

const insistOnYes = async (ids: readonly string[], { store }: OpenedStore, context: Context): Promise<boolean> => {
  if (context.arguments.flag("yes")) return true
  if (context.io.stdin.isTerminal !== true || context.arguments.flag("json")) {
    throw new UsageError(phrase`log remove deletes permanently`, phrase`Give --yes to do it.`)
  }
  const named: string[] = []
  for (const id of ids) {
    const { title } = await store.load(id, { last: 1 })
    named.push(title === undefined ? id : `${id} (${oneLine(title, 80)})`)
  }
  return agrees(phrase`Delete ${named.join(", ")} permanently?`, context)
}

const run = async (ids: readonly string[], opened: OpenedStore, context: Context): Promise<ExitCode> => {
  const { out, err, arguments: given } = context
  if (!(await insistOnYes(ids, opened, context))) {
    err.line(phrase`Nothing was removed`)
    return 1
  }
  for (const id of ids) {
    await opened.store.remove(id)
    if (!given.flag("json")) err.line(`${err.palette.good("✓")} ${phrase`removed ${oneLine(id)}`}`)
  }
  if (given.flag("json")) printJson("log remove", 0, { removed: ids }, out)
  const note = noteOnRemoval(opened)
  if (note !== undefined) err.line(err.palette.quiet(`  ${note}`))
  return 0
}

export const remove: Command = {
  summary: "delete conversations permanently",
  usage: "ID… [--yes] [OPTIONS]",
  help: `Deletes the log with all branches, its title and its leases. Afterwards no file of the store contains any of it: in a
SQLite file the bytes are overwritten and the write-ahead log is truncated. This cannot be undone. Forks are copies and
stay; so do exports, backups, and old blocks of the disk. A PostgreSQL server is asked to vacuum its tables.

While somebody holds a lease of the conversation the command fails and names the holder. In a terminal you are asked
first; elsewhere --yes is required.`,
  options: [{ name: "yes", text: "do not ask" }, storeOption, jsonOption],
  examples: [
    ["ligature log remove ID", "after a question"],
    ["ligature log remove ID1 ID2 --yes", "in a script"],
  ],
  run: (context) => {
    const ids = [...new Set(context.arguments.positionals)]
    if (ids.length === 0) throw new UsageError(phrase`${"log remove"} needs ID`, phrase`See: ${"ligature log remove --help"}`)
    return withStore(context, (opened) => run(ids, opened, context))
  },
}
