/** A history as a small picture: one line per block, calls as →, results as ←, and two of them as a diff. */
import { type Block, type Message, resultText } from "../../packages/ligature/src/model/index.ts"

const roleWidth = 11

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const oneLine = (text: string): string =>
  text.replaceAll("\n", "⏎").replace(loneSurrogate, (half) => `\\u${half.charCodeAt(0).toString(16)}`)

const quoted = (text: string): string => (text.trim() === "" ? JSON.stringify(text) : oneLine(text))

const blockLine = (block: Block): string => {
  switch (block.type) {
    case "text":
      return quoted(block.text)
    case "thinking":
      return `(thinking) ${quoted(block.text)}${block.signature === undefined ? "" : " ✓ signed"}`
    case "media":
      return `[${block.kind}]`
    case "call": {
      const given = block.fault === undefined ? JSON.stringify(block.arguments) : (block.raw ?? "")
      const pending = block.pending && `pending: ${block.pending}`
      const marks = [pending, block.fault, block.style].filter(Boolean).map((mark) => `  [${mark}]`)
      const name = oneLine(block.name) || "(no name)"
      const id = oneLine(block.id) || "(no id)"
      return `→ ${name}(${given === "{}" ? "" : oneLine(given)})  #${id}${marks.join("")}`
    }
    case "result": {
      const failed = block.error === true && block.synthetic === undefined ? "[failed] " : ""
      const denied = block.denied === true ? "[denied] " : ""
      return `← #${oneLine(block.callId) || "(no id)"}  ${failed}${denied}${quoted(resultText(block))}`
    }
    case "opaque":
      return `[${block.kind}${block.half === undefined ? "" : `, ${block.half}`}] ${oneLine(block.text)}`.trimEnd()
  }
}

export const timeline = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({ role, blocks }) =>
    blocks.length === 0
      ? [`${role.padEnd(roleWidth)}(no content)`]
      : blocks.map((block, index) => `${(index === 0 ? role : "").padEnd(roleWidth)}${blockLine(block)}`),
  )

/** Longest common subsequence of two short lists of lines, as a diff: ` ` kept, `-` gone, `+` new. */
export const diff = (before: readonly string[], after: readonly string[]): string => {
  const longest = Array.from({ length: before.length + 1 }, () => Array.from({ length: after.length + 1 }, () => 0))
  const at = (row: number, column: number): number => longest[row]?.[column] ?? 0
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      const line = longest[row] as number[]
      const isSame = before[row] === after[column]
      line[column] = isSame ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const lines: string[] = []
  let row = 0
  let column = 0
  while (row < before.length || column < after.length) {
    if (row < before.length && before[row] === after[column]) {
      lines.push(`  ${before[row]}`)
      row++
      column++
    } else if (column >= after.length || (row < before.length && at(row + 1, column) >= at(row, column + 1))) {
      lines.push(`- ${before[row++]}`)
    } else lines.push(`+ ${after[column++]}`)
  }
  return lines.join("\n")
}
