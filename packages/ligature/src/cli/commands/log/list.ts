/** `ligature log list`: the conversations of a store, newest first. */
import { phrase } from "../../../model/index.ts"
import { type Command, jsonOption } from "../../frame/command.ts"
import { printJson } from "../../print/json.ts"
import { printTable } from "../../print/table.ts"
import { count, oneLine } from "../../frame/text.ts"
import { when } from "../../print/when.ts"
import { storeOption } from "../../store/store-location.ts"
import { UsageError } from "../../frame/usage-error.ts"
import { withStore, wordsOf } from "../../store/with-store.ts"
import { childrenOf } from "./children.ts"

const limitOf = (given: string | undefined): number => {
  const limit = given === undefined ? 50 : Number(given)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw new UsageError(phrase`--limit is a positive number, not ${given ?? ""}`)
}

export const list: Command = {
  summary: "list the conversations, newest first",
  usage: "[--parent ID] [--limit NUMBER] [--after MARK] [OPTIONS]",
  help: `One line per conversation: its id, the time of its last entry (UTC), and its title. Next to the title: which
conversation started it, or how many it started (sub-agents, nested runs). Anything in the store that cannot be read as
a conversation is named on stderr and not changed; the exit code is then 2.`,
  options: [
    { name: "parent", value: "ID", text: "only conversations that this one started" },
    { name: "limit", value: "NUMBER", text: "at most this many (default 50)" },
    { name: "after", value: "MARK", text: "continue after a page; the previous page prints its mark" },
    storeOption,
    jsonOption,
  ],
  examples: [
    ["ligature log list", "the newest 50"],
    ["ligature log list --limit 1000 --json", "for a script"],
  ],
  run: (context) => {
    wordsOf(context, "log list", [])
    const { out, err, arguments: given } = context
    const limit = limitOf(given.text("limit"))
    const after = given.text("after")
    const parent = given.text("parent")
    return withStore(context, async ({ store, location }) => {
      const page = await store.list({ limit, ...(after !== undefined && { after }), ...(parent !== undefined && { parent }) })
      const { conversations, next, unreadable } = page
      const code = unreadable.length > 0 ? 2 : 0
      const children = await childrenOf(
        store,
        conversations.map(({ id }) => id),
      )
      if (given.flag("json")) {
        const listed = conversations.map((record) => {
          const started = children.get(record.id)?.map(({ id }) => id)
          return started ? { ...record, children: started } : record
        })
        printJson("log list", code, { conversations: listed, ...(next !== undefined && { next }), unreadable }, out)
        return code
      }
      const rows = conversations.map(({ id, title, updated, forkedFrom, parent: above }) => {
        const started = children.get(id)?.length ?? 0
        const relations = [
          ...(forkedFrom ? [phrase`from ${oneLine(forkedFrom.conversation)}`] : []),
          ...(above ? [phrase`started by ${oneLine(above.conversation)}`] : []),
          ...(started > 0 ? [phrase`started ${count(started, "conversation")}`] : []),
        ]
        const origin = relations.length === 0 ? "" : `  (${relations.join("; ")})`
        return [oneLine(id), when(updated), `${oneLine(title ?? "")}${origin}`.trim()]
      })
      const none =
        parent === undefined
          ? phrase`No conversations in ${location.name}`
          : phrase`No conversations started by ${oneLine(parent)} in ${location.name}`
      if (rows.length === 0) err.line(none)
      else printTable([{ title: "id" }, { title: phrase`last written` }, { title: phrase`title`, flexible: "end" }], rows, out)
      if (next !== undefined) err.line(err.palette.quiet(phrase`There are more: ${`--after ${next}`}`))
      for (const { name, why } of unreadable) err.line(`${err.palette.error(phrase`unreadable`)}: ${name}: ${why}`)
      return code
    })
  },
}
