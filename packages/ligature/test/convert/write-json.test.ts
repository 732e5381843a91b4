/** Requests that keep the spelling of the text they were made from. */
import { readdirSync, readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { convert, convertText, decode } from "../../src/convert/index.ts"
import { Spellings } from "../../src/convert/spellings.ts"
import { writeJson } from "../../src/convert/write-json.ts"
import { settle } from "../../src/rules/index.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const { conversation } = settle(decode("anthropic", { messages: [] }))
const written = (value: unknown, text: string): string => writeJson(value, { text, parsed: JSON.parse(text), conversation })

/** Quotes, backslashes, what has to be escaped, what may be, and characters of every width. */
const odd = fc.constantFrom('"', "\\", "\n", "\u0000", "/", "é", "\u2028", "日", "😀", "a", " ", "\\u0041", '\\"')
const texts = fc.oneof(
  fc.string(),
  fc.array(odd, { maxLength: 300 }).map((units) => units.join("")),
  fc
    .tuple(fc.array(odd, { maxLength: 9 }), fc.integer({ min: 1, max: 40 }))
    .map(([units, times]) => `${units.join("")}long text `.repeat(times)),
)
const names = fc.oneof(fc.constantFrom("text", "content", "12", "__proto__", "a\nb", ""), texts)
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    texts,
    fc.constantFrom(null, true, 0, -0, 1.5, 1e300),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(names, tie("value"), { maxKeys: 5 }),
  ),
})).value

/** Every character of every string as an escape, and blanks between all: the same value, spelt as differently as can be. */
const spelt = (value: unknown): string => {
  if (typeof value === "string") return `"${[...value].map((unit) => escaped(unit)).join("")}"`
  if (Array.isArray(value)) return `[ ${value.map(spelt).join(" , ")} ]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  return `{\n${Object.entries(value)
    .map(([name, inner]) => `${spelt(name)} : ${spelt(inner)}`)
    .join(" ,\t")} }`
}

const escaped = (text: string): string =>
  Array.from({ length: text.length }, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`).join("")

/** The parts of a value in another order, some of them twice, among what the text does not hold. */
const moved = (value: unknown): unknown => {
  const parts = typeof value === "object" && value !== null ? Object.values(value) : [value]
  return { last: parts.toReversed(), new: `${"of another text ".repeat(9)}\n`, absent: undefined, all: [value, undefined, value] }
}

const long = 'A line of a file, with "quotes" and a \\ in it.\n'.repeat(4)

describe("JSON written with a text at hand", () => {
  it("is what JSON.stringify writes, where the text was written so", () => {
    fc.assert(
      fc.property(values, (value) => {
        const text = JSON.stringify(value)
        const parsed: unknown = JSON.parse(text)
        for (const made of [parsed, moved(parsed)]) expect(written(made, text)).toBe(JSON.stringify(made))
      }),
      { numRuns: 500 },
    )
  })

  it("means the same value however the text was spelt", () => {
    fc.assert(
      fc.property(values, (value) => {
        const text = spelt(value)
        const made = moved(JSON.parse(text))
        expect(JSON.stringify(JSON.parse(written(made, text)))).toBe(JSON.stringify(made))
      }),
      { numRuns: 500 },
    )
  })

  it("keeps the spelling of long strings, and of no others", () => {
    const [spelling, name] = [`"${"\\u00e9\\/".repeat(100)}"`, '"n\\u0061me"']
    expect(written({ b: ["é/".repeat(100)], c: "name" }, `{"a":${name},"b":${spelling}}`)).toBe(`{"b":[${spelling}],"c":"name"}`)
  })

  it("finds the strings after many that were left behind", () => {
    const all = Array.from({ length: 1600 }, (_, index) => `${index} ${long}`)
    const text = JSON.stringify(all)
    for (const left of [7, 9, 50, 200, 1000]) {
      const spellings = Spellings.find(text, all)
      const kept = all.filter((_, index) => index < 300 || index >= 300 + left)
      const found = kept.filter((value) => spellings?.of(value) !== undefined)
      // Those that are asked for until the search goes far enough are rewritten; all others are found.
      expect(kept.length - found.length, `${left} left behind`).toBeLessThanOrEqual(Math.ceil(Math.log2(left / 4)))
    }
  })

  it("is rewritten where fields are twice, are numbers, or are too deep", () => {
    expect(Spellings.find(`{"a":"${"x".repeat(200)}","a":"${"y".repeat(200)}"}`, { a: "y".repeat(200) })).toBeUndefined()
    const numbered = `{"b":"${"x".repeat(200)}","1":"${"y".repeat(200)}"}`
    expect(written(JSON.parse(numbered), numbered)).toBe(JSON.stringify(JSON.parse(numbered)))
    const deep = `${"[".repeat(40)}"${"x".repeat(200)}"${"]".repeat(40)}`
    expect(written(JSON.parse(deep), deep)).toBe(deep)
  })
})

describe("convertText into another format", () => {
  const call = (raw: string): object => ({ id: "call_1", type: "function", function: { name: "write", arguments: raw } })
  const chat = (raw: string): string =>
    JSON.stringify({
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: null, tool_calls: [call(raw)] },
        { role: "tool", tool_call_id: "call_1", content: long },
      ],
    })

  it("keeps digits that no number can hold, in arguments that came as text", () => {
    for (const [to, field] of [
      ["anthropic", "input"],
      ["gemini", "args"],
    ] as const) {
      const raw = `{"id": 12345678901234567890, "price": 0.10, "content": ${JSON.stringify(long)}}`
      const { value: text } = convertText(chat(raw), { from: "openai-chat", to })
      expect(text).toContain(`"${field}":${raw}`)
      expect(JSON.parse(text)).toEqual(convert(JSON.parse(chat(raw)), { from: "openai-chat", to }).value)
    }
  })

  it("rewrites arguments that readers could take in two ways", () => {
    const input = (raw: string): unknown => {
      const { value: text } = convertText(chat(raw), { from: "openai-chat", to: "anthropic" })
      return /"input":(\{[^}]*\})/.exec(text)?.[1]
    }
    expect(input('{"a": 1, "a": 2}')).toBe('{"a":2}')
    expect(input('{"a": 1e999}')).toBe('{"a":null}')
    expect(input('{"a": 1e99}')).toBe('{"a": 1e99}')
  })

  it("writes arguments that had to be repaired as they were repaired", () => {
    const raw = String.raw`{"content":"half a \ud800 character"}`
    const { value: text } = convertText(chat(raw), { from: "openai-chat", to: "anthropic" })
    expect(text).toContain('"input":{"content":"half a \ufffd character"}')
  })

  it("says what convert says, for every damaged fixture and format", () => {
    const folder = new URL("../../fixtures/damaged/", import.meta.url)
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
      const { format: from, input } = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as { format: string; input: unknown }
      for (const to of ["anthropic", "openai-chat", "openai-responses", "gemini"]) {
        const padded = JSON.stringify(input).replaceAll('"text":"', `"text":"${"x".repeat(120)}\\n`)
        for (const text of [JSON.stringify(input, undefined, 2), padded]) {
          const { value } = convert(JSON.parse(text), { from: resolveCodec(from), to: resolveCodec(to) })
          expect(JSON.parse(convertText(text, { from: resolveCodec(from), to: resolveCodec(to) }).value), `${file} to ${to}`).toEqual(
            JSON.parse(JSON.stringify(value)),
          )
        }
      }
    }
  })
})
