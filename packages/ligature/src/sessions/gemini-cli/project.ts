/**
 * What Gemini CLI calls the folder of a project: since January 2026 a name made of the folder's own (`~/.gemini/projects.json`
 * keeps which; a folder under tmp that nobody has claimed yet goes to the first project that would be called so), before that
 * the SHA-256 of its path, which records still have as `projectHash`. Read from the bundle of version 0.61.0.
 */

/** The folder under `~/.gemini/tmp`, unless another project of the same name has it already. */
export const projectName = (folder: string): string => {
  const base =
    folder
      .replace(/[\\/]+$/, "")
      .split(/[\\/]/)
      .at(-1) ?? ""
  return (
    base
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "project"
  )
}

/** The first 32 bits of the fractional part of a root: the constants of SHA-256. */
const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32) | 0

const primes = Array.from({ length: 310 }, (_, index) => index + 2).filter((number) => {
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false
  return true
})

const roundConstants = primes.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)))
const startState = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** One block of 64 bytes: sixteen words become 64, and each is mixed into the state. */
const mixed = (state: readonly number[], block: DataView): readonly number[] => {
  const words: number[] = []
  const word = (index: number): number => words[index] ?? 0
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let index = 0; index < 64; index++) {
    if (index < 16) words.push(block.getInt32(index * 4))
    else {
      const [early, late] = [word(index - 15), word(index - 2)]
      const one = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3)
      const other = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10)
      words.push((word(index - 16) + one + word(index - 7) + other) | 0)
    }
    const sum = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + (roundConstants[index] ?? 0) + word(index)
    const majority = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + sum) | 0, c, b, a, (sum + majority) | 0]
  }
  return [a, b, c, d, e, f, g, h].map((value, index) => (value + (state[index] ?? 0)) | 0)
}

/** SHA-256 of a text, as hexadecimal digits. Here and not in a library, since this folder also runs in a browser. */
export const projectHash = (folder: string): string => {
  const bytes = new TextEncoder().encode(folder)
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  new DataView(padded.buffer).setUint32(padded.length - 4, bytes.length * 8)
  let state: readonly number[] = startState
  for (let from = 0; from < padded.length; from += 64) state = mixed(state, new DataView(padded.buffer, from, 64))
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("")
}
