/** A place at which a text may be cut, at or right in front of `at`: never between the halves of a character (L8). */
export const safeCut = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code < 0xe000 ? at - 1 : at
}

/** How far back a cut goes to fall between words, as a share of what is kept. */
const nearest = 0.2

/** Where the beginning of a text may end, at or in front of `at`: between two words where that is near. */
export const headCut = (text: string, at: number): number => {
  const space = text.lastIndexOf(" ", at)
  return space > at * (1 - nearest) ? space : safeCut(text, at)
}

/** Where the end of a text may begin, at or behind `at`. */
export const tailCut = (text: string, at: number): number => {
  const space = text.indexOf(" ", at)
  return space >= 0 && space < at + (text.length - at) * nearest ? space + 1 : safeCut(text, at)
}
