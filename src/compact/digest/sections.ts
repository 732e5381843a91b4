/**
 * A digest that is read again: a view is compacted further, and one of its items is the record of an earlier
 * compaction. Its lines belong to what its headings say, not to the record, and must keep their handles.
 */
const preface = /^\[Record of (?:earlier history )?#(\d+)(?: to #(\d+))?[,\]]/
/** Behind a tool its argument may stand, behind a user only their name. */
const heading = /^#(\d+)(?:\.\d+)? (?:user(?: .*)?$|\S+)/

export interface Section {
  /** As it was printed; undefined in front of the first. */
  readonly heading?: string
  /** What stood on the line of the heading, behind it. */
  readonly first?: string
  readonly lines: readonly string[]
}

/** A text that begins with no preface is one section. A line may look like a heading: headings are in order and within the range. */
export const sectionsOf = (text: string): readonly Section[] => {
  const [opening = "", ...lines] = text.split("\n")
  const range = preface.exec(opening)
  if (!range) return [{ lines: [opening, ...lines] }]
  let least = Number(range[1])
  const most = Number(range[2] ?? range[1])
  const sections: { heading?: string; first?: string; lines: string[] }[] = []
  for (const line of lines) {
    const found = heading.exec(line)
    const number = Number(found?.[1])
    if (found && number >= least && number <= most) {
      least = number
      const first = line.slice(found[0].length).trimStart()
      sections.push({ heading: found[0], ...(first !== "" && { first }), lines: [] })
    } else if (sections.length > 0) sections.at(-1)?.lines.push(line)
    else sections.push({ lines: [line] })
  }
  return sections
}
