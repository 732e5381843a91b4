/** Words in a history: the texts of each row, joined and in lower case, made when first searched. */
import { resultText } from "../library.ts"
import type { Block, Item } from "../library-types.ts"
import type { Row } from "./rows.ts"

const textOf = (block: Block): string => {
  switch (block.type) {
    case "text":
    case "thinking":
    case "opaque":
      return block.text
    case "call":
      return `${block.name} ${block.raw ?? JSON.stringify(block.arguments)} ${block.id}`
    case "result":
      return resultText(block)
    case "media":
      return block.name ?? ""
  }
}

/** Everything that can be read in an item. */
export const textOfItem = (item: Item): string => {
  if (item.role !== "exchange") return item.blocks.map(textOf).join("\n")
  const results = item.outcomes.flatMap(({ result }) => (result ? [textOf(result)] : []))
  return [...item.message.blocks.map(textOf), ...results, ...(item.reply?.blocks.map(textOf) ?? [])].join("\n")
}

/** What a query asks for: words, or texts in quotation marks, in lower case. */
export const wordsOf = (query: string): readonly string[] =>
  [...query.toLowerCase().matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "")

export class SearchIndex {
  readonly #texts: readonly string[]

  constructor(rows: readonly Row[]) {
    this.#texts = rows.map((row) => textOfItem(row.item).toLowerCase())
  }

  /** Rows that have all of these words, each anywhere in it. */
  find(query: string): readonly number[] {
    const words = wordsOf(query)
    if (words.length === 0) return []
    const rows: number[] = []
    this.#texts.forEach((text, index) => {
      if (words.every((word) => text.includes(word))) rows.push(index)
    })
    return rows
  }
}
