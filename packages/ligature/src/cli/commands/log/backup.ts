/** `ligature log backup`: copies the conversations of a store, while it is used. */
import { realpath } from "node:fs/promises"
import { resolve } from "node:path"
import { phrase, shellFile } from "../../../model/index.ts"
import { copyConversations, type CopyResult, writeBackupFile } from "../../../store/index.ts"
import { type Command, type Context, type ExitCode, jsonOption } from "../../frame/command.ts"
import { type OpenedStore, openStoreAt, parseStoreLocation, storeOption } from "../../store/store-location.ts"
import { UsageError } from "../../frame/usage-error.ts"
import { withStore } from "../../store/with-store.ts"
import { reportCopy } from "./copy-report.ts"

/** A file of this ending is a backup in one piece. */
export const isBackupFile = (path: string): boolean => path.endsWith(".jsonl")

const place = (path: string): Promise<string> => realpath(path).catch(() => path)

const copyToFolder = async (target: string, opened: OpenedStore, ids: readonly string[], context: Context): Promise<CopyResult> => {
  const location = parseStoreLocation(target, context.io.cwd)
  if (location.kind !== "jsonl") {
    const names = [opened.location.name, location.name].map(shellFile)
    throw new UsageError(
      phrase`A backup is a folder or FILE.jsonl`,
      phrase`To copy to another store: ${`ligature log restore ${names.join(" --store ")}`}`,
    )
  }
  if (opened.location.kind === "jsonl" && (await place(location.target)) === (await place(opened.location.target))) {
    throw new UsageError(phrase`-o ${target} is the store itself`, phrase`Give the backup a folder of its own.`)
  }
  const { store: copy } = await openStoreAt(location, context, { makes: true })
  try {
    return await copyConversations(opened.store, copy, { extend: true, ...(ids.length > 0 && { ids }) })
  } finally {
    await copy.close()
  }
}

const run = async (target: string, opened: OpenedStore, context: Context): Promise<ExitCode> => {
  const ids = context.arguments.positionals
  const result = isBackupFile(target)
    ? await writeBackupFile(opened.store, resolve(context.io.cwd, target), ids.length > 0 ? { ids } : {})
    : await copyToFolder(target, opened, ids, context)
  return reportCopy(
    result,
    { command: "log backup", done: (what) => phrase`backed up ${what} to ${target}`, newWord: phrase`new` },
    context,
  )
}

export const backup: Command = {
  summary: "copy conversations to a folder or a file while they are in use",
  usage: "[ID…] -o DIR|FILE.jsonl [OPTIONS]",
  help: `Copies every conversation with its branches, times and operations, from a store of any kind, without leases. Agents may
continue writing: everything acknowledged before the backup began is included, and each conversation is complete. Every copy
is read back and compared by fingerprint.

A folder is a store with one JSON Lines file per conversation: use it with --store DIR. Repeating a backup to the same folder
writes what is new; conversations removed from the store stay in the backup. A file has everything in one piece, with a last
line that proves it is complete; it is never overwritten. Both are readable by their owner only.

Exit code 1: something in the store is damaged, and everything readable was copied. 2: something could not be copied.`,
  options: [{ name: "out", short: "o", value: "DIR|FILE", text: "where the backup is written" }, storeOption, jsonOption],
  examples: [
    ["ligature log backup --store team.db -o backup", "to a folder, for example every night"],
    ["ligature log backup -o conversations.jsonl", "everything in one file"],
    ["ligature log backup ID -o one.jsonl", "one conversation"],
  ],
  run: (context) => {
    const target = context.arguments.text("out")
    if (target === undefined || target === "-")
      throw new UsageError(phrase`log backup needs -o DIR or -o FILE.jsonl`, phrase`See: ${"ligature log backup --help"}`)
    return withStore(context, (opened) => run(target, opened, context))
  },
}
