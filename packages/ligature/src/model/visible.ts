/**
 * Text of others, for people: characters that a terminal obeys (escape sequences, C1 controls), that turn the reading order
 * around, or that nobody sees are written as escapes, so that what is shown is all there is. The escapes are those of JSON:
 * JSON text stays what it is. Line breaks and tabs stay, as layout; who prints single lines takes care of them.
 */

/** Controls, soft hyphen, fillers, bidirectional marks, zero-width characters, noncharacters, tags, halves of pairs. */
const hostile =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these characters are the point
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\u{e0000}-\u{e0fff}\u{1d173}-\u{1d17a}]/gu

const escapeOf = (character: string): string => {
  let escaped = ""
  for (let index = 0; index < character.length; index++) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`
  }
  return escaped
}

/** A family or a flag of several pictures is drawn as one: between two pictures the joiner hides nothing. */
const joinsPictures = (text: string, at: number): boolean =>
  /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?$/u.test(text.slice(Math.max(0, at - 4), at)) &&
  /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3))

/** More marks on one letter belong to no language: drawing hundreds of thousands takes a browser minutes. */
const heaped = /(?<=\p{M}{16})\p{M}+/gu

export const visible = (text: string): string =>
  text
    .replace(hostile, (character, at: number) => (character === "\u200d" && joinsPictures(text, at) ? character : escapeOf(character)))
    .replace(heaped, escapeOf)
