/**
 * What a piece of text costs, a word or a run of punctuation as tokenizers split it. A table has what three
 * neighbouring characters add: those common in words (`the`, `ing`, `();`) are inside tokens and add little, those that
 * are not (`qxv`, `}~$`) end one. So words stay cheap while hashes and base64 get expensive without having to
 * be recognised. A second table knows the common pieces whose sum is wrong. Both are hashed, without the texts, and
 * fitted to the o200k vocabulary (`bench/meter/fit.mjs`); other vocabularies of this size behave alike. The scanner
 * writes the small functions out: calling them costs it a fifth of its speed.
 */
import { knownDigits, tripleDigits } from "./piece-tables.ts"

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
