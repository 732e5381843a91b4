/** What `log backup` and `log restore` say about the conversations they copied. */
import { type Copied, type CopyResult } from "../../../store/index.ts"
import { isLoss } from "../../../store/recovery.ts"
import type { Context, ExitCode } from "../../frame/command.ts"
import { printJson } from "../../print/json.ts"
import { printDamage } from "../../print/recovery.ts"
import { count, oneLine } from "../../frame/text.ts"

const lossesOf = ({ damage }: Copied): Copied["damage"] => damage.filter(isLoss)

/** 2: something could not be copied. 1: what was copied is damaged, so that some of it is missing. */
const codeOf = ({ copied, problems, unreadable }: CopyResult): ExitCode => {
  if (problems.length > 0 || unreadable.length > 0) return 2
  return copied.some((each) => lossesOf(each).length > 0) ? 1 : 0
}

const counted = (copied: readonly Copied[], newWord: string): string => {
  const parts = (
    [
      ["made", newWord],
      ["extended", "continued"],
      ["same", "unchanged"],
    ] as const
  ).flatMap(([outcome, word]) => {
    const number = copied.filter((each) => each.outcome === outcome).length
    return number === 0 ? [] : [`${number.toLocaleString("en-US")} ${word}`]
  })
  return `${count(copied.length, "conversation")}${parts.length === 0 ? "" : ` (${parts.join(", ")})`}`
}

/** `command` as in `log backup`, `verb` as in `backed up`, `where` with its preposition. */
export const reportCopy = (
  result: CopyResult,
  { command, verb, where, newWord }: Readonly<Record<"command" | "verb" | "where" | "newWord", string>>,
  { out, err, arguments: given }: Context,
): ExitCode => {
  const { copied, problems, unreadable } = result
  const code = codeOf(result)
  if (given.flag("json")) {
    const failed = problems.map(({ conversation, error }) => ({ conversation, reason: error.reason, message: error.message }))
    printJson(command, code, { conversations: copied, problems: failed, unreadable }, out)
    return code
  }
  for (const each of copied) {
    const losses = lossesOf(each)
    if (losses.length === 0) continue
    err.line(`${err.palette.warning("damaged")}: ${oneLine(each.conversation)}: what could be read was copied`)
    printDamage(losses, err.palette.warning("missing"), err)
  }
  for (const { conversation, error } of problems) err.line(`${err.palette.error("not copied")}: ${oneLine(conversation)}: ${error.message}`)
  for (const { name, why } of unreadable) err.line(`${err.palette.error("unreadable")}: ${name}: ${why}`)
  const mark = code === 0 ? err.palette.good("✓") : err.palette.warning("!")
  err.line(`${mark} ${verb} ${counted(copied, newWord)} ${where}`)
  return code
}
