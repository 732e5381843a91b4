/**
 * The style in which a conversation's calls are written, kept with the conversation: a note on its path, written when
 * somebody chooses a style that the history does not show by itself. So whoever opens it next goes on in that style.
 */
import { historyStyle } from "../formats/xml-text/style.ts"
import { toolStyle, type ToolStyle, type ToolStyleQuestion } from "../formats/xml-text/index.ts"
import type { KnownTool } from "../formats/engine/tools.ts"
import { LigatureError, type Transcript } from "../model/index.ts"
import type { Entry, NewEntry } from "../store/index.ts"

const noteName = "style"

const isStyle = (value: unknown): value is ToolStyle => value === "xml" || value === "json"

const keptStyle = (path: readonly Entry[]): ToolStyle | undefined => {
  const note = path.findLast((entry) => entry.kind === "note" && entry.name === noteName && isStyle(entry.value))
  return note?.kind === "note" && isStyle(note.value) ? note.value : undefined
}

export interface ChosenStyle {
  readonly style: ToolStyle
  /** What to append, so that the choice is known the next time; empty where it is known. */
  readonly append: readonly NewEntry[]
}

const asked = (style: ToolStyle | ToolStyleQuestion): ToolStyle => {
  const found = typeof style === "object" ? toolStyle(style) : style
  if (isStyle(found)) return found
  throw new LigatureError("bad-option", `Expected the style "xml" or "json", got ${JSON.stringify(found)}`)
}

/** The style that was asked for; else that of the note, else that of the calls in the history, else `json`. */
export const chooseStyle = (
  wanted: ToolStyle | ToolStyleQuestion | undefined,
  path: readonly Entry[],
  transcript: Transcript,
  tools?: readonly KnownTool[],
): ChosenStyle => {
  const known = keptStyle(path) ?? historyStyle(transcript, tools) ?? "json"
  const style = wanted === undefined ? known : asked(wanted)
  return { style, append: style === known ? [] : [{ kind: "note", name: noteName, value: style }] }
}
