/**
 * Tokens of a text without a vocabulary: one pass over its characters (`narrow.ts`), linear on any input. Tokenizers
 * first split text into pieces (a word with the character before it, up to three digits, a run of punctuation, a
 * run of whitespace) and then find each piece in their vocabulary, where most pieces are one token. The scanner finds
 * the same pieces. What words and punctuation cost is looked up; other scripts are charged per character. Costs are whole hundredths of a token, because whole numbers add fast.
 */
import type { Size } from "./meter.ts"
import { accentedCodes, isLine, narrowed, repeatedLine, takesLineBreaks, wideCode, wideCosts } from "./narrow.ts"
import { knownDigits, tripleDigits } from "./piece-tables.ts"

// What a piece of text costs, a word or a run of punctuation as tokenizers split it. A table has what three
// neighbouring characters add: those common in words (`the`, `ing`, `();`) are inside tokens and add little, those that
// are not (`qxv`, `}~$`) end one. So words stay cheap while hashes and base64 get expensive without having to
// be recognised. A second table knows the common pieces whose sum is wrong. Both are hashed, without the texts, and
// fitted to the o200k vocabulary (`bench/meter/fit.mjs`); other vocabularies of this size behave alike. The scanner
// writes the small functions out: calling them costs it a fifth of its speed.

/** Of each table; 2 ** 13, the upper bits of a hash. */
export const places = 8192
const placeShift = 19

/** Hundredths of a token: the piece itself, the lowest entry of the table, and from there in steps. */
export const base = 60
export const leastStep = -40
export const step = 3
export const steps = 64

/** The last three characters of a piece; none is 0. */
export const nextTriple = (triple: number, code: number): number => ((triple << 7) | code) & 0x1fffff

/** Mixes the bits of a triple. */
export const mixed = (triple: number): number => Math.imul(triple, 0x9e3779b1)

export const placeOf = (hash: number): number => hash >>> placeShift

/** The hash of a piece, from the hash up to the character in front and its mixed triple. */
export const nextHash = (hash: number, mix: number): number => (Math.imul(hash, 33) + mix) | 0

/** A known piece at its place: more bits of its hash, to tell it from others there, and whether it is two tokens. */
export const knownPiece = (hash: number, tokens: number): number => ((hash >>> 13) & 62) | (tokens - 1)

/** Tokens of a piece if it is the known one at its place, otherwise something else than 1 and 2. */
export const tokensOfKnown = (known: number, hash: number): number => 1 + (known ^ ((hash >>> 13) & 62))

/** What adds up to more than this many hundredths is not taken for a known piece: it only shares its hash. */
export const mostKnown = 300

const digitAt = (digits: string, index: number): number => {
  const code = digits.charCodeAt(index)
  if (code < 58) return code === 45 ? 62 : code - 48
  return code < 91 ? code - 55 : code === 95 ? 63 : code - 61
}

/** Hundredths of a token by the place of a triple. */
export const tripleCosts: Int16Array = Int16Array.from({ length: places }, (_, place) => {
  return leastStep + step * digitAt(tripleDigits, place)
})

/** The known piece by its place. */
export const knownPieces: Uint8Array = Uint8Array.from({ length: places }, (_, place) => digitAt(knownDigits, place))

const kind = { letter: 1, digit: 2, blank: 3, newline: 4, mark: 5, control: 6, wide: 7 } as const

/** What a character is. Control characters are a token each. */
const kindTable: Uint8Array = (() => {
  const table = new Uint8Array(256).fill(kind.mark, 0, 128)
  table.fill(kind.control, 0, 32)
  table[127] = kind.control
  for (let code = 48; code < 58; code++) table[code] = kind.digit
  for (let code = 65; code < 91; code++) table[code] = table[code + 32] = kind.letter
  for (const code of [9, 11, 12, 32]) table[code] = kind.blank
  for (const code of [10, 13]) table[code] = kind.newline
  for (let code: number = accentedCodes[0]; code <= accentedCodes[1]; code++) table[code] = kind.letter
  table[wideCode] = kind.wide
  return table
})()

/** What a piece costs with the character before it alone; 0 for none. */
const frontCosts: Int16Array = Int16Array.from({ length: 128 }, (_, front) => {
  return base + (front === 0 ? 0 : (tripleCosts[placeOf(mixed(front))] as number))
})

/** Bytes that JSON adds to an ASCII character by escaping it. */
const escapes: Uint8Array = (() => {
  const table = new Uint8Array(128)
  table.fill(5, 0, 32)
  for (const code of [8, 9, 10, 12, 13, 34, 92]) table[code] = 1
  return table
})()

/**
 * What is charged for a sum above one token and below two: such pieces are common words more often than not, the more
 * so the lower the sum.
 */
const secondTokens: Uint8Array = Uint8Array.from({ length: 100 }, (_, sum) => (sum * sum) / 100)

/** A piece is a token at least. */
const costOfSum = (sum: number): number => (sum >= 200 ? sum : sum <= 100 ? 100 : 100 + (secondTokens[sum - 100] as number))

const slash = 47
const hyphen = 45

/** In paths and joined names common words are seldom one token (`/strategies`): vocabularies have them after a blank. */
const costBehindJoint = (sum: number): number => (sum >= 200 ? sum : sum <= 100 ? 100 : Math.min(200, 2 * sum - 100))

const costOfPiece = (sum: number, hash: number, front: number): number => {
  const known = tokensOfKnown(knownPieces[placeOf(hash)] as number, hash)
  if (known < 3 && sum <= mostKnown) return known * 100
  return front === slash || front === hyphen ? costBehindJoint(sum) : costOfSum(sum)
}

const behindDigits = 12

const isSmall = (code: number): boolean => code > 96 && code < 123

/**
 * On the safe side: a view that is a little shorter than it might be loses next to nothing, one that is over its budget
 * is refused by its provider.
 */
const margin = 1.03

/** What was found beside words, figures and punctuation. */
interface Others {
  cost: number
  bytes: number
}

/** Characters of other scripts, one after the other; where they end. */
const scanWide = (text: string, codes: Uint8Array, from: number, others: Others): number => {
  let at = from
  while (codes[at] === wideCode) {
    const code = text.charCodeAt(at)
    others.cost += wideCosts[code >> 4] as number
    const more = code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2
    others.bytes += more
    at++
    if (isLine(code)) {
      for (; text.charCodeAt(at) === code; at++) {
        others.cost += repeatedLine(code)
        others.bytes += more
      }
    } else if (takesLineBreaks(code)) {
      for (; codes[at] === 10 || codes[at] === 13; at++) others.bytes++
    }
  }
  return at
}

/** Tokens of a text as the scanner sees them, and its bytes in a JSON request. */
export const scanText = (text: string): Size => {
  const { length } = text
  const codes = narrowed(text)
  // In here: engines look up and check what is outside of a function at every use.
  const letter = 1 satisfies typeof kind.letter
  const digit = 2 satisfies typeof kind.digit
  const blank = 3 satisfies typeof kind.blank
  const newline = 4 satisfies typeof kind.newline
  const mark = 5 satisfies typeof kind.mark
  const wide = 7 satisfies typeof kind.wide
  const kinds = kindTable
  const costs = tripleCosts
  const fronts = frontCosts
  const added = escapes
  const others: Others = { cost: 0, bytes: 0 }
  let cost = 0
  let bytes = length
  let at = 0
  /** Character before the next piece that belongs to it; 0 for none. */
  let front = 0
  while (at < length) {
    const from = at
    let code = codes[at] as number
    const first = kinds[code]
    if (first === letter) {
      let triple = front
      let hash = mixed(front)
      let sum = fronts[front] as number
      for (;;) {
        triple = ((triple << 7) | (code & 127)) & 0x1fffff
        const mix = Math.imul(triple, 0x9e3779b1)
        sum += costs[mix >>> 19] as number
        hash = (Math.imul(hash, 33) + mix) | 0
        bytes += code >> 7
        const next = codes[++at] as number
        if (kinds[next] !== letter) {
          // The apostrophe of a contraction: a small letter follows.
          if (next !== 39 || !isSmall(codes[at + 1] as number)) break
        } else if (next < 91 && code > 96) {
          // A capital after a small letter begins the next word.
          break
        }
        code = next
      }
      cost += costOfPiece(sum, hash, front)
      front = 0
    } else if (first === mark) {
      let triple = front
      let hash = mixed(front)
      let sum = fronts[front] as number
      let isEnding = false
      do {
        triple = ((triple << 7) | code) & 0x1fffff
        const mix = Math.imul(triple, 0x9e3779b1)
        sum += costs[mix >>> 19] as number
        hash = (Math.imul(hash, 33) + mix) | 0
        bytes += added[code] as number
        code = codes[++at] as number
        // Line breaks directly after are part of the piece, and slashes after these.
        isEnding ||= code === 10 || code === 13
      } while (isEnding ? code === 10 || code === 13 || code === slash : kinds[code] === mark)
      // A single one before a letter belongs to that word.
      if (front === 0 && at - from === 1 && kinds[code] === letter) {
        front = triple
        continue
      }
      cost += costOfPiece(sum, hash, front)
      front = 0
    } else if (first === digit) {
      front = 0
      do code = codes[++at] as number
      while (kinds[code] === digit)
      cost += Math.trunc((at - from + 2) / 3) * 100
      // Letters directly after digits are rarely words: hashes, ids, base64.
      if (kinds[code] === letter) cost += behindDigits
    } else if (first === blank || first === newline) {
      front = 0
      let lines = at
      let last = code
      let nextKind = first as number
      do {
        bytes += added[code] as number
        last = code
        at++
        if (nextKind === newline) lines = at
        code = codes[at] as number
        nextKind = kinds[code] as number
      } while (nextKind === blank || nextKind === newline)
      if (lines > from) cost += 100 + ((lines - from) >> 4) * 100
      const blanks = at - lines
      if (blanks === 0) continue
      const joins = nextKind === letter || nextKind === wide || (nextKind === mark && last === 32)
      if (joins && nextKind !== wide) front = last
      const alone = joins ? blanks - 1 : blanks
      if (alone > 0) cost += 100 + (alone >> 6) * 100
      // Where it joins nothing, the last of several blanks is a piece of its own.
      if (!joins && blanks > 1 && at < length) cost += 100
    } else {
      front = 0
      if (first === wide) at = scanWide(text, codes, at, others)
      else {
        cost += 100
        bytes += added[code] as number
        at++
      }
    }
  }
  const all = cost + others.cost
  return { tokens: length > 0 ? Math.max(1, Math.round((all * margin) / 100)) : 0, bytes: bytes + others.bytes }
}
