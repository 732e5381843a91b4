/** A place at which a text may be cut, at or right in front of `at`: never between the halves of a character (L8). */
export const safeCut = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code < 0xe000 ? at - 1 : at
}
