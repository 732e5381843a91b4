/** The repairs of `doctor`: a session is replaced where it is, if no process is writing to it. One that cannot be is reported and skipped. */
import { basename } from "node:path"
import { repair } from "../../convert/index.ts"
import type { DocumentPart } from "../../document/index.ts"
import { whyBusy } from "../../files/disk/read-bytes.ts"
import { LigatureError, phrase, translated } from "../../model/index.ts"
import type { Context } from "../frame/command.ts"
import { policiesOf } from "../frame/settings.ts"
import { count } from "../frame/text.ts"
import { Source } from "../input/source.ts"
import { replaceFile } from "./replace-file.ts"

export interface RepairedInPlace {
  /** One sentence: where the original is, or why it was not repaired. */
  readonly what: string
  readonly backup?: string
  readonly changes: number
}

const repaired = (source: Source, context: Context): { readonly content: string; readonly changes: number } => {
  const policies = policiesOf(context)
  const replacements = new Map<DocumentPart, unknown>()
  let changes = 0
  for (const part of source.parts) {
    const excerpt = part.container === "reply"
    const tip = excerpt ? "open" : "closed"
    const { value, report } = repair(part.value, { policies, tip, excerpt, ...source.decodeOptions(part), from: part.format })
    if (report.entries.length === 0 && !source.isTorn) continue
    changes += report.entries.length
    replacements.set(part, value)
  }
  const content = source.rebuilt(replacements)
  source.assertReads(content)
  return { content, changes }
}

export const repairWhereItIs = async (path: string, context: Context): Promise<RepairedInPlace> => {
  const skipped = (what: string): RepairedInPlace => ({ what, changes: 0 })
  try {
    const source = await Source.read(path, {}, context.io, { onProgress: () => {} })
    if (source.derived !== undefined)
      return skipped(phrase`not repaired: it is ${source.derived}; ligature convert writes it as a new session`)
    if (source.isPartial && !source.isTorn)
      return skipped(phrase`not repaired: a part of it cannot be read; ligature rescue keeps the rest`)
    const { content, changes } = repaired(source, context)
    const busy = await whyBusy(path, Date.now())
    if (busy !== undefined) return skipped(phrase`skipped: ${translated(busy)}`)
    if (context.arguments.flag("dry-run")) return skipped(phrase`would be repaired: ${count(changes, "change")}`)
    const backup = await replaceFile(path, path, source.output(content), source.original)
    return { what: phrase`repaired; the original is ${basename(backup)}`, backup, changes }
  } catch (error) {
    if (!LigatureError.is(error)) throw error
    return skipped(phrase`not repaired: ${error.message}`)
  }
}
