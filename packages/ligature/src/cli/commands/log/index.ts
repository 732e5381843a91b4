/** `ligature log`: conversations in a store. Each of its commands is a file; adding one is a line here. */
import { phrase } from "../../../model/index.ts"
import { type Command, type Commands, jsonOption } from "../../frame/command.ts"
import { storeOption } from "../../store/store-location.ts"
import { UsageError } from "../../frame/usage-error.ts"

const subcommands: Commands = {
  list: async () => (await import("./list.ts")).list,
  create: async () => (await import("./create.ts")).create,
  append: async () => (await import("./append.ts")).append,
  show: async () => (await import("./show.ts")).show,
  recall: async () => (await import("./recall.ts")).recall,
  branch: async () => (await import("./branch.ts")).branch,
  rewind: async () => (await import("./rewind.ts")).rewind,
  rename: async () => (await import("./rename.ts")).rename,
  unlock: async () => (await import("./unlock.ts")).unlock,
  remove: async () => (await import("./remove.ts")).remove,
  prune: async () => (await import("./prune.ts")).prune,
  verify: async () => (await import("./verify.ts")).verify,
  backup: async () => (await import("./backup.ts")).backup,
  restore: async () => (await import("./restore.ts")).restore,
  import: async () => (await import("./import.ts")).importFiles,
  export: async () => (await import("./export.ts")).exportConversation,
}

export const log: Command = {
  summary: "keep conversations in a store: append, show, recall, branch, remove, back up, verify, import, export",
  usage: "COMMAND [OPTIONS]",
  help: `A store keeps conversations as append-only logs: entries are never changed, rewinding and branching only move the tip,
and a process that dies at any moment leaves a readable log. A store is a folder, a SQLite file or a PostgreSQL server.

--store or the variable LIGATURE_STORE names the store. A conversation is named by its id, a place in it by the id of an
entry (show --entries lists them; none is the place before the first).

ligature log COMMAND --help explains each command. To continue a conversation: ligature resume ID --to FORMAT.`,
  options: [storeOption, jsonOption],
  examples: [
    ["export LIGATURE_STORE=~/conversations", "set the store once"],
    ["ligature log import session.jsonl", "import a session of any agent"],
    ["ligature log show ID", "look at it"],
    ["ligature log append ID --user 'Try again.'", "append a user message"],
    ["ligature log verify --all", "is every byte as it was written?"],
  ],
  subcommands,
  run: async () => {
    const names = Object.keys(subcommands).join(", ")
    throw new UsageError(phrase`${"log"} needs a command`, phrase`Commands: ${names}. See: ${"ligature log --help"}`)
  },
}
