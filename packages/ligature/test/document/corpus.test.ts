/**
 * Every file of the corpus whose conversations are requests or message lists: format, and the counts of messages, calls
 * and results that its manifest states. The manifest was made by a generic counter over all lists that it met, so some
 * files differ for a reason; each such reason is a row of `differences`, and a row that explains nothing fails.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openDocument, listKeyOf, type DocumentPart } from "../../src/document/index.ts"
import type { WireFormat } from "../../src/registry/registry.ts"

const corpus = process.env["LIGATURE_CORPUS"]
const folders: Readonly<Record<string, WireFormat>> = {
  "anthropic-messages": "anthropic",
  "openai-messages": "openai-chat",
  "openai-responses": "openai-responses",
  sharegpt: "sharegpt",
}

/** Files of an agent that the corpus keeps among the requests it sent. */
const sessions: Readonly<Record<string, string>> = {
  "anthropic-messages/cline+cline-00.json": "cline-cli",
  "anthropic-messages/cline+cline-01.json": "cline-cli",
}

interface Counts {
  readonly messages: number
  readonly calls: number
  readonly results: number
}

/** What we count where it is not what the manifest states. */
interface Difference {
  readonly ours: Counts
  readonly why: string
}

/** Lines with the roles _checkpoint and _usage among the messages are sessions of Kimi CLI: the manifest's own test counts those. */
const kimiContext = /\+kimi-cli-0[1-4]\.jsonl$/

const differences: Readonly<Record<string, Difference>> = {
  "openai-responses/NVIDIA-NeMo+Gym-00.jsonl": {
    ours: { messages: 5, calls: 5, results: 0 },
    why: "the manifest counts the two calls of expected_action.calls, the grader's key and no part of the conversation",
  },
  "openai-responses/NVIDIA-NeMo+Gym-07.jsonl": {
    ours: { messages: 72, calls: 10, results: 10 },
    why: "the manifest also counts result.messages[].responses, where the simulator repeats responses of the rollout",
  },
}

type Json = Readonly<Record<string, unknown>>
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [])

function messagesOf(part: DocumentPart): readonly Json[] {
  if (part.container === "session") return list((part.value as Json)["messages"])
  return list(part.container === "request" ? (part.value as Json)[listKeyOf(part.format)] : part.value)
}

/** Deliberately naive: it shares no code with the reader. */
function count(messages: readonly Json[]): Counts {
  let calls = 0
  let results = 0
  for (const message of messages) {
    calls += list(message["tool_calls"]).length + list(message["content"]).filter((block) => block["type"] === "tool_use").length
    results += list(message["content"]).filter((block) => block["type"] === "tool_result").length
    if (message["type"] === "function_call" || message["from"] === "function_call") calls += 1
    const { type, from, role } = message
    if (type === "function_call_output" || from === "observation" || role === "tool") results += 1
  }
  return { messages: messages.length, calls, results }
}

/**
 * As the manifest counts: the messages of requests without the replies that the reader joins to them, and each copy of
 * a list. Only for Responses files it counts inputs and outputs alike, as lists of their own, where they hold a call.
 */
function counted(part: DocumentPart): Counts {
  const messages = messagesOf(part)
  const end = messages.length - (part.appended?.count ?? 0)
  const times = 1 + part.copies.length
  if (part.format !== "openai-responses") return sum(Array.from({ length: times }, () => count(messages.slice(0, end))))
  return sum([messages.slice(0, end), messages.slice(end)].map(count).filter(({ calls }) => calls > 0))
}

function sum(counts: readonly Counts[]): Counts {
  return counts.reduce(
    (one, other) => ({
      messages: one.messages + other.messages,
      calls: one.calls + other.calls,
      results: one.results + other.results,
    }),
    { messages: 0, calls: 0, results: 0 },
  )
}

function manifest(root: string): ReadonlyMap<string, Counts> {
  const [head = "", ...rows] = readFileSync(join(root, "MANIFEST.tsv"), "utf8")
    .split("\n")
    .filter((row) => row !== "")
  const column = (name: string) => head.split("\t").indexOf(name)
  return new Map(
    rows.map((row) => {
      const cells = row.split("\t")
      const number = (name: string) => Number(cells[column(name)])
      return [cells[0] ?? "", { messages: number("messages"), calls: number("tool_calls"), results: number("tool_results") }]
    }),
  )
}

if (corpus === undefined || !existsSync(corpus)) {
  console.warn("Skipped: documents of the corpus. Set LIGATURE_CORPUS to its folder to read its files.")
  describe("documents of the corpus", () => {
    it.skip("skipped: set LIGATURE_CORPUS to the folder of the corpus to read its files", () => undefined)
  })
} else {
  const stated = manifest(corpus)
  const files = Object.keys(folders)
    .flatMap((folder) => readdirSync(join(corpus, folder)).map((name) => `${folder}/${name}`))
    .filter((file) => !kimiContext.test(file))

  describe("documents of the corpus", () => {
    it.each(files)("reads %s", (file) => {
      const { parts } = openDocument(readFileSync(join(corpus, file)))
      const format = sessions[file] ?? folders[file.split("/")[0] ?? ""]
      expect(parts.map((part) => part.format).filter((found) => found !== format)).toEqual([])
      const ours = sum(parts.map(counted))
      const difference = differences[file]
      expect(difference?.ours).not.toEqual(stated.get(file))
      expect(ours).toEqual(difference?.ours ?? stated.get(file))
    })

    it.each(files)("writes %s back byte for byte", (file) => {
      const text = readFileSync(join(corpus, file), "utf8")
      const document = openDocument(text)
      expect(document.rebuild(new Map())).toBe(text)
      const same = document.rebuild(new Map(document.parts.map((part) => [part, structuredClone(part.value)])))
      if (!document.problems.some(({ severity }) => severity === "damage")) expect(same === text).toBe(true)
      else expect(openDocument(same).problems.filter(({ severity }) => severity === "damage")).toEqual([])
    })

    it.each(files)("drops the last message of each conversation of %s and nothing else", (file) => {
      const document = openDocument(readFileSync(join(corpus, file)))
      const shorter = document.parts.map((part) => {
        const messages = messagesOf(part).slice(0, -1)
        if (part.container === "session") return { ...(part.value as Json), messages }
        return part.container === "request" ? { ...(part.value as Json), [listKeyOf(part.format)]: messages } : messages
      })
      const text = document.rebuild(new Map(document.parts.map((part, index) => [part, shorter[index]])))
      const before = document.parts.map((part) => messagesOf(part).length - (part.appended === undefined ? 1 : part.appended.count))
      const reopened = openDocument(text)
      expect(reopened.problems.filter(({ severity }) => severity === "damage")).toEqual([])
      if (document.parts.every((part) => part.appended === undefined) && before.every((length) => length > 0)) {
        expect(reopened.parts.map(messagesOf)).toEqual(document.parts.map((part) => messagesOf(part).slice(0, -1)))
      }
    })

    it("explains no difference that is none", () => {
      expect(Object.keys(differences).filter((file) => !files.includes(file))).toEqual([])
    })
  })
}
