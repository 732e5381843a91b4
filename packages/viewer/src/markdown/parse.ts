/**
 * Markdown as plain values, to be drawn as elements of the page. Nothing in a text becomes HTML: a tag is text, a link is its words and
 * its address, an image is a note. Only what models usually write is read; all else stays as it was written. Linear in the text: inline
 * marks are looked for within a line of limited length.
 */

export type Inline =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "strong" | "emphasis" | "struck"; readonly children: readonly Inline[] }
  | { readonly type: "link"; readonly text: string; readonly address: string; readonly image: boolean }

export type MarkdownBlock =
  | { readonly type: "heading"; readonly level: number; readonly children: readonly Inline[] }
  | { readonly type: "paragraph"; readonly children: readonly Inline[] }
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | { readonly type: "quote"; readonly children: readonly MarkdownBlock[] }
  | { readonly type: "list"; readonly ordered: boolean; readonly start: number; readonly items: readonly (readonly MarkdownBlock[])[] }
  | { readonly type: "table"; readonly head: readonly (readonly Inline[])[]; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly type: "rule" }

/** A longer line is data, not prose. */
const longestLine = 4000
const deepest = 6

const marks = /(`+)|(\*\*|__)(?=\S)|(~~)(?=\S)|(\*|_)(?=\S)|(!?)\[([^\][]{0,500})\]\(([^()\s]{0,2000})(?:\s+"[^"]{0,200}")?\)/g

const isWord = (character: string): boolean => /[\p{L}\p{N}]/u.test(character)

const kinds = { "**": "strong", __: "strong", "~~": "struck", "*": "emphasis", _: "emphasis" } as const

/** Where a run that was opened ends; undefined where it does not. */
const endOf = (line: string, mark: string, from: number): number | undefined => {
  for (let at = line.indexOf(mark, from); at >= 0; at = line.indexOf(mark, at + 1)) {
    const before = line.charAt(at - 1)
    const after = line.charAt(at + mark.length)
    if (/\s/.test(before)) continue
    if (mark.length === 1 && (after === mark || before === mark)) continue
    if (mark.startsWith("_") && isWord(after)) continue
    return at
  }
  return undefined
}

export const parseInline = (line: string, depth = 0): readonly Inline[] => {
  if (line.length > longestLine || depth > deepest) return [{ type: "text", text: line }]
  const found: Inline[] = []
  let from = 0
  const pattern = new RegExp(marks)
  // A mark that never closed is not looked for again in the same line.
  const open = new Set<string>()
  for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
    const [whole, ticks, strong, struck, emphasis, bang, text, address] = match
    const at = match.index
    const add = (inline: Inline, end: number): void => {
      if (at > from) found.push({ type: "text", text: line.slice(from, at) })
      found.push(inline)
      from = end
      pattern.lastIndex = end
    }
    if (ticks !== undefined) {
      if (open.has(ticks)) continue
      let end = line.indexOf(ticks, at + ticks.length)
      while (end >= 0 && (line.charAt(end + ticks.length) === "`" || line.charAt(end - 1) === "`")) end = line.indexOf(ticks, end + 1)
      if (end < 0) open.add(ticks)
      else add({ type: "code", text: line.slice(at + ticks.length, end).replace(/^ (.+) $/, "$1") }, end + ticks.length)
      continue
    }
    const mark = strong ?? struck ?? emphasis
    if (mark !== undefined) {
      if (open.has(mark) || (mark.startsWith("_") && isWord(line.charAt(at - 1)))) continue
      const end = endOf(line, mark, at + mark.length + 1)
      if (end === undefined) open.add(mark)
      else
        add(
          { type: kinds[mark as keyof typeof kinds], children: parseInline(line.slice(at + mark.length, end), depth + 1) },
          end + mark.length,
        )
      continue
    }
    add({ type: "link", text: text ?? "", address: address ?? "", image: bang === "!" }, at + whole.length)
  }
  if (from < line.length || found.length === 0) found.push({ type: "text", text: line.slice(from) })
  return found
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*([^`\n]*)$/
const bullet = /^( {0,8})(?:([-*+])|(\d{1,9})[.)])(?: +|$)/
const rule = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/
const heading = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#*)?$/
const divider = /^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$/

const cellsOf = (line: string): readonly (readonly Inline[])[] =>
  line
    .replace(/^\s*\|/, "")
    .replace(/\|\s*$/, "")
    .split(/(?<!\\)\|/)
    .slice(0, 50)
    .map((cell) => parseInline(cell.trim().replaceAll("\\|", "|")))

const isTable = (lines: readonly string[], at: number): boolean =>
  (lines[at]?.includes("|") ?? false) && (lines[at + 1]?.includes("|") ?? false) && divider.test(lines[at + 1] ?? "")

const startsBlock = (line: string): boolean =>
  fence.test(line) || heading.test(line) || rule.test(line) || bullet.test(line) || line.startsWith(">")

export const parseMarkdown = (text: string, depth = 0): readonly MarkdownBlock[] => {
  const lines = text.replace(/\r\n?/g, "\n").split("\n")
  const blocks: MarkdownBlock[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ""
    if (line.trim() === "") {
      at++
      continue
    }
    const opened = fence.exec(line)
    if (opened) {
      const mark = opened[1] ?? ""
      let end = at + 1
      while (end < lines.length && !isClosing(lines[end] ?? "", mark)) end++
      blocks.push({ type: "code", language: /^[\w+#.-]{1,30}/.exec(opened[2] ?? "")?.[0] ?? "", text: lines.slice(at + 1, end).join("\n") })
      at = end + 1
      continue
    }
    const head = line.length <= longestLine ? heading.exec(line) : null
    if (head) {
      blocks.push({ type: "heading", level: (head[1] ?? "").length, children: parseInline(head[2] ?? "") })
      at++
      continue
    }
    if (line.length <= longestLine && rule.test(line)) {
      blocks.push({ type: "rule" })
      at++
      continue
    }
    if (line.startsWith(">") && depth < deepest) {
      let end = at
      while (end < lines.length && (lines[end] ?? "").startsWith(">")) end++
      const inner = lines.slice(at, end).map((each) => each.replace(/^> ?/, ""))
      blocks.push({ type: "quote", children: parseMarkdown(inner.join("\n"), depth + 1) })
      at = end
      continue
    }
    if (isTable(lines, at)) {
      let end = at + 2
      while (end < lines.length && (lines[end] ?? "").includes("|")) end++
      blocks.push({ type: "table", head: cellsOf(line), rows: lines.slice(at + 2, end).map(cellsOf) })
      at = end
      continue
    }
    const first = bullet.exec(line)
    if (first && depth < deepest) {
      const [list, end] = listAt(lines, at, first, depth)
      blocks.push(list)
      at = end
      continue
    }
    let end = at + 1
    while (end < lines.length && (lines[end] ?? "").trim() !== "" && !startsBlock(lines[end] ?? "") && !isTable(lines, end)) end++
    const children = lines.slice(at, end).flatMap((each, index): readonly Inline[] => {
      const inline = parseInline(each)
      return index === 0 ? inline : [{ type: "text", text: "\n" }, ...inline]
    })
    blocks.push({ type: "paragraph", children })
    at = end
  }
  return blocks
}

const isClosing = (line: string, mark: string): boolean => {
  const run = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1]
  return run !== undefined && run.startsWith(mark.charAt(0)) && run.length >= mark.length
}

type List = Extract<MarkdownBlock, { readonly type: "list" }>

const listAt = (lines: readonly string[], from: number, first: RegExpExecArray, depth: number): readonly [List, number] => {
  const ordered = first[3] !== undefined
  const indent = (first[1] ?? "").length
  const items: (readonly MarkdownBlock[])[] = []
  let at = from
  while (at < lines.length) {
    const begins = bullet.exec(lines[at] ?? "")
    if (!begins || (begins[1] ?? "").length !== indent || (begins[3] !== undefined) !== ordered) break
    const margin = begins[0].length
    const own = [(lines[at] ?? "").slice(margin)]
    at++
    while (at < lines.length) {
      const line = lines[at] ?? ""
      const room = line.length - line.trimStart().length
      if (line.trim() === "") {
        const next = lines[at + 1] ?? ""
        if (next.trim() === "" || next.length - next.trimStart().length <= indent) break
        own.push("")
      } else if (room > indent) own.push(line.slice(Math.min(room, margin)))
      else if (!startsBlock(line) && own.at(-1) !== "") own.push(line)
      else break
      at++
    }
    items.push(parseMarkdown(own.join("\n"), depth + 1))
    // A blank line between items does not end the list.
    if ((lines[at] ?? "x").trim() === "") {
      const next = bullet.exec(lines[at + 1] ?? "")
      if (next && (next[1] ?? "").length === indent && (next[3] !== undefined) === ordered) at++
    }
  }
  return [{ type: "list", ordered, start: Number(first[3] ?? 1), items }, at]
}
