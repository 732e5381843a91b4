/** Which topics the setting DEBUG asks for, as every program of Node that knows it reads it. */

/** Words are separated by commas or blanks; `*` matches anything that follows; a minus excludes. */
export const wantsTopic = (setting: string | undefined, topic: string): boolean => {
  const scope = `ligature:${topic}`
  const matches = (word: string): boolean => word === scope || (word.endsWith("*") && scope.startsWith(word.slice(0, -1)))
  let wants = false
  for (const word of (setting ?? "").split(/[\s,]+/)) {
    if (word.startsWith("-") && matches(word.slice(1))) return false
    wants ||= matches(word)
  }
  return wants
}
