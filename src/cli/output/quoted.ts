/** A word of a command that is shown to be copied, as a shell takes it for one word. */
export const quoted = (word: string): string =>
  (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
