/** `ligature log unlock`: who keeps others from writing to a conversation, and the way in for a person who knows better. */
import { phrase, shellNames } from "../../../model/index.ts"
import type { Holding } from "../../../store/index.ts"
import { type Command, type ExitCode, jsonOption } from "../../frame/command.ts"
import { printJson } from "../../print/json.ts"
import { oneLine } from "../../frame/text.ts"
import { when } from "../../print/when.ts"
import { storeOption } from "../../store/store-location.ts"
import { withStore, wordsOf } from "../../store/with-store.ts"

const describe = ({ type, holder, slot, expires }: Holding, now: number): string => {
  const who = oneLine(holder)
  if (type === "machine") return phrase`another machine uses the folder: ${who}`
  if (type === "lock") return phrase`a commit has not ended: ${who}`
  const until = expires === undefined ? "" : `, ${expires <= now ? phrase`expired ${when(expires)}` : phrase`until ${when(expires)}`}`
  return `${phrase`${slot ?? "write"} lease: ${who}`}${until}`
}

export const unlock: Command = {
  summary: "show who holds a conversation, and release it",
  usage: "ID [--force] [OPTIONS]",
  help: `Lists what prevents others from writing: leases, and in a folder also unfinished commits and locks of other machines.
Nothing is changed; the exit code is 1 if there is any.

--force removes them. Leases end, and a holder that still runs gets an error at its next append; nothing acknowledged is
lost. A lock of a process that cannot be seen from here (in another container, on another machine) is removed too: make
sure that the process has ended, because a paused process would continue writing. The lock of a process that runs on this
machine is never removed: end the process.`,
  options: [{ name: "force", text: "end the leases and remove the locks" }, storeOption, jsonOption],
  examples: [
    ["ligature log unlock ID", "who holds it?"],
    ["ligature log unlock ID --force", "the holder is gone: let others write"],
  ],
  run: (context) => {
    const [id] = wordsOf(context, "log unlock", ["ID"] as const)
    const { out, err, arguments: given } = context
    const force = given.flag("force")
    return withStore(context, async ({ store }) => {
      const holdings = await store.unlock(id, { force })
      const code: ExitCode = holdings.length > 0 && !force ? 1 : 0
      if (given.flag("json")) {
        printJson("log unlock", code, { conversation: id, holdings, forced: force }, out)
        return code
      }
      for (const holding of holdings) out.line(describe(holding, Date.now()))
      if (holdings.length === 0) err.line(`${err.palette.good("✓")} ${phrase`nobody holds ${id}`}`)
      else if (force) err.line(`${err.palette.good("✓")} ${phrase`${id} is free`}`)
      else err.line(err.palette.quiet(phrase`If the holder is gone: ${`ligature log unlock --force ${shellNames(id)}`}`))
      return code
    })
  },
}
