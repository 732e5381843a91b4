/**
 * The repairs of `doctor`: a copy next to the session, or the session itself if no process is writing to it. A session that
 * cannot be written is reported and skipped.
 */
import { stat } from "node:fs/promises"
import { basename } from "node:path"
import { repair } from "../../convert/index.ts"
import type { DocumentPart } from "../../document/index.ts"
import { whyBusy } from "../../files/disk/read-bytes.ts"
import { LigatureError, phrase, translated } from "../../model/index.ts"
import type { Context } from "../frame/command.ts"
import { keepCopy, modeOfSources, writeOutput } from "../input/files.ts"
import { policiesOf } from "../frame/settings.ts"
import type { Source } from "../input/source.ts"

export interface RepairedBeside {
  /** One sentence: where the repaired session is, or why it was not repaired. */
  readonly what: string
  readonly output?: string
  readonly backup?: string
  readonly changes: number
}

/** `session.repaired.jsonl` */
export const besideName = (path: string): string => path.replace(/(\.[^./\\]+)?$/, (extension) => `.repaired${extension}`)

export class RepairBeside {
  readonly #context: Context
  readonly #inPlace: boolean

  constructor(context: Context) {
    this.#context = context
    this.#inPlace = context.arguments.flag("in-place")
  }

  async write(source: Source, path: string): Promise<RepairedBeside> {
    try {
      if (source.derived !== undefined) {
        const what = phrase`not repaired: it is ${source.derived}; ligature convert writes it as a new session`
        return { what, changes: 0 }
      }
      const before = await stat(path)
      const { content, changes } = this.#repaired(source)
      if (!this.#inPlace) return await this.#beside(path, content, changes)
      const busy = await whyBusy(path, Date.now())
      if (busy !== undefined) return { what: phrase`skipped: ${translated(busy)}`, changes: 0 }
      const backup = await keepCopy(path)
      const now = await stat(path)
      if (now.mtimeMs !== before.mtimeMs || now.size !== before.size) {
        return { what: phrase`skipped: it changed while it was read`, backup, changes: 0 }
      }
      await writeOutput(path, content, await modeOfSources([path]))
      return { what: phrase`repaired; the original is ${basename(backup)}`, output: path, backup, changes }
    } catch (error) {
      if (!LigatureError.is(error)) throw error
      return { what: phrase`not repaired: ${error.message}`, changes: 0 }
    }
  }

  async #beside(path: string, content: string, changes: number): Promise<RepairedBeside> {
    const output = besideName(path)
    if ((await stat(output).catch(() => undefined)) !== undefined) {
      return { what: phrase`not repaired: ${basename(output)} already exists`, changes: 0 }
    }
    await writeOutput(output, content, await modeOfSources([path]))
    return { what: phrase`repaired: ${basename(output)}`, output, changes }
  }

  #repaired(source: Source): { readonly content: string; readonly changes: number } {
    const policies = policiesOf(this.#context)
    const replacements = new Map<DocumentPart, unknown>()
    let changes = 0
    for (const part of source.parts) {
      const options = { policies, ...source.decodeOptions(part), from: part.format }
      const { value, report } = repair(part.value, options)
      if (report.entries.length === 0 && !source.isTorn) continue
      changes += report.entries.length
      replacements.set(part, value)
    }
    const content = source.document.rebuild(replacements)
    source.assertReads(content)
    return { content, changes }
  }
}
