/**
 * Every format's sessions read under the name of every other format: content of which no message was understood is an error,
 * never an empty history that is told as success. And nobody is certain of a file of another format.
 */
import { describe, expect, it } from "vitest"
import { convert, decode } from "../../src/convert/index.ts"
import { openDocument } from "../../src/document/index.ts"
import { LigatureError } from "../../src/model/index.ts"
import { codecs, resolveCodec, type WireFormat } from "../../src/registry/registry.ts"
import { type SessionFormat, sessionCodecs } from "../../src/registry/sessions.ts"
import { fileOf, samples } from "../sessions/read-only/samples.ts"
import { seeds } from "../sessions/repair/seeds.ts"

const files: readonly (readonly [format: string, value: unknown])[] = [
  ...Object.entries(seeds).flatMap(([format, values]) => values.map((value) => [format, value] as const)),
  ...Object.entries(samples).map(([format, sample]) => [format, openDocument(fileOf(sample)).parts[0]?.value] as const),
]

const saysNothing = (format: string, value: unknown): boolean =>
  decode(resolveCodec(format), value).messages.every(({ blocks }) =>
    blocks.every((block) => block.type === "opaque" && block.kind === "malformed"),
  )

const codeOf = (attempt: () => unknown): string => {
  try {
    attempt()
    return "no error"
  } catch (error) {
    return LigatureError.is(error) ? error.code : String(error)
  }
}

const textOf = (format: string, value: unknown): string =>
  Array.isArray(value) && sessionCodecs[format as keyof typeof sessionCodecs].session.layout === "lines"
    ? value.map((each) => JSON.stringify(each)).join("\n")
    : JSON.stringify(value)

const names = [...Object.keys(codecs), ...Object.keys(sessionCodecs)] as (WireFormat | SessionFormat)[]

describe("a session under the name of another format", () => {
  for (const named of names) {
    it(`is an error as ${named} where no message is understood`, () => {
      const silent = files.filter(([format, value]) => format !== named && saysNothing(named, value))
      const told = silent.filter(
        ([, value]) => codeOf(() => convert(value, { from: resolveCodec(named), to: "openai-chat" })) !== "wrong-format",
      )
      expect(told.map(([format]) => format)).toEqual([])
    })
  }

  it.each(files)("is an error as a file that is called anything else: %s", (format, value) => {
    const text = textOf(format, value)
    const [own] = openDocument(text).parts
    if (own?.certainty !== "certain") return
    const told = names.filter((named) => {
      const { parts, problems } = openDocument(text, { from: named })
      return !problems.some(({ severity }) => severity === "error") && parts.some((part) => part.format !== own.format)
    })
    expect(told).toEqual(own.format === "cline-api" ? ["xml-text"] : [])
  })

  it("is an error where it has the envelope of an agent and none of its messages", () => {
    const head = { type: "system", subtype: "init", session_id: "x", tools: [] }
    const text = [head, { type: "say", text: "hello", session_id: "x" }, { type: "do", tool: "ls", session_id: "x" }]
      .map((each) => JSON.stringify(each))
      .join("\n")
    expect(openDocument(text).problems).toMatchObject([{ kind: "unknown-format", severity: "error" }])
    expect(openDocument(JSON.stringify(head)).problems).toEqual([])
  })

  it.each(files)("is nothing to be certain of without its messages: %s", (format, value) => {
    const codec = resolveCodec(format)
    const saysMore = (record: unknown): boolean => codec.decode([record]).messages.some(({ blocks }) => blocks.length > 0)
    if (!Array.isArray(value)) return
    const silent = value.filter((record) => !saysMore(record))
    for (const { format: found, certainty, value: rest } of openDocument(textOf(format, silent)).parts)
      if (decode(resolveCodec(found), rest).messages.every(({ blocks }) => blocks.length === 0)) expect(certainty).not.toBe("certain")
  })

  it.each(files)("is recognised for what it is: %s", (format, value) => {
    const text = textOf(format, value)
    const found = openDocument(text)
      .parts.filter(({ certainty }) => certainty === "certain")
      .map((part) => part.format)
    // Kilo CLI is opencode under another name: an export of the one may be of the other.
    const own: readonly string[] = format === "kilo-cli" ? [format, "opencode-export"] : [format]
    expect(found.filter((each) => !own.includes(each))).toEqual([])
  })
})
