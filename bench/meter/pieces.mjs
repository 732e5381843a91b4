/** The pieces o200k splits a text into before it looks for tokens, and what each costs in tokens. */
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const folder = join(dirname(fileURLToPath(import.meta.url)), "../peers/node_modules/gpt-tokenizer/esm/encoding")
const load = async (name) => (await import(pathToFileURL(join(folder, `${name}.js`)).href)).countTokens

const contraction = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?"
const upper = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
const lower = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
const pattern = new RegExp(
  [
    `[^\\r\\n\\p{L}\\p{N}]?${upper}*${lower}+${contraction}`,
    `[^\\r\\n\\p{L}\\p{N}]?${upper}+${lower}*${contraction}`,
    "\\p{N}{1,3}",
    " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*",
    "\\s*[\\r\\n]+",
    "\\s+(?!\\S)",
    "\\s+",
  ].join("|"),
  "gu",
)

export const piecesOf = (text) => text.match(pattern) ?? []

const options = { disallowedSpecial: new Set() }
const longest = 256

/** The tokenizer is slow on long unbroken text, so a long piece is cut: less than a token too much per cut. */
const remembered = (countTokens) => {
  const known = new Map()
  const count = (piece) => {
    let tokens = 0
    for (let at = 0; at < piece.length; at += longest) tokens += countTokens(piece.slice(at, at + longest), options)
    return tokens
  }
  return (piece) => {
    const before = known.get(piece)
    if (before !== undefined) return before
    const tokens = count(piece)
    known.set(piece, tokens)
    return tokens
  }
}

export const o200k = remembered(await load("o200k_base"))
export const cl100k = remembered(await load("cl100k_base"))
