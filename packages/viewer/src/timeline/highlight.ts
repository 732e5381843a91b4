/** Words that are looked for are painted where they are, without a change to what is drawn. Browsers that cannot do so do nothing. */

/** More would take long to paint. */
const most = 2_000

const name = "found"

const rangesIn = (element: Element, words: readonly string[]): readonly Range[] => {
  const ranges: Range[] = []
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const text = (node.nodeValue ?? "").toLowerCase()
    // Some letters are longer in lower case: positions would be those of others.
    if (text.length !== node.nodeValue?.length) continue
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        const range = new Range()
        range.setStart(node, at)
        range.setEnd(node, at + word.length)
        if (ranges.push(range) === most) return ranges
      }
    }
  }
  return ranges
}

export const highlight = (element: Element | null, words: readonly string[]): void => {
  if (typeof Highlight === "undefined") return
  const ranges = element && words.length > 0 ? rangesIn(element, words) : []
  if (ranges.length === 0) CSS.highlights.delete(name)
  else CSS.highlights.set(name, new Highlight(...ranges))
}
