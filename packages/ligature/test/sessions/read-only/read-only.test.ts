/** Formats that are only read: recognised from their content, read as their samples say, and left as they are. */
import { describe, expect, it } from "vitest"
import { decode, repair } from "../../../src/convert/index.ts"
import { openDocument } from "../../../src/document/index.ts"
import { type Block, type Message, resultText, type Wire } from "../../../src/model/index.ts"
import { findSession, resolveCodec } from "../../../src/registry/registry.ts"
import { check } from "../../../src/rules/index.ts"
import { copilotLog, deepseekExport, fileOf, kiroLines, type Sample, samples } from "./samples.ts"

const brief = (block: Block): string => {
  if (block.type === "call") return `${block.name}(${String(block.arguments["command"] ?? "")})`
  if (block.type === "result")
    return (
      block.synthetic ??
      `${block.error ? "failed " : ""}${resultText(block).replaceAll("\n</system>", "</system>").replace("</system>\n", "</system> ")}`
    )
  return block.type === "media" ? "media" : block.text
}

const briefly = (messages: readonly Message[]): readonly string[] =>
  messages.map(({ role, blocks }) => `${role}: ${blocks.map(brief).join(", ")}`)

const readsAs = (format: string, sample: Sample): void => {
  const { parts } = openDocument(fileOf(sample))
  expect(parts.map((part) => [part.format, part.certainty])).toEqual([[format, "certain"]])
  const value = parts[0]?.value
  expect(briefly(decode(resolveCodec(format), value, { view: "whole" }).messages)).toEqual(sample.says)
  expect(briefly(decode(resolveCodec(format), value, { view: "effective" }).messages)).toEqual(sample.sends ?? sample.says)
  expect(check(decode(resolveCodec(format), value)).filter(({ severity }) => severity === "error")).toEqual([])
  const outline = findSession(format)?.session.outline(value)
  if (sample.id !== undefined) expect(outline?.id).toBe(sample.id)
  if (sample.title !== undefined) expect(outline?.title).toBe(sample.title)
}

describe("a session that is only read", () => {
  for (const [format, sample] of Object.entries(samples)) it(`is read as ${format}`, () => readsAs(format, sample))

  it("is a log of changes to a chat of VS Code, too", () => readsAs("copilot-chat", copilotLog))

  it("has the images that tools gave back, however their bytes were written", () => {
    const resultOf = (data: unknown): unknown => ({
      ...(samples["copilot-chat"]?.value as Wire),
      requests: [
        {
          message: { text: "look" },
          result: {
            metadata: {
              toolCallRounds: [{ response: "", toolCalls: [{ id: "c1", name: "screenshot", arguments: "{}" }] }],
              toolCallResults: { c1: { content: [{ $mid: 24, mimeType: "image/png", data }] } },
            },
          },
        },
      ],
    })
    for (const data of [{ $base64: "AQID" }, { type: "Buffer", data: [1, 2, 3] }, { "0": 1, "1": 2, "2": 3 }]) {
      const [, , answer] = decode("copilot-chat", resultOf(data)).messages
      expect(answer?.blocks).toMatchObject([
        { type: "result", content: [{ type: "media", mediaType: "image/png", source: { data: "AQID" } }] },
      ])
    }
  })

  it("is an export of DeepSeek, too", () => readsAs("chatgpt-export", deepseekExport))

  it("is a conversation of Kiro in records on lines, too", () => readsAs("kiro", kiroLines))

  it("is Markdown of aider, a session for each heading under which something was typed", () => {
    const empty = "\n# aider chat started at 2026-01-01 10:00:00\n\n> Aider v0.86.1  \n"
    const text = `${empty}\n# aider chat started at 2026-01-02 10:00:00\n\n> Aider v0.86.1  \n> Main model: m with diff edit format  \n\n#### add a line  \n#### and another  \n\nSure.\n\n#### Heading of the answer\n\n> a quotation\n\n> Applied edit to a.ts  \n`
    const { parts, problems } = openDocument(text)
    expect([parts.map(({ format, certainty }) => [format, certainty]), problems]).toEqual([[["aider", "certain"]], []])
    expect(briefly(decode("aider", parts[0]?.value).messages)).toEqual([
      "user: add a line\nand another",
      "assistant: Sure.\n\n#### Heading of the answer\n\n> a quotation",
    ])
    expect(findSession("aider")?.session.outline(parts[0]?.value)).toMatchObject({
      id: "2026-01-02T10:00:00",
      agentVersion: "0.86.1",
      model: "m",
    })
    expect(openDocument("# Another document\n\n# aider chat started at 2026-01-02 10:00:00\n").parts).toEqual([])
  })

  it("goes back as it came where a tool never answered, too", () => {
    const value = [
      { id: "1", variant: "user", content: "run the tests" },
      { id: "2", variant: "ai", content: "", blocks: [{ type: "tool", toolName: "run", input: { command: "npm test" } }] },
      { id: "3", variant: "user", content: "and?" },
    ]
    const repaired = repair(value, { from: "codebuff" })
    expect(repaired.report.entries.map(({ rule }) => rule)).toContain("unanswered-call")
    expect(repaired.value).toEqual({ records: value })
  })

  it("goes back as it came", () => {
    for (const [format, sample] of Object.entries(samples)) {
      const [part] = openDocument(fileOf(sample)).parts
      const { report } = repair(part?.value, { from: resolveCodec(format) })
      expect(
        report.entries.filter(({ kind }) => kind !== "safe"),
        format,
      ).toEqual([])
    }
  })
})
