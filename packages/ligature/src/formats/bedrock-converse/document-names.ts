/**
 * Names of documents: Converse wants them unique in a request and takes few characters. Names that came from this
 * format stay while nobody in front has them; documents from elsewhere get a lawful name. A name depends only on what
 * stands in front of it, so that appending never renames what was there.
 */

const longest = 200

/** Letters, digits, single spaces, hyphens, parentheses and brackets are lawful. */
const lawfulName = (name: string | undefined): string =>
  (name ?? "")
    .slice(0, longest - 10)
    .replace(/[^A-Za-z0-9()[\] -]/g, "-")
    .replace(/ {2,}/g, " ")
    .trim()

export interface DocumentNames {
  /** A name nobody has yet. */
  readonly give: (wanted: string | undefined) => string
  /** The name itself where it is free, else one made from it. */
  readonly keep: (name: string) => string
}

export const documentNames = (): DocumentNames => {
  const used = new Set<string>()
  const numbers = new Map<string, number>()
  const give = (wanted: string | undefined): string => {
    const lawful = lawfulName(wanted)
    const base = lawful === "" ? "document" : lawful
    let name = base
    for (let number = numbers.get(base) ?? 1; name === "document" || used.has(name); number++) {
      name = `${base}-${number}`
      numbers.set(base, number + 1)
    }
    used.add(name)
    return name
  }
  const keep = (name: string): string => {
    if (used.has(name)) return give(name)
    used.add(name)
    return name
  }
  return { give, keep }
}
