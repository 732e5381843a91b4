import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { learnTools } from "../../../src/formats/xml-text/scan/learn-tools.ts"
import { scanResultBlocks } from "../../../src/formats/xml-text/scan/scan-results.ts"
import { scanCalls } from "../../../src/formats/xml-text/scan/scan-calls.ts"

interface Wire {
  readonly role: string
  readonly content: string | readonly { readonly type: string; readonly text?: string }[]
}

const folder = process.env["LIGATURE_CORPUS"] === undefined ? undefined : join(process.env["LIGATURE_CORPUS"], "cline-api")

const textsOf = (message: Wire): readonly string[] =>
  typeof message.content === "string" ? [message.content] : message.content.flatMap((block) => block.text ?? [])

const countFile = (messages: readonly Wire[]) => {
  const learned = learnTools(messages.flatMap((message) => textsOf(message).map((text) => ({ role: message.role, text }))))
  const count = { calls: 0, results: 0, matched: 0, unanswered: [] as string[], orphans: [] as string[], pieces: 0, unsure: 0 }
  messages.forEach((message, position) => {
    if (message.role === "user" && messages[position - 1]?.role !== "assistant") {
      for (const found of scanResultBlocks(textsOf(message)).results) count.orphans.push(`${position} ${found.result.name}`)
    }
    if (message.role !== "assistant") return
    const next = messages[position + 1]
    const results = next?.role === "user" ? scanResultBlocks(textsOf(next)).results : []
    const answered = results.flatMap((found) => found.result.name ?? [])
    const names = textsOf(message).flatMap((text) => {
      const segments = scanCalls(text, { learned, answered })
      expect(segments.map((segment) => text.slice(segment.start, segment.end)).join("")).toBe(text)
      return segments.flatMap((segment) => (segment.kind === "call" ? segment : []))
    })
    count.calls += names.length
    count.unsure += names.filter((call) => call.certainty < 0.9).length
    count.results += results.length
    count.pieces += results.filter((found) => found.repeatsPrevious).length
    const waiting = results.flatMap((found) => (found.repeatsPrevious ? [] : [found.result.name]))
    for (const call of names) {
      const at = waiting.indexOf(call.name)
      if (at >= 0) waiting.splice(at, 1)
      if (at >= 0) count.matched++
      else count.unanswered.push(`${position} ${call.name}${next === undefined ? " (last message)" : ""}`)
    }
    for (const name of waiting) count.orphans.push(`${position + 1} ${name}`)
  })
  return count
}

describe("the real files of Cline-like agents", () => {
  const files = folder !== undefined && existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : []
  if (folder === undefined || files.length === 0) {
    it.skip("needs LIGATURE_CORPUS to point at the corpus folder: skipped", () => {})
    return
  }
  it.each(files)("finds calls and their results in %s", (name) => {
    const count = countFile(JSON.parse(readFileSync(join(folder, name), "utf8")) as readonly Wire[])
    const { calls, results, matched, unsure } = count
    console.log(`${name}: calls ${calls}, results ${results} (${count.pieces} second pieces), matched ${matched}, below 0.9: ${unsure}`)
    if (count.unanswered.length > 0) console.log(`  unanswered: ${count.unanswered.join(", ")}`)
    if (count.orphans.length > 0) console.log(`  results without call: ${count.orphans.join(", ")}`)
    // Agents do not write a result for the call that ends a task; every other call must have its own.
    expect(count.unanswered.filter((each) => !each.includes("attempt_completion"))).toEqual([])
  })
})
