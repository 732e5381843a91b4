/** Short deterministic names for texts: two independent 32-bit hashes, enough to tell apart the ids of one conversation. */

const hash32 = (value: string, seed: number): number => {
  let hash = seed >>> 0
  for (let index = 0; index < value.length; index++) {
    hash = Math.imul(hash ^ value.charCodeAt(index), 0x01000193)
    hash = (hash ^ (hash >>> 15)) >>> 0
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** `length` letters and digits that depend on every character of `value` (at most 20 are meaningful). */
export const shortHash = (value: string, length: number): string => {
  let out = ""
  for (let round = 0; out.length < length; round++) {
    let word = hash32(value, 0x811c9dc5 ^ Math.imul(round + 1, 0x9e3779b1))
    for (let digit = 0; digit < 5 && out.length < length; digit++) {
      out += alphabet[word % 62]
      word = Math.floor(word / 62)
    }
  }
  return out
}

/** `length` hexadecimal digits that depend on every character of `value`. */
export const hexHash = (value: string, length: number): string => {
  let out = ""
  for (let round = 0; out.length < length; round++) {
    out += hash32(value, 0x811c9dc5 ^ Math.imul(round + 1, 0x9e3779b1))
      .toString(16)
      .padStart(8, "0")
  }
  return out.slice(0, length)
}
