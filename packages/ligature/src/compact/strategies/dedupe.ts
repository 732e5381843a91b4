/**
 * Shows nothing twice. Of results with the same text the newest stays and the older ones name it. Of
 * readings of the same thing the newest stays too: the older name where it was read again. Nothing is lost: what is
 * the same is still there, and what was overtaken can be read back by its handle.
 */
import { type CallBlock, canonicalJson, type ResultBlock } from "../../model/index.ts"
import type { Strategy } from "../plan/plan.ts"
import { checkNames, type OptionNames } from "../plan/options.ts"
import { isStub, sameStubText, staleStubText, textOfContent, withText } from "../text/stand-ins.ts"
import { editingResults, type PlacedResult } from "./edit-results.ts"

export interface DedupeOptions {
  /**
   * Whether a call only looks at something, so that looking again overtakes it. Default: by the tool's name and
   * arguments.
   */
  readonly isReading?: (call: CallBlock) => boolean
}

const readingName = /(?:^|[_\-.\s]|[a-z](?=[A-Z]))(?:read|view|cat|open|show|get[_-]?file|load)(?:$|[_\-.\sA-Z])/i
const placeKeys = ["path", "file_path", "filePath", "file", "filename", "target_file", "absolute_path", "uri", "url"]

/** A tool that reads by its name, and an argument that names what. */
const isReadingCall = (call: CallBlock): boolean =>
  readingName.test(call.name) && placeKeys.some((key) => typeof call.arguments[key] === "string")

const isPlain = (result: ResultBlock): boolean => result.content.every((block) => block.type === "text")

interface Newer {
  readonly handle: string
  readonly tokens: number
}

const optionNames: OptionNames<DedupeOptions> = { isReading: true }

export const dedupe = (options: DedupeOptions = {}): Strategy => {
  checkNames(options, optionNames)
  const { isReading = isReadingCall } = options
  return editingResults("dedupe", "said again later", (edits, _, context) => {
    const byCall = new Map<string, Newer>()
    const byWords = new Map<string, Newer>()
    const consider = (placed: PlacedResult): void => {
      const { call, result, handle, kind } = placed
      if ((kind !== "done" && kind !== "failed") || !isPlain(result) || isStub(result.content)) return
      const words = textOfContent(result.content)
      const { tokens } = context.meter.sizeOfBlock(result)
      const key = `${call.name} ${canonicalJson(call.arguments)}`
      const said = byWords.get(`${kind} ${words}`)
      const again = byCall.get(key)
      const open = !context.isProtected(placed.exchange, placed.index)
      if (said) {
        if (open) edits.replace(placed, withText(result, sameStubText(said.handle)))
        if (!again) byCall.set(key, said)
        return
      }
      // A newer answer that is much shorter may only report that nothing has changed.
      if (again && open && kind === "done" && isReading(call) && again.tokens * 2 >= tokens) {
        edits.replace(placed, withText(result, staleStubText(handle, again.handle)))
        return
      }
      const newer: Newer = { handle, tokens }
      byWords.set(`${kind} ${words}`, newer)
      if (!again && kind === "done") byCall.set(key, newer)
    }
    for (const placed of edits.placed().toReversed()) consider(placed)
    return undefined
  })
}
