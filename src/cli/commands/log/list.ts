/** `ligature log list`: the conversations of a store, newest first. */
import { type Command, jsonOption } from "../../command.ts"
import { printJson } from "../../print/json.ts"
import { printTable } from "../../print/table.ts"
import { oneLine } from "../../print/text.ts"
import { when } from "../../print/when.ts"
import { storeOption } from "../../store/store-location.ts"
import { UsageError } from "../../usage-error.ts"
import { withStore, wordsOf } from "../../store/with-store.ts"

const limitOf = (given: string | undefined): number => {
  const limit = given === undefined ? 50 : Number(given)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw new UsageError(`--limit is a positive number, not ${given}`)
}

export const list: Command = {
  summary: "list the conversations, newest first",
  usage: "[--limit NUMBER] [--after MARK] [OPTIONS]",
  help: `One line per conversation: its id, when something was last written to it (UTC), and its title. What lies in the
store and cannot be read as a conversation is named on stderr and left alone; then the exit code is 2.`,
  options: [
    { name: "limit", value: "NUMBER", text: "at most so many (default 50)" },
    { name: "after", value: "MARK", text: "go on behind a page; the page before names its mark" },
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
    return withStore(context, async ({ store, location }) => {
      const page = await store.list({ limit, ...(after !== undefined && { after }) })
      const { conversations, next, unreadable } = page
      const code = unreadable.length > 0 ? 2 : 0
      if (given.flag("json")) {
        printJson("log list", code, { conversations, ...(next !== undefined && { next }), unreadable }, out)
        return code
      }
      const rows = conversations.map(({ id, title, updated, forkedFrom }) => {
        const origin = forkedFrom ? `  (from ${forkedFrom.conversation})` : ""
        return [oneLine(id), when(updated), `${oneLine(title ?? "")}${origin}`.trim()]
      })
      if (rows.length === 0) err.line(`No conversations in ${location.name}`)
      else printTable([{ title: "id" }, { title: "last written" }, { title: "title", flexible: "end" }], rows, out)
      if (next !== undefined) err.line(err.palette.quiet(`There are more: --after ${next}`))
      for (const { name, why } of unreadable) err.line(`${err.palette.error("unreadable")}: ${name}: ${why}`)
      return code
    })
  },
}
