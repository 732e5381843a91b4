/** `ligature log restore`: brings conversations from a backup, or from another store, into this one. */
import { phrase } from "../../../model/index.ts"
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import { copyConversations, type CopyResult, restoreBackupFile } from "../../../store/index.ts"
import { type Command, type Context, type ExitCode, jsonOption } from "../../frame/command.ts"
import { type OpenedStore, openStoreAt, parseStoreLocation, storeOption } from "../../store/store-location.ts"
import { UsageError } from "../../frame/usage-error.ts"
import { withStore } from "../../store/with-store.ts"
import { isBackupFile } from "./backup.ts"
import { reportCopy } from "./copy-report.ts"

const copy = async (from: string, { store }: OpenedStore, ids: readonly string[], context: Context): Promise<CopyResult> => {
  const path = resolve(context.io.cwd, from)
  const found = await stat(path).catch(() => undefined)
  const options = ids.length > 0 ? { ids } : {}
  if (isBackupFile(from) && !found?.isDirectory()) {
    if (!found) throw new UsageError(phrase`There is no backup at ${from}`)
    return restoreBackupFile(path, store, options)
  }
  const source = await openStoreAt(parseStoreLocation(from, context.io.cwd), context, { makes: false })
  try {
    return await copyConversations(source.store, store, options)
  } finally {
    await source.store.close()
  }
}

const run = async (from: string, ids: readonly string[], opened: OpenedStore, context: Context): Promise<ExitCode> => {
  const result = await copy(from, opened, ids, context)
  const source = isBackupFile(from) ? from : parseStoreLocation(from, context.io.cwd).name
  const done = (what: string): string => phrase`restored ${what} from ${source} to ${opened.location.name}`
  return reportCopy(result, { command: "log restore", done, newWord: phrase`restored` }, context)
}

export const restore: Command = {
  summary: "restore conversations from a backup or another store",
  usage: "FROM [ID…] [OPTIONS]",
  help: `FROM is a backup (a folder or FILE.jsonl) or any other store (FILE.db, postgres://…), so this also moves conversations from
one kind of store to another. Ids, times, operations, branches, summaries and hidden entries stay as they are; every copy
is read back and compared by fingerprint.

Nothing is overwritten: a conversation that exists already and is equal is skipped, so a restore can be repeated; one that
differs is named, and the others are restored. Exit code 1: the source is damaged, and everything readable was restored.
2: something was not restored.`,
  options: [storeOption, jsonOption],
  examples: [
    ["ligature log restore backup --store team.db", "everything in a backup"],
    ["ligature log restore conversations.jsonl ID", "one conversation from a file"],
    ["ligature log restore ~/conversations --store postgres://localhost/team", "from a folder to a server"],
  ],
  run: (context) => {
    const [from, ...ids] = context.arguments.positionals
    if (from === undefined) throw new UsageError(phrase`${"log restore"} needs FROM`, phrase`See: ${"ligature log restore --help"}`)
    return withStore(context, (opened) => run(from, ids, opened, context), { makes: true })
  },
}
