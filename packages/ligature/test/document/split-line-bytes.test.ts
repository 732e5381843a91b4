/** Lines read from bytes one by one must be what the reader of whole texts finds, or be left to it. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { hasSignOfDepth } from "../../src/json/depth.ts"
import { splitLineBytes } from "../../src/json/split-line-bytes.ts"
import { splitValues } from "../../src/json/split-values.ts"
import { openDocument } from "../../src/document/index.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const read: readonly (readonly [name: string, text: string])[] = [
  ["plain lines", '{"a":1}\n{"b":2}\n'],
  ["lines without a break at the end", '{"a":1}\n{"b":2}'],
  ["blank lines, and white space after values", '{"a":1} \t\n\n  \n{"b":2}\r\n\r\n[3]\r\n'],
  ["characters of one to four bytes", '{"a":"é"}\n{"b":"日本"}\n{"c":"😀"}\n["x"]\n'],
  ["values that are no objects", '{"a":1}\nnull\n"x"\n5\n{}\n[]\n'],
  ["lists", "[1]\n[2]\n"],
]

const left: readonly (readonly [name: string, content: string | Uint8Array])[] = [
  ["one value", '{"a":1}'],
  ["one value with a line break after it", '{"a":1}\n \n'],
  ["JSON over several lines", '{\n  "a": [\n    {}\n  ]\n}\n'],
  ["a list that has an element on each line", '[{"a":1},\n{"b":2}]\n'],
  ["a first line that says nothing", '{}\n{"a":1}\n'],
  ["lines that start with white space", '{"a":1}\n  {"b":2}\n'],
  ["a torn line", '{"a":1}\n{"b":\n{"c":3}\n'],
  ["glued values", '{"a":1}\n{"b":2}{"c":3}\n'],
  ["NUL after a value", '{"a":1}\n{"b":2}\0\0\n'],
  ["a line of NUL", '{"a":1}\n\0\0\0\n{"b":2}\n'],
  ["a byte order mark", '\ufeff{"a":1}\n{"b":2}\n'],
  ["a deep margin", `{"a":1}\n${" ".repeat(300)}\n{"b":2}\n`],
  ["bytes that are no UTF-8", Uint8Array.from([...bytesOf('{"a":1}\n{"b":"'), 0xff, ...bytesOf('"}\n')])],
  ["nothing", ""],
]

describe("reading lines from bytes", () => {
  it.each(read)("finds in %s what the reader of whole texts finds", (_, text) => {
    const { mayBeDeep, ...split } = splitLineBytes(bytesOf(text)) ?? {}
    expect(split).toEqual(splitValues(text))
    expect(mayBeDeep).toBe(false)
  })

  it.each(left)("leaves %s to the reader of whole texts", (_, content) => {
    expect(splitLineBytes(typeof content === "string" ? bytesOf(content) : content)).toBeUndefined()
  })

  it("says so when a line may be too deep", () => {
    const deep = `${"[".repeat(1200)}${"]".repeat(1200)}`
    const text = `{"role":"user","content":"x"}\n{"role":"user","content":${deep}}\n`
    expect(splitLineBytes(bytesOf(text))?.mayBeDeep).toBe(true)
    expect(openDocument(bytesOf(text)).problems).toEqual(openDocument(text).problems)
    expect(openDocument(text).problems.map(({ kind }) => kind)).toEqual(["too-deep"])
  })
})

describe("signs of depth", () => {
  const runs = [..."]}", "}]", "]\n", "}\n"].map((closing) => closing.repeat(200 / closing.length))
  const margins = [" ", "\t"].map((space) => `\n${space.repeat(200)}`)

  it("are found wherever they are", () => {
    for (const sign of [...runs, ...margins]) {
      for (let before = 0; before <= 201; before++) {
        expect(hasSignOfDepth("x".repeat(before) + sign + "y")).toBe(true)
        expect(hasSignOfDepth("x".repeat(before) + sign.slice(0, -1) + "y")).toBe(false)
      }
    }
  })

  it("are not spaces in words", () => {
    expect(hasSignOfDepth(" a".repeat(1000))).toBe(false)
    expect(hasSignOfDepth(" ".repeat(1000))).toBe(false)
  })
})

const corpus = process.env["LIGATURE_CORPUS"]

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesIn(path) : [path]
  })

describe.skipIf(corpus === undefined)("lines of real files (skipped without LIGATURE_CORPUS)", () => {
  it("are what the reader of whole texts finds", () => {
    let compared = 0
    for (const path of filesIn(corpus ?? "")) {
      const bytes = readFileSync(path)
      const found = splitLineBytes(bytes)
      if (found === undefined || bytes.length > 2_000_000) continue
      const { mayBeDeep: _, ...split } = found
      expect(JSON.stringify(split) === JSON.stringify(splitValues(bytes.toString("utf8"))), path).toBe(true)
      compared++
    }
    expect(compared).toBeGreaterThan(100)
  })
})
