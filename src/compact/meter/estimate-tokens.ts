/**
 * Tokens of a text without a vocabulary: one pass over its characters, no allocation, linear on any input. Tokenizers
 * first split text into pieces (a word with the character in front of it, up to three digits, a run of punctuation, a
 * run of whitespace) and then find each piece in their vocabulary, where most pieces are one token. The scanner finds
 * the same pieces. What words and punctuation cost is looked up (`pieces.ts`); other scripts are charged per character
 * (`wide-costs.ts`). Costs are whole hundredths of a token, because whole numbers add fast.
 */
import type { Size } from "../size.ts"
import { base, knownPieces, mixed, mostKnown, nextHash, nextTriple, placeOf, tokensOfKnown, tripleCosts } from "./pieces.ts"
import { isAccented, isLine, repeatedLine, standIn, takesLineBreaks, wideCosts } from "./wide-costs.ts"

const letter = 1
const digit = 2
const blank = 3
const newline = 4
const mark = 5
const control = 6
const wide = 7

/** What an ASCII character is. Control characters are a token each. */
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

const kindOf = (code: number): number => (code < 128 ? (kinds[code] as number) : isAccented(code) ? letter : wide)

/** What a piece costs with the character in front of it alone; 0 for none. */
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
const costOfSum = (sum: number): number =>
  sum >= 200 ? sum : sum <= 100 ? 100 : 100 + (secondTokens[sum - 100] as number)

const slash = 47
const hyphen = 45

/** In paths and joined names common words are seldom one token (`/strategies`): vocabularies hold them behind a blank. */
const costBehindJoint = (sum: number): number => (sum >= 200 ? sum : sum <= 100 ? 100 : Math.min(200, 2 * sum - 100))

const behindDigits = 12

/** Behind a letter, the apostrophe of a contraction: a small letter follows. */
const isContraction = (text: string, at: number): boolean => {
  if (at + 1 >= text.length) return false
  const next = text.charCodeAt(at + 1)
  return next > 96 && next < 123
}

/**
 * On the safe side: a view that is a little shorter than it might be loses next to nothing, one that is over its budget
 * is refused by its provider.
 */
const margin = 1.03

/** Tokens of a text as the scanner sees them, and its bytes in a JSON request. */
export const scanText = (text: string): Size => {
  const length = text.length
  let cost = 0
  let bytes = length
  let at = 0
  /** Character in front of the coming piece that belongs to it; 0 for none. */
  let front = 0
  while (at < length) {
    let code = text.charCodeAt(at)
    const kind = kindOf(code)
    if (kind === letter || kind === mark) {
      let triple = front
      let hash = mixed(front)
      let sum = frontCosts[front] as number
      if (kind === letter) {
        for (let previous = code; ; previous = code) {
          if (code >= 128) {
            bytes++
            code = standIn(code)
          }
          triple = nextTriple(triple, code)
          const mix = mixed(triple)
          sum += tripleCosts[placeOf(mix)] as number
          hash = nextHash(hash, mix)
          if (++at === length) break
          code = text.charCodeAt(at)
          if (kindOf(code) !== letter && !(code === 39 && isContraction(text, at))) break
          // A capital behind a small letter begins the next word.
          if (code > 39 && code < 91 && previous > 96) break
        }
      } else {
        const from = at
        let isEnding = false
        do {
          triple = nextTriple(triple, code)
          const mix = mixed(triple)
          sum += tripleCosts[placeOf(mix)] as number
          hash = nextHash(hash, mix)
          bytes += escapes[code] as number
          code = ++at < length ? text.charCodeAt(at) : 0
          // Line breaks directly behind are part of the piece, and slashes behind these.
          isEnding ||= code === 10 || code === 13
        } while (code < 128 && (isEnding ? code === 10 || code === 13 || code === slash : kinds[code] === mark))
        // A single one in front of a letter belongs to that word.
        if (front === 0 && at - from === 1 && kindOf(code) === letter) {
          front = triple
          continue
        }
      }
      const known = tokensOfKnown(knownPieces[placeOf(hash)] as number, hash)
      if (known < 3 && sum <= mostKnown) cost += known * 100
      else cost += front === slash || front === hyphen ? costBehindJoint(sum) : costOfSum(sum)
      front = 0
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
      if (at < length && kindOf(next) === letter) cost += behindDigits
    } else if (kind === blank || kind === newline) {
      const from = at
      let lines = kind === newline ? at + 1 : at
      let next = code
      let nextKind = kind
      let last = code
      do {
        bytes += escapes[next] as number
        last = next
        at++
        if (nextKind === newline) lines = at
        next = at < length ? text.charCodeAt(at) : 0
        nextKind = kindOf(next)
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
    } else if (kind === control) {
      cost += 100
      bytes += escapes[code] as number
      at++
    } else {
      cost += wideCosts[code >> 4] as number
      const more = code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2
      bytes += more
      at++
      if (isLine(code)) {
        for (; at < length && text.charCodeAt(at) === code; at++) {
          cost += repeatedLine(code)
          bytes += more
        }
      } else if (takesLineBreaks(code)) {
        for (; at < length && (text.charCodeAt(at) === 10 || text.charCodeAt(at) === 13); at++) bytes++
      }
    }
  }
  return { tokens: length > 0 ? Math.max(1, Math.round((cost * margin) / 100)) : 0, bytes }
}
