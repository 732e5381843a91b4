/** Zip archives: logs of Inspect AI are unpacked, others are left alone, and none may fill the memory. */
import { describe, expect, it } from "vitest"
import { decode } from "../../src/convert/index.ts"
import { openDocument } from "../../src/document/index.ts"
import { unpacked } from "../../src/files/open-file.ts"
import { readZip } from "../../src/files/zip/inspect-archive.ts"
import { LigatureError } from "../../src/model/index.ts"
import { archive } from "./zip-archive.ts"

const sample = (id: string): string =>
  JSON.stringify({
    id,
    epoch: 1,
    input: "go",
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: `done ${id}` },
    ],
  })
const start = JSON.stringify({ version: 2, eval: { task: "t" }, plan: {} })
const header = JSON.stringify({ version: 2, status: "success", eval: { task: "t" }, plan: {}, samples: null })

describe("a log of Inspect AI as an archive", () => {
  it("is read as the log it would be in one file", () => {
    const bytes = archive([
      { name: "_journal/start.json", text: start },
      { name: "samples/a_epoch_1.json", text: sample("a") },
      { name: "samples/b_epoch_1.json", text: sample("b"), stored: true },
      { name: "header.json", text: header },
    ])
    const { parts } = openDocument(unpacked(bytes))
    expect(parts.map(({ format, certainty, path }) => [format, certainty, path])).toEqual([
      ["inspect-log", "certain", "/samples/0"],
      ["inspect-log", "certain", "/samples/1"],
    ])
    expect(decode("inspect-log", parts[1]?.value).messages.at(-1)?.blocks).toMatchObject([{ type: "text", text: "done b" }])
  })

  it("is read from its journal where the run died, without the sample that was being written", () => {
    const bytes = archive([
      { name: "_journal/start.json", text: start },
      { name: "samples/a_epoch_1.json", text: sample("a") },
      { name: "samples/b_epoch_1.json", text: sample("b").slice(0, 40) },
    ])
    const { parts } = openDocument(unpacked(bytes))
    expect(parts.map(({ path }) => path)).toEqual(["/samples/0"])
  })
})

describe("another archive", () => {
  it("is named as one", () => {
    const bytes = archive([{ name: "readme.txt", text: "hello" }])
    expect(unpacked(bytes)).toBe(bytes)
    expect(openDocument(bytes).problems.map(({ what }) => what)).toEqual(["The file is a zip archive, not text."])
  })

  it("may not unpack to more than a limit, nor be cut", () => {
    const bytes = archive([
      { name: "a", text: "a".repeat(100_000) },
      { name: "b", text: "b".repeat(100_000) },
    ])
    const read = (most: number) => readZip(bytes, most).map((entry) => entry.bytes().length)
    expect(read(200_000)).toEqual([100_000, 100_000])
    for (const attempt of [
      () => read(150_000),
      () => readZip(bytes.subarray(0, 60), 1000),
      () => readZip(archive([{ name: "a", text: "x" }]).fill(0xff, 30, 34), 1000).map((entry) => entry.bytes()),
    ]) {
      expect(attempt).toThrow(LigatureError)
    }
  })
})
