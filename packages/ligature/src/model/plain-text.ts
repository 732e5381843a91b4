/** Small texts for people, the same in the terminal, in documents and on the page: a line of a longer text, counts, sizes. */
import { translated } from "./phrase.ts"
import { visible } from "./visible.ts"

/** On one line, white space collapsed, control characters visible. Looks at no more than `limit` characters. */
export const oneLine = (text: string, limit = 2000): string => {
  const isPairCut = text.length > limit && /[\ud800-\udbff]/.test(text.charAt(limit - 1))
  return visible(text.slice(0, isPairCut ? limit - 1 : limit).replace(/\s+/g, " ")).trim()
}

/** `1 call`, `3 calls`. In the catalogue of another language this is `{1} calls`. */
export const count = (number: number, one: string, many = `${one}s`): string => {
  const digits = number.toLocaleString("en-US")
  const id = `{1} ${many}`
  const other = translated(id)
  return other === id ? `${digits} ${number === 1 ? one : many}` : other.replace("{1}", digits)
}

/** `312 B`, `4.2 kB`, `1.3 MB`. */
export const size = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`
  const units = ["kB", "MB", "GB"]
  let value = bytes / 1000
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}
