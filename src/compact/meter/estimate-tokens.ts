/**
 * Tokens of a text without a vocabulary: one pass over its characters, no allocation, linear on any input. Tokenizers
 * first split text into pieces (a word with the character in front of it, up to three digits, a run of punctuation, a
 * run of whitespace) and then find each piece in their vocabulary, where most pieces are one token. The scanner finds
 * the same pieces and charges each what it costs on average; only words need more (`letter-pairs.ts`), and other
 * scripts, which are charged per character. It errs on the high side: a budget that is a little too careful is kept,
 * the other way round a request is rejected. Costs are whole hundredths of a token, because whole numbers add fast.
 */
import type { Size } from "../size.ts"
import { letterPairs } from "./letter-pairs.ts"

const letter = 1
const digit = 2
const blank = 3
const newline = 4
const mark = 5
const control = 6
const wide = 7

/** What an ASCII character is. */
const kinds: Uint8Array = (() => {
  const table = new Uint8Array(128).fill(mark)
  table.fill(control, 0, 32)
  table[127] = control
  for (let code = 48; code < 58; code++) table[code] = digit
  for (let code = 65; code < 91; code++) table[code] = table[code + 32] = letter
  for (const code of [9, 11, 12, 32]) table[code] = blank
  for (const code of [10, 13]) table[code] = newline
  return table
})()

/** Stands for the character in front where a word goes on behind an accented letter. */
const goesOn = 127

/** What a word costs before its letter pairs, by the character in front that is part of its piece. */
const wordCosts: Uint8Array = (() => {
  const table = new Uint8Array(128).fill(165)
  for (const character of "\0 _.(") table[character.charCodeAt(0)] = 100
  table[9] = 110
  table[goesOn] = 20
  for (const character of "-'") table[character.charCodeAt(0)] = 120
  for (const character of "/,$=)<") table[character.charCodeAt(0)] = 140
  return table
})()

/**
 * Last character of a range, and what one character in it costs. Everything behind the last range is charged `rare`.
 */
const ranges: readonly (readonly [last: number, cost: number])[] = [
  [0x24f, 70], // Latin with accents
  [0x36f, 100], // phonetic letters, combining marks
  [0x3ff, 46], // Greek
  [0x52f, 34], // Cyrillic
  [0x5ff, 52], // Armenian, Hebrew
  [0x77f, 40], // Arabic
  [0x8ff, 100],
  [0xdff, 48], // scripts of India
  [0xe7f, 48], // Thai
  [0x10ff, 80],
  [0x1dff, 240],
  [0x1eff, 60], // Vietnamese
  [0x1fff, 150],
  [0x206f, 100], // dashes, quotation marks
  [0x24ff, 150],
  [0x259f, 50], // lines and blocks of terminal tables
  [0x2fff, 160],
  [0x303f, 100],
  [0x30ff, 70], // kana
  [0x33ff, 160],
  [0x4dbf, 260],
  [0x9fff, 95], // Chinese characters
  [0xabff, 220],
  [0xd7a3, 70], // Hangul
  [0xd7ff, 220],
  [0xdfff, 125], // halves of emoji and rare characters
  [0xf8ff, 300],
  [0xfaff, 220],
]
const rare = 150

/** By the upper twelve bits of the character: every range ends where sixteen characters do, or next to it. */
const wideCosts: Uint16Array = (() => {
  const table = new Uint16Array(4096).fill(rare)
  let from = 0
  for (const [last, cost] of ranges) {
    for (let block = from; block <= last >> 4; block++) table[block] = cost
    from = (last >> 4) + 1
  }
  return table
})()

/** Bytes that JSON adds to an ASCII character by escaping it. */
const escapes: Uint8Array = (() => {
  const table = new Uint8Array(128)
  table.fill(5, 0, 32)
  for (const code of [8, 9, 10, 12, 13, 34, 92]) table[code] = 1
  return table
})()

/** Letters of a word behind this many are rarely a word. */
const longWord = 14

/**
 * On the safe side: a view that is four percent shorter than it might be loses next to nothing, one that is over its
 * budget is refused by its provider.
 */
const margin = 1.04

/** Tokens of a text as the scanner sees them, and its bytes in a JSON request. */
export const scanText = (text: string): Size => {
  const length = text.length
  let cost = 0
  let bytes = length
  let at = 0
  /** Character in front of the coming word that belongs to its piece; 0 for none. */
  let front = 0
  while (at < length) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? (kinds[code] as number) : wide
    if (kind === letter) {
      cost += wordCosts[front] as number
      front = 0
      const from = at
      let previous = code
      for (at++; at < length; at++) {
        const next = text.charCodeAt(at)
        if (next >= 128 || kinds[next] !== letter) break
        const capital = next < 91
        // A capital behind a small letter begins the next word.
        if (capital && previous > 96) break
        cost += letterPairs[(capital ? 1024 : 0) | ((previous & 31) << 5) | (next & 31)] as number
        previous = next
      }
      if (at - from > longWord) cost += (at - from - longWord) * 15
      continue
    }
    front = 0
    if (kind === digit) {
      const from = at
      let next = 0
      for (at++; at < length; at++) {
        next = text.charCodeAt(at)
        if (next < 48 || next > 57) break
      }
      cost += Math.trunc((at - from + 2) / 3) * 100
      // Letters directly behind digits are rarely words: hashes, ids, base64.
      if (at < length && next < 128 && kinds[next] === letter) cost += 12
    } else if (kind === blank || kind === newline) {
      const from = at
      let lines = kind === newline ? at + 1 : at
      bytes += escapes[code] as number
      for (at++; at < length; at++) {
        const next = text.charCodeAt(at)
        const nextKind = next < 128 ? kinds[next] : wide
        if (nextKind === newline) lines = at + 1
        else if (nextKind !== blank) break
        bytes += escapes[next] as number
      }
      if (lines > from) cost += 100 + ((lines - from) >> 4) * 100
      const blanks = at - lines
      if (blanks === 0) continue
      const next = at < length ? text.charCodeAt(at) : 0
      const nextKind = next < 128 ? kinds[next] : wide
      const last = text.charCodeAt(at - 1)
      if (nextKind === letter) front = last
      const joins = nextKind === letter || nextKind === wide || (nextKind === mark && last === 32)
      const alone = joins ? blanks - 1 : blanks
      if (alone > 0) cost += 100 + (alone >> 6) * 100
      // Where it joins nothing, the last of several blanks is a piece of its own.
      if (!joins && blanks > 1 && at < length) cost += 100
    } else if (kind === mark) {
      const from = at
      let changes = 0
      let previous = code
      bytes += escapes[code] as number
      for (at++; at < length; at++) {
        const next = text.charCodeAt(at)
        if (next >= 128 || kinds[next] !== mark) break
        if (next !== previous) changes++
        bytes += escapes[next] as number
        previous = next
      }
      const next = at < length ? text.charCodeAt(at) : 0
      if (at - from === 1 && next < 128 && kinds[next] === letter && (from === 0 || text.charCodeAt(from - 1) !== 32)) {
        front = code
        continue
      }
      cost += 100 + (changes > 1 ? (changes - 1) * 45 : 0) + ((at - from) >> 5) * 100
      // The line breaks directly behind are part of the piece.
      while (at < length && (text.charCodeAt(at) === 10 || text.charCodeAt(at) === 13)) {
        at++
        bytes++
      }
    } else if (kind === control) {
      cost += 100
      bytes += escapes[code] as number
      at++
    } else {
      cost += wideCosts[code >> 4] as number
      bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2
      at++
      if ((code < 0x250 && code >= 0xc0) || (code >= 0x1e00 && code < 0x1f00)) front = goesOn
    }
  }
  return { tokens: length > 0 ? Math.max(1, Math.round((cost * margin) / 100)) : 0, bytes }
}
