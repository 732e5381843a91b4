/**
 * For comparing upper and lower case alike. As long as the text itself, because places in it are places in the text:
 * the lower case of `İ` has two characters, of which the first is enough. Which sigma a word ends in depends on what
 * stands behind it, so there is only one.
 */
export const foldCase = (text: string): string => {
  const lower = text.toLowerCase()
  const same = lower.length === text.length
    ? lower
    : text.replace(/\P{ASCII}/gu, (character) => character.toLowerCase().slice(0, character.length)).toLowerCase()
  return same.replaceAll("ς", "σ")
}
