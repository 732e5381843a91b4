/**
 * Demands on session codecs whose files hold calls together with their results, on real files and on generated
 * histories.
 */
import { fileValueOf, type SessionCodec, type SessionSample } from "../../../src/formats/engine/session.ts"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { encode } from "../../../src/convert/index.ts"
import { sessionCodecs } from "../../../src/registry/sessions.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { type Block, callsOf, type Conversation, type ResultBlock, type Transcript, type Wire } from "../../../src/model/index.ts"
import { Choices, damageHistory, generateHistory, judges } from "../../../src/testing/index.ts"
import { transcript } from "../../../src/model/index.ts"

const corpus = process.env["LIGATURE_CORPUS"]
const hasCorpus = corpus !== undefined && existsSync(corpus)

/** Of a written session, what its file holds. */
export const valueOf = (codec: SessionCodec, written: Wire): unknown => fileValueOf(codec, written)

const words = (blocks: readonly Block[]): readonly string[] =>
  blocks.flatMap((block) => {
    if (block.type === "text" || block.type === "opaque") return block.text === "" ? [] : [`text ${block.text}`]
    return block.type === "call" ? [`call ${block.id} ${block.name} ${JSON.stringify(block.arguments)}`] : []
  })

/** Text, calls and outcomes; text of a message as one, since a format may gather it before the calls. */
const gathered = (blocks: readonly Block[]): readonly string[] => {
  const said = words(blocks)
  return [...said.filter((word) => word.startsWith("text")), ...said.filter((word) => !word.startsWith("text"))]
}

/** Sorted: unknown parts of a result go after its text. */
const answerOf = ({ content }: ResultBlock): string =>
  content
    .flatMap((block) => (block.type === "media" || block.text.trim() === "" ? [] : block.text.split("\n")))
    .sort()
    .join("\n")

/** Leading system texts are one; a later one is said by the user, where a session has no other home for it. */
export const sayings = (conversation: Conversation): readonly (readonly string[])[] => {
  const opening: string[] = []
  const said: (readonly string[])[] = []
  for (const item of conversation.items) {
    if (item.role === "system" && said.length === 0) {
      opening.push(...item.blocks.flatMap((block) => (block.type === "media" ? [] : [block.text])))
    } else if (item.role !== "exchange") said.push(["user", ...words(item.blocks)])
    else {
      const calls = callsOf(item)
      const outcomes = item.outcomes.map(({ kind, result }, index) => `${calls[index]?.id} ${kind} ${result ? answerOf(result) : ""}`)
      said.push(["assistant", ...gathered(item.message.blocks), ...outcomes, ...words(item.reply?.blocks ?? [])])
    }
  }
  // Thinking alone may be joined with what follows it.
  return [opening.length === 0 ? [] : [opening.join("\n\n")], ...said.filter(({ length }) => length > 1)]
}

interface Counts {
  readonly messages: number
  readonly calls: number
  readonly results: number
}

const readFile = (file: string): { readonly sample: SessionSample; readonly value: unknown } => {
  const text = readFileSync(join(corpus ?? "", file), "utf8")
  try {
    const value: unknown = JSON.parse(text)
    return { sample: { syntax: "value", records: [value] }, value }
  } catch {
    const value = text.split("\n").flatMap((line): unknown[] => (line.trim() === "" ? [] : [JSON.parse(line)]))
    return { sample: { syntax: "lines", records: value.slice(0, 64) }, value }
  }
}

const stated = (): ReadonlyMap<string, Counts> => {
  const rows = readFileSync(join(corpus ?? "", "MANIFEST.tsv"), "utf8")
    .split("\n")
    .slice(1)
  return new Map(
    rows.map((row) => {
      const cells = row.split("\t")
      return [cells[0] ?? "", { messages: Number(cells[7]), calls: Number(cells[8]), results: Number(cells[9]) }]
    }),
  )
}

const count = ({ messages }: Transcript, type: string): number =>
  messages.reduce((sum, { blocks }) => sum + blocks.filter((block) => block.type === type).length, 0)

export interface CorpusSuite {
  readonly codecs: readonly SessionCodec[]
  readonly folder: string
  /** What the manifest counts as messages. */
  readonly messagesIn: (value: unknown, transcript: Transcript) => number
}

/** The same demands for every file of a folder. */
export const describeCorpus = ({ codecs, folder, messagesIn }: CorpusSuite): void => {
  if (!hasCorpus) console.warn(`Skipped: ${folder} of the corpus, because LIGATURE_CORPUS is not set.`)
  describe.skipIf(!hasCorpus)(`${folder} files of the corpus`, () => {
    const files = hasCorpus ? readdirSync(join(corpus ?? "", folder)).map((name) => `${folder}/${name}`) : []
    const expected = hasCorpus ? stated() : new Map<string, Counts>()
    const codecOf = (sample: SessionSample): SessionCodec => {
      const found = codecs.filter((codec) => codec.session.recognise(sample) !== undefined)
      expect(found.length).toBe(1)
      return found[0] as SessionCodec
    }

    it.each(files)("recognises %s, and no other session codec does", (file) => {
      const { sample } = readFile(file)
      const codec = codecOf(sample)
      expect(codec.session.recognise(sample)?.certainty).toBe("certain")
      const rivals = Object.values(sessionCodecs).filter(({ format, session }) => format !== codec.format && session.recognise(sample))
      expect(rivals.map(({ format }) => format)).toEqual([])
    })

    it.each(files)("counts in %s what the manifest states", (file) => {
      const { sample, value } = readFile(file)
      const read = codecOf(sample).decode(value, { view: "whole" })
      const ours = { messages: messagesIn(value, read), calls: count(read, "call"), results: count(read, "result") }
      expect(ours).toEqual(expected.get(file))
    })

    it.each(files)("makes of %s requests that are valid for the four main providers", (file) => {
      const { sample, value } = readFile(file)
      const { conversation } = settle(codecOf(sample).decode(value))
      for (const to of ["anthropic", "openai-chat", "openai-responses", "gemini"] as const) {
        const { model: _, ...body } = encode(conversation, to, { extras: "strip" }).value
        expect(judges[to](JSON.parse(JSON.stringify(body))), to).toEqual({ ok: true })
      }
    })

    it.each(files)("gives %s back as the very same value where it is healthy", (file) => {
      const { sample, value } = readFile(file)
      const codec = codecOf(sample)
      const read = codec.decode(value)
      expect(check(read, { tip: "open" })).toEqual([])
      expect(valueOf(codec, codec.encode(settle(read, { tip: "open" }).conversation))).toBe(value)
    })
  })

  describe.skipIf(!hasCorpus)(`files of other folders than ${folder}`, () => {
    it("are not recognised", () => {
      const others = readdirSync(corpus ?? "").filter((name) => !name.includes(".") && name !== folder && name !== "crush")
      const taken = others.flatMap((other) =>
        readdirSync(join(corpus ?? "", other)).filter((name) => {
          try {
            const { sample } = readFile(`${other}/${name}`)
            return codecs.some((codec) => codec.session.recognise(sample))
          } catch {
            return false
          }
        }),
      )
      expect(taken).toEqual([])
    })
  })
}

const drawn = fc.array(fc.nat(), { minLength: 40, maxLength: 200, size: "max" })

/** Histories of other agents, damaged and settled, are the same after they were written and read. */
export const describeWriting = (codec: SessionCodec): void => {
  describe(`any conversation, as ${codec.format}`, () => {
    it("is the same after it was written and read", () => {
      const property = fc.property(drawn, (numbers) => {
        const choices = new Choices(numbers)
        const { messages } = damageHistory(generateHistory(choices).messages, choices)
        const { conversation } = settle(transcript(...messages))
        const value = valueOf(codec, codec.encode(conversation))
        const copy: unknown = JSON.parse(JSON.stringify(value))
        const read = settle(codec.decode(copy))
        expect(read.report.entries).toEqual([])
        expect(sayings(read.conversation)).toEqual(sayings(conversation))
        expect(valueOf(codec, codec.encode(read.conversation))).toBe(copy)
      })
      fc.assert(property, { numRuns: 200, seed: 7 })
    })

    it("is written the same way every time", () => {
      const choices = new Choices(Array.from({ length: 100 }, (_, index) => index * 7))
      const { conversation } = settle(transcript(...generateHistory(choices).messages))
      const session = { id: "ses_1", folder: "/home/a", startedAt: "2026-05-01T10:00:00.000Z", title: "T" }
      expect(codec.encode(conversation, { session })).toEqual(codec.encode(conversation, { session }))
    })
  })
}

/** Calls without an id are named by their place, which a repair may move. */
const withoutIds = (said: readonly string[]): readonly string[] =>
  said.map((word) => word.replace(/^(call )?\S+__?\S* /, "$1").replace(/^(call )?[a-d] /, "$1"))

/** No value makes a codec throw, and what it repairs is found repaired. */
export const describeHostility = (codec: SessionCodec, hostile: fc.Arbitrary<unknown>): void => {
  describe(`any value, as ${codec.format}`, () => {
    it("is read, settled, written and outlined without complaint", () => {
      const property = fc.property(hostile, fc.constantFrom("effective", "whole", undefined), (value, view) => {
        const read = codec.decode(value, { ...(view && { view }) })
        codec.encode(settle(read).conversation)
        codec.session.outline(value)
        codec.session.place?.(value)
        for (const record of Array.isArray(value) ? value : []) codec.session.pulse?.(record)
        codec.session.recognise({ syntax: "lines", records: Array.isArray(value) ? value : [value] })
        codec.session.recognise({ syntax: "value", records: [value] })
      })
      fc.assert(property, { numRuns: 1500, seed: 11 })
    })

    it("once repaired, is healthy", () => {
      const property = fc.property(hostile, (value) => {
        const { conversation } = settle(codec.decode(value))
        const written = JSON.parse(JSON.stringify(valueOf(codec, codec.encode(conversation)))) as unknown
        const again = settle(codec.decode(written))
        expect(again.report.entries).toEqual([])
        expect(sayings(again.conversation).map(withoutIds)).toEqual(sayings(conversation).map(withoutIds))
      })
      fc.assert(property, { numRuns: 1500, seed: 13 })
    })
  })
}
