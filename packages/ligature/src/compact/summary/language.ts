/**
 * The language a user writes in, as far as their script shows it: who reads a summary of their own work should
 * not meet another language because the last message was `ok, go`.
 */
import type { Item } from "../../model/index.ts"
import { isRequest } from "../plan/protection.ts"
import { passagesOf } from "../text/item-text.ts"

const scripts: readonly (readonly [name: string, from: number, to: number])[] = [
  ["Japanese", 0x3040, 0x30ff],
  ["Korean", 0xac00, 0xd7a3],
  ["Chinese", 0x4e00, 0x9fff],
  ["a language in Cyrillic script", 0x400, 0x52f],
  ["a language in Arabic script", 0x600, 0x6ff],
  ["a language in Hebrew script", 0x590, 0x5ff],
  ["Greek", 0x370, 0x3ff],
  ["Thai", 0xe00, 0xe7f],
  ["a language in Devanagari script", 0x900, 0x97f],
]

/** Of longer texts only the beginning is read to find the language. */
const readCharacters = 4_000

interface Script {
  /** Undefined for Latin script, where the script alone does not show it. */
  readonly language: string | undefined
  /** How much text it was found from, in Latin letters. */
  readonly letters: number
}

const scriptOf = (text: string): Script => {
  const counts = new Map<string, number>()
  let letters = 0
  for (let at = 0; at < Math.min(text.length, readCharacters); at++) {
    const code = text.charCodeAt(at)
    if ((code | 32) >= 97 && (code | 32) <= 122) letters++
    const script = code < 0x370 ? undefined : scripts.find(([, from, to]) => code >= from && code <= to)?.[0]
    if (script === undefined) continue
    // A character of these scripts carries about as much as two Latin letters.
    letters += 2
    counts.set(script, (counts.get(script) ?? 0) + 2)
  }
  // Japanese is written with Chinese characters too: some kana are enough.
  const kana = counts.get("Japanese") ?? 0
  if (kana > 0 && kana * 10 > letters) return { language: "Japanese", letters }
  const [best] = [...counts].sort((a, b) => b[1] - a[1])
  return { language: best !== undefined && best[1] * 4 > letters ? best[0] : undefined, letters }
}

/** The language of a text, where its script shows it; undefined for Latin script. */
export const languageOf = (text: string): string | undefined => scriptOf(text).language

/** What a request counts beside the one after it. */
const fading = 0.7
/** Requests that would count less than this are not read. */
const leastVote = 0.001
/**
 * From how many letters on a request counts in full, and how much that is. Whoever writes in another script writes Latin
 * now and then (commands, names, a pasted log), and rarely the other way round: so Latin takes long messages, and
 * more than one.
 */
const votes = { script: { letters: 10, most: 1 }, latin: { letters: 80, most: 0.5 } } as const

/** The language of the user's requests as a whole, the newer ones counting more. */
export const userLanguage = (items: readonly Item[]): string | undefined => {
  const counted = new Map<string | undefined, number>()
  for (let at = items.length - 1, weight = 1; at >= 0 && weight > leastVote; at--) {
    const item = items[at]
    if (item === undefined || !isRequest(item)) continue
    const { language, letters } = scriptOf(passagesOf(item)[0]?.text ?? "")
    if (letters === 0) continue
    const { letters: full, most } = language === undefined ? votes.latin : votes.script
    counted.set(language, (counted.get(language) ?? 0) + weight * most * Math.min(1, letters / full))
    weight *= fading
  }
  const [best] = [...counted].sort((a, b) => b[1] - a[1])
  return best?.[0]
}
