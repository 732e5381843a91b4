/** `ligature log branch`: the branches of a conversation, or a new conversation made of one. */
import { phrase } from "../../../model/index.ts"
import { entryNamed, operationOption } from "../../store/append-options.ts"
import { type Command, type Context, type ExitCode, jsonOption } from "../../frame/command.ts"
import { printJson } from "../../print/json.ts"
import { printTable } from "../../print/table.ts"
import { when } from "../../print/when.ts"
import { type OpenedStore, storeOption } from "../../store/store-location.ts"
import { UsageError } from "../../frame/usage-error.ts"
import { withStore, wordsOf } from "../../store/with-store.ts"
import { entryWords } from "./entry-words.ts"

const listBranches = async (id: string, { store }: OpenedStore, { out, arguments: given }: Context): Promise<ExitCode> => {
  const branches = await store.branches(id)
  const described = await Promise.all(
    branches.map(async ({ tip, at, active }) => {
      const [last] = (await store.load(id, { at: tip, last: 1 })).entries
      return { tip, at, active, last: last === undefined ? "" : entryWords(last) }
    }),
  )
  if (given.flag("json")) {
    printJson("log branch", 0, { conversation: id, branches: described }, out)
    return 0
  }
  const rows = described.map(({ tip, at, active, last }) => [active ? "*" : "", tip, when(at), last])
  const columns = [
    { title: "" },
    { title: phrase`tip` },
    { title: phrase`written` },
    { title: phrase`ends with`, flexible: "end" as const },
  ]
  if (rows.length === 0) out.line(phrase`No entries yet: no branches`)
  else printTable(columns, rows, out)
  return 0
}

const fork = async (id: string, { store }: OpenedStore, { out, err, arguments: given }: Context): Promise<ExitCode> => {
  const [at, copy, title, operation] = [given.text("at"), given.text("id"), given.text("title"), given.text("operation")]
  const record = await store.fork(id, {
    ...(at !== undefined && { at: entryNamed(at) }),
    ...(copy !== undefined && { id: copy }),
    ...(title !== undefined && { title }),
    ...(operation !== undefined && { operation }),
  })
  if (given.flag("json")) printJson("log branch", 0, { conversation: record.id, record }, out)
  else {
    out.line(record.id)
    err.line(`${err.palette.good("✓")} ${phrase`a conversation of its own, from ${id}`}`)
  }
  return 0
}

export const branch: Command = {
  summary: "list the branches of a conversation, or fork it into a new one",
  usage: "ID [--fork [--at ENTRY] [--id NEW] [--title TITLE]] [OPTIONS]",
  help: `A conversation that was rewound and continued differently has branches. The list shows the end of each; the star marks
the active one. ligature log rewind ID TIP switches to another, ligature log show ID --branch TIP shows it.

--fork copies the path up to --at (default: the tip) into a new conversation and prints its id. Entries keep their ids, so
that summaries stay correct; the two conversations are independent from then on.`,
  options: [
    { name: "fork", text: "create a new conversation from the path" },
    { name: "at", value: "ENTRY", text: "with --fork: up to this entry" },
    { name: "id", value: "NEW", text: "with --fork: the id of the new conversation" },
    { name: "title", value: "TITLE", text: "with --fork: its title (default: that of the original)" },
    operationOption,
    storeOption,
    jsonOption,
  ],
  examples: [
    ["ligature log branch ID", "the branches of the conversation"],
    ["ligature log branch ID --fork --at 4j2k8s0q1m3n", "try something else from there, in a separate conversation"],
  ],
  run: (context) => {
    const [id] = wordsOf(context, "log branch", ["ID"] as const)
    const { arguments: given } = context
    const stray = ["at", "id", "title", "operation"].find((name) => given.flag(name))
    if (!given.flag("fork") && stray !== undefined) throw new UsageError(phrase`--${stray} is for --fork`, phrase`Give --fork too.`)
    const work = given.flag("fork") ? fork : listBranches
    return withStore(context, (opened) => work(id, opened, context))
  },
}
