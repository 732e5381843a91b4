/** A session that moves to another agent and is read there says the same. */
import { convert, fileValueOf, findCodec, hasLines, isSessionCodec } from "../../../src/convert/index.ts"
import { type Document, openDocument } from "../../../src/document/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { type Block, callsOf, type Conversation, type Item } from "../../../src/model/index.ts"
import { readingOf, wholeView } from "./original.ts"
import { addBlock, Said } from "./said.ts"
import { isObject } from "./session-text.ts"
import { resolveCodec } from "../../../src/registry/registry.ts"

export const sessionTargets = ["claude-code", "codex-rollout", "cline-api", "neovate", "gemini-cli", "opencode-export", "pi"] as const

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, canonical(value[key])]),
  )
}

interface Told {
  readonly calls: readonly string[]
  readonly texts: readonly string[]
}

const blocksOf = (item: Item): readonly Block[] =>
  item.role === "exchange" ? [...item.message.blocks, ...(item.reply?.blocks ?? [])] : item.blocks

const toldBy = (conversation: Conversation): Told => {
  const calls = conversation.items.flatMap((item) => {
    if (item.role !== "exchange") return []
    return callsOf(item).map((call, index) => {
      const outcome = item.outcomes[index]
      const said: string[] = []
      if (outcome?.result !== undefined) addBlock(outcome.result, said)
      return `${call.name} ${JSON.stringify(canonical(call.arguments))} → ${said.join("\n").trim()}`
    })
  })
  const texts = conversation.items.flatMap((item) =>
    blocksOf(item).flatMap((block) => (block.type === "text" && block.text.trim() !== "" ? [block.text.trim()] : [])),
  )
  return { calls, texts }
}

/** Moved to another agent and read there, it says the same. */
export const moves = (document: Document, targets: readonly string[]): readonly string[] =>
  document.parts.flatMap((part) =>
    targets.flatMap((to) => {
      const codec = findCodec(to)
      if (to === part.format || codec === undefined || !isSessionCodec(codec)) return []
      const { value, conversation } = convert(part.value, { from: part.format, to: resolveCodec(to), ...readingOf(part) })
      const file = fileValueOf(codec, value)
      const isOfLines = hasLines(codec, value) && Array.isArray(file)
      const text = isOfLines ? file.map((record) => `${JSON.stringify(record)}\n`).join("") : JSON.stringify(file)
      const again = openDocument(text)
      const formats = again.parts.map(({ format }) => format)
      if (formats.length !== 1 || formats[0] !== to) {
        return conversation.items.length === 0 ? [] : [`moved to ${to}, read as ${formats.join() || "nothing"}`]
      }
      const transcripts = again.parts.map(wholeView)
      const before = toldBy(conversation)
      const after = transcripts.map((transcript) => toldBy(settle(transcript).conversation))
      const calls = after.flatMap((told) => told.calls)
      const complaints: string[] = []
      if (calls.join("\n") !== before.calls.join("\n")) {
        const index = before.calls.findIndex((call, place) => call !== calls[place])
        const [left, right] = [before.calls[index], calls[index]].map((call) => String(call).slice(0, 200))
        complaints.push(`moved to ${to}, ${before.calls.length} calls became ${calls.length}: ${left} ≠ ${right}`)
      }
      const said = new Said()
      for (const transcript of transcripts) said.add(transcript)
      const lost = before.texts.filter((line) => !said.has(line))
      if (lost.length > 0) complaints.push(`moved to ${to}, ${lost.length} texts lost: ${lost[0]?.slice(0, 120)}`)
      const errors = transcripts.flatMap((one) => check(one).filter(({ severity }) => severity === "error"))
      const [error] = errors
      if (error) complaints.push(`moved to ${to}, damaged there: ${error.rule} ${error.what.slice(0, 100)}`)
      return complaints
    }),
  )
