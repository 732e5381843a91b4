/** What `log backup` and `log restore` say about the conversations they copied. */
import { phrase } from "../../../model/index.ts"
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
      ["extended", phrase`continued`],
      ["same", phrase`unchanged`],
    ] as const
  ).flatMap(([outcome, word]) => {
    const number = copied.filter((each) => each.outcome === outcome).length
    return number === 0 ? [] : [`${number.toLocaleString("en-US")} ${word}`]
  })
  return `${count(copied.length, "conversation")}${parts.length === 0 ? "" : ` (${parts.join(", ")})`}`
}

interface CopyTerms {
  /** As in `log backup`. */
  readonly command: string
  /** The sentence about what was copied. */
  readonly done: (copied: string) => string
  readonly newWord: string
}

export const reportCopy = (
  result: CopyResult,
  { command, done, newWord }: CopyTerms,
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
    err.line(`${err.palette.warning(phrase`damaged`)}: ${oneLine(each.conversation)}: ${phrase`what could be read was copied`}`)
    printDamage(losses, err.palette.warning(phrase`missing`), err)
  }
  for (const { conversation, error } of problems)
    err.line(`${err.palette.error(phrase`not copied`)}: ${oneLine(conversation)}: ${error.message}`)
  for (const { name, why } of unreadable) err.line(`${err.palette.error(phrase`unreadable`)}: ${name}: ${why}`)
  const mark = code === 0 ? err.palette.good("✓") : err.palette.warning("!")
  err.line(`${mark} ${done(counted(copied, newWord))}`)
  return code
}
