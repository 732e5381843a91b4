/** Real histories: message lists of several agents, some healthy, many not. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openaiChat } from "../../../src/formats/openai-chat/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { judgeOpenaiChat } from "../../../src/testing/providers/chat/variants.ts"

const corpus = process.env["LIGATURE_CORPUS"] ?? ""
const folders = ["openai-messages", "tau-bench"].map((name) => join(corpus, name))
const available = corpus !== "" && folders.every((folder) => existsSync(folder))

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isMessage = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "role" in value && ("content" in value || "tool_calls" in value)

/** Every list of messages, however deep it is. */
const listsIn = (value: unknown): readonly (readonly unknown[])[] => {
  if (Array.isArray(value)) return value.some(isMessage) ? [value] : value.flatMap(listsIn)
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listsIn) : []
}

const read = (path: string): readonly (readonly unknown[])[] => {
  const text = readFileSync(path, "utf8")
  const whole = parse(text)
  return listsIn(whole ?? text.split("\n").flatMap((line) => parse(line) ?? []))
}

describe.skipIf(!available)("the corpus (skipped without LIGATURE_CORPUS)", () => {
  const files = folders.flatMap((folder) => (available ? readdirSync(folder).map((name) => ({ name, path: join(folder, name) })) : []))

  it.each(files)("$name comes back healthy, and deep-equal where it was", ({ path }) => {
    for (const list of read(path)) {
      const transcript = openaiChat.decode(list)
      const { conversation } = settle(transcript)
      const out = openaiChat.encode(conversation)
      if (check(transcript).length === 0) expect(JSON.stringify(out["messages"])).toBe(JSON.stringify(list))
      expect(check(openaiChat.decode(out))).toEqual([])
      const body = openaiChat.encode(conversation, { extras: "strip", reasoning: "omit" })
      if (conversation.items.length > 0) expect(judgeOpenaiChat(body)).toMatchObject({ ok: true })
    }
  })
})
