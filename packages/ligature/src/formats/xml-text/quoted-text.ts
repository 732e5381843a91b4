/**
 * Text that quotes a call or the header of a result, written so that no reader takes it for one: a word joiner (U+2060,
 * invisible, without width) stands between the bracket and the name. `<read_file>` in a text becomes `<⁠read_file>`. The
 * parsers of Cline, Roo and Kilo look for the very tag, and a model reads over the mark.
 *
 * The way back takes one joiner away, so a text that has such joiners of its own gets one more wherever they are: every
 * text comes back as it was.
 */
import { mayStartHeader } from "./scan/result-header.ts"

const joiner = "\u2060"
const marked = /([<[])\u2060(\u2060*)(?=[A-Za-z_"])/g
const tagStart = /<(?=([A-Za-z_][\w.:-]{0,127}))/g
const lineStart = /^\[(?=[A-Za-z_"])/gm

/** What in a text would be read as something else. */
export interface Quoted {
  /** Names of the tags, with or without their prefix; `all` for any. */
  readonly tags: ReadonlySet<string> | "all"
  readonly headers: boolean
}

/** The text without the marks: what it says. */
export const unquoted = (written: string): string =>
  written.includes(joiner) ? written.replace(marked, "$1$2") : written

/** A text as it is written where nothing in it is misread. */
export const writtenText = (text: string): string =>
  text.includes(joiner) ? text.replace(marked, `$1${joiner}${joiner}$2`) : text

/** Marks more of what is written already. */
export const quoted = (written: string, { tags, headers }: Quoted): string => {
  const isQuoted = (name: string): boolean => tags === "all" || tags.has(name) || tags.has(name.slice(name.indexOf(":") + 1))
  const inTags = written.replace(tagStart, (bracket, name: string) => (isQuoted(name) ? `${bracket}${joiner}` : bracket))
  if (!headers) return inTags
  return inTags.replace(lineStart, (bracket, at: number) => (mayStartHeader(inTags, at) ? `${bracket}${joiner}` : bracket))
}
