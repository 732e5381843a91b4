/**
 * A text as one byte per UTF-16 unit, in the same places. Looking at the characters of a string costs an engine several
 * times what a byte of an array costs it, above all once it has seen strings of many makings (slices, joined pieces,
 * wide ones). Nearly every text is ASCII, and is copied at once.
 */

/** Last character of a range, and what one character in it costs in hundredths of a token. */
const ranges: readonly (readonly [last: number, cost: number])[] = [
  [0x24f, 110], // signs; letters with accents are part of words
  [0x36f, 100], // phonetic letters, combining marks
  [0x3ff, 54], // Greek
  [0x52f, 38], // Cyrillic
  [0x5ff, 46], // Armenian, Hebrew
  [0x77f, 50], // Arabic
  [0x8ff, 100],
  [0xdff, 46], // scripts of India
  [0xe7f, 42], // Thai
  [0x10ff, 60],
  [0x177f, 200],
  [0x17ff, 70], // Khmer
  [0x1dff, 200],
  [0x1eff, 70], // Vietnamese
  [0x1fff, 150],
  [0x206f, 100], // dashes, quotation marks
  [0x218f, 170],
  [0x219f, 100], // arrows
  [0x21ff, 200],
  [0x24ff, 170],
  [0x257f, 120], // lines of terminal tables
  [0x259f, 105], // blocks
  [0x25ff, 135],
  [0x26ff, 200],
  [0x27bf, 150], // check marks, crosses
  [0x2fff, 290],
  [0x303f, 100], // punctuation of Chinese and Japanese
  [0x30ff, 70], // kana
  [0x33ff, 160],
  [0x4dbf, 260],
  [0x9fff, 90], // Chinese characters
  [0xabff, 220],
  [0xd7a3, 75], // Hangul
  [0xd7ff, 220],
  [0xdfff, 110], // halves of emoji and rare characters
  [0xf8ff, 300],
  [0xfaff, 220],
]
const rest = 100

/** By the upper twelve bits of the character: every range ends where sixteen characters do, or next to it. */
export const wideCosts: Uint16Array = (() => {
  const table = new Uint16Array(4096).fill(rest)
  let from = 0
  for (const [last, cost] of ranges) {
    for (let block = from; block <= last >> 4; block++) table[block] = cost
    from = (last >> 4) + 1
  }
  return table
})()

/** Lines of terminal tables and progress bars of which vocabularies have runs as one token: what each further one costs. */
const runs: ReadonlyMap<number, number> = new Map([
  [0x2500, 12],
  [0x2501, 17],
  [0x2550, 17],
  [0x2584, 52],
  [0x2588, 27],
  [0x25a0, 51],
  [0x25a1, 12],
])

/** The same character once more, in a line of a terminal table or a progress bar. */
export const repeatedLine = (code: number): number => runs.get(code) ?? 100
export const isLine = (code: number): boolean => code >= 0x2500 && code < 0x2600

/** Full stops and colons of Chinese and Japanese, which take the line breaks after them into their piece. */
export const takesLineBreaks = (code: number): boolean => (code >= 0x3000 && code < 0x3040) || code >= 0xff00

/** A Latin letter with an accent; it is part of a word. */
const isAccented = (code: number): boolean => code >= 0xc0 && code < 0x250 && code !== 0xd7 && code !== 0xf7

/** Used in place of an accented letter where ASCII is looked up: a control character that is not part of words. */
export const standIn = (code: number): number => 1 + (code & 7)

/** Stands for every character that is neither ASCII nor a letter with an accent. */
export const wideCode = 255

/** The first and the last byte of accented letters: above ASCII, and without the highest bit the code used in place of them there. */
export const accentedCodes = [129, 136] as const

const encoder = new TextEncoder()

/** A character is three bytes at most, or four for two units. Long texts get an array of their own, which goes with them. */
const [mostBytes, shortest] = [3, 65_536]
const shared = new Uint8Array(mostBytes * shortest)

/** UTF-8 → one byte per unit, in the same array: they are never more. */
const shrink = (bytes: Uint8Array, length: number): void => {
  let to = 0
  for (let at = 0; at < length; to++) {
    const first = bytes[at] as number
    if (first < 0x80) {
      bytes[to] = first
      at++
    } else if (first < 0xe0) {
      const code = ((first & 0x1f) << 6) | ((bytes[at + 1] as number) & 0x3f)
      bytes[to] = isAccented(code) ? 128 + standIn(code) : wideCode
      at += 2
    } else {
      bytes[to] = wideCode
      if (first >= 0xf0) bytes[++to] = wideCode
      at += first < 0xf0 ? 3 : 4
    }
  }
}

/** The last character is followed by a zero. Valid until the next call. */
export const narrowed = (text: string): Uint8Array => {
  const { length } = text
  let bytes = length < shortest ? shared : new Uint8Array(length + 1)
  let { read, written } = encoder.encodeInto(text, bytes)
  if (read < length) {
    bytes = new Uint8Array(mostBytes * length + 1)
    ;({ written } = encoder.encodeInto(text, bytes))
  }
  if (written > length) shrink(bytes, written)
  bytes[length] = 0
  return bytes
}
