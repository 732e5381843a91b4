/**
 * A word of a command that is shown to be copied, such that a shell takes it for one word and runs nothing in it. What nobody
 * sees is spelt out, as bash, zsh and ksh read it.
 */
import { visible } from "./visible.ts"

export const shellWord = (word: string): string => {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  const spelt = visible(word.replaceAll("\\", "\\\\")).replaceAll("\n", "\\n").replaceAll("\t", "\\t")
  const isPlain = spelt === word.replaceAll("\\", "\\\\")
  return isPlain ? `'${word.replaceAll("'", "'\\''")}'` : `$'${spelt.replaceAll("'", "\\'")}'`
}

/** Words that name things, such as ids: one that begins with a dash is no option. They come last, after all options. */
export const shellNames = (...names: readonly string[]): string =>
  [...(names.some((name) => name.startsWith("-")) ? ["--"] : []), ...names.map(shellWord)].join(" ")

/** An option with its value, which may begin with a dash too. */
export const shellOption = (option: string, value: string): string => `${option}${value.startsWith("-") ? "=" : " "}${shellWord(value)}`

/** The same for a file, whose name must not look like an option. A tilde stays outside the quotes, where a shell expands it. */
export const shellFile = (path: string): string => {
  if (path.startsWith("~/")) return `~/${shellWord(path.slice(2))}`
  return shellWord(path.startsWith("-") && path !== "-" ? `./${path}` : path)
}
