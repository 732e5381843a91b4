import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { calibrate, estimateMeter, meterOf } from "../../src/compact/index.ts"
import { createMeter } from "../../src/compact/meter/meter.ts"
import { assistant, call, type Item, type Message, result, text, thinking, tool, transcript, user } from "../../src/model/index.ts"
import { settle } from "../../src/rules/index.ts"
import * as pieces from "../../src/compact/meter/estimate-tokens.ts"
import { meterTexts } from "./meter-texts.ts"

const itemsOf = (...messages: readonly Message[]): readonly Item[] => settle(transcript(...messages)).conversation.items

/** Charged per character, whatever the word. */
const hasOtherScript = (name: string): boolean => name === "Chinese" || name === "Russian"

describe("estimateMeter", () => {
  it.each(meterTexts)("is a little high for $name, never low", ({ name, text: words, tokens }) => {
    const estimated = estimateMeter.count(words)
    expect(estimated / tokens).toBeGreaterThan(1)
    expect(estimated / tokens).toBeLessThan(hasOtherScript(name) ? 1.55 : 1.09)
  })

  it("is four to ten percent high over all of them, Chinese apart", () => {
    const mixed = meterTexts.filter(({ name }) => name !== "Chinese")
    const truth = mixed.reduce((sum, { tokens }) => sum + tokens, 0)
    const estimated = mixed.reduce((sum, { text: words }) => sum + estimateMeter.count(words), 0)
    expect(estimated / truth).toBeGreaterThan(1.04)
    expect(estimated / truth).toBeLessThan(1.1)
  })

  it("counts an accented word as one, and not its bytes", () => {
    expect(estimateMeter.count("La función también está aquí, según él. ".repeat(50)) / 50).toBeLessThan(14)
  })

  it("counts progress bars by what they are made of", () => {
    // o200k: 18, 65 and 33 tokens.
    for (const [bar, tokens] of [
      ["█", 18],
      ["░", 65],
      ["■", 33],
    ] as const) {
      const counted = estimateMeter.count(bar.repeat(64))
      expect(counted).toBeGreaterThanOrEqual(tokens)
      expect(counted).toBeLessThan(tokens * 1.2)
    }
  })

  it("counts a line of a terminal table by the dozen", () => {
    expect(estimateMeter.count("─".repeat(1200))).toBeLessThan(150)
  })

  it("counts the bytes a text has in a JSON request", () => {
    for (const words of ["plain", 'quo"te\\', "line\nbreak\tand\u0000\u001b", "ümlaut", "数据", "🎉 party", ""]) {
      expect(estimateMeter.sizeOfText(words).bytes).toBe(Buffer.byteLength(JSON.stringify(words)) - 2)
    }
  })

  it("counts the bytes of any text, whatever it is made of and however long", () => {
    const bytesOf = (words: string): number => Buffer.byteLength(JSON.stringify(words)) - 2
    const words = fc.string({
      unit: fc.constantFrom("a", "Z", "é", "ĝ", "×", "'", " ", "\n", "1", '"', "\u0001", "中", "。", "─", "🎉", "ü"),
    })
    fc.assert(
      fc.property(words, fc.nat(3), (some, from) => {
        for (const made of [some, `${some}x`.slice(from), some + some]) {
          if (made.isWellFormed()) expect(estimateMeter.sizeOfText(made).bytes).toBe(bytesOf(made))
        }
      }),
    )
    for (const length of [65_534, 65_535, 65_536, 65_537, 200_000]) {
      for (const end of ["", "é", "中", "🎉", "é中🎉".repeat(30_000)]) {
        const long = "some words ".repeat(20_000).slice(0, length) + end
        expect(estimateMeter.sizeOfText(long).bytes).toBe(bytesOf(long))
      }
    }
  })

  it("charges words and punctuation what their pieces are said to cost", () => {
    const costOf = (piece: string): number => {
      let [sum, triple, hash] = [pieces.base, 0, pieces.mixed(0)]
      for (const character of piece) {
        triple = pieces.nextTriple(triple, character.charCodeAt(0))
        hash = pieces.nextHash(hash, pieces.mixed(triple))
        sum += pieces.tripleCosts[pieces.placeOf(pieces.mixed(triple))] as number
      }
      const known = pieces.tokensOfKnown(pieces.knownPieces[pieces.placeOf(hash)] as number, hash)
      return known < 3 && sum <= pieces.mostKnown ? known * 100 : sum
    }
    const words = fc.constantFrom("sqlite", "bedrock", "typeof", "truncate", "ollama", "layer", "}),")
    const of = (letters: string): fc.Arbitrary<string> => fc.string({ unit: fc.constantFrom(...letters), minLength: 12, maxLength: 200 })
    fc.assert(
      fc.property(fc.oneof(words, of("etaoinshrdlucm"), of("ETAOINQXZ"), of("(){}[];:=<>!&|")), (piece) => {
        const cost = costOf(piece)
        // What adds up to less than two tokens and is in no table is charged by a curve.
        if (cost >= 200 || cost === 100) expect(estimateMeter.count(piece)).toBe(Math.round((cost * 1.03) / 100))
      }),
    )
  })

  // The time limit of the test is the assertion: whatever grows faster than its input does not end here.
  it("needs linear time on any input", () => {
    const shapes = ["a", "A", " ", "\n", "-", "=-", "1", "数", "🎉", "aB", "é", "\u0000", " \n", "a1", "a'", "\u001b[", "─", "。\n", "\n/"]
    for (const shape of shapes) {
      const long = shape.repeat(2_000_000 / shape.length)
      expect(estimateMeter.sizeOfText(long).tokens, JSON.stringify(shape)).toBeGreaterThan(0)
    }
  })

  it("counts arguments, thinking, signatures, media and opaque blocks, not only text", () => {
    const bare = estimateMeter.sizeOfBlock(call("a", "write")).tokens
    const content = "the quick brown fox ".repeat(500)
    expect(estimateMeter.sizeOfBlock(call("a", "write", { content })).tokens).toBeGreaterThan(bare + 1900)
    expect(estimateMeter.sizeOfBlock({ ...call("a", "write"), raw: `{"content":"${content}"}` }).tokens).toBeGreaterThan(bare + 1900)
    expect(estimateMeter.sizeOfBlock(thinking("", "c2lnbmF0dXJl".repeat(100))).tokens).toBeGreaterThan(500)
    const image = { type: "media", kind: "image", source: { type: "base64", data: "A".repeat(40_000) } } as const
    expect(estimateMeter.sizeOfBlock(image)).toEqual({ tokens: 1600, bytes: 40_100 })
    expect(estimateMeter.sizeOfBlock({ ...image, kind: "document" })).toEqual({ tokens: 1600, bytes: 40_100 })
    expect(estimateMeter.sizeOfBlock(result("a", "x", { content: [image] })).tokens).toBe(1608)
    const opaque = { type: "opaque", kind: "x", text: "", native: { format: { encrypted: "QUJD".repeat(100) } } } as const
    expect(estimateMeter.sizeOfBlock(opaque).tokens).toBeGreaterThan(100)
    expect(estimateMeter.sizeOfTools([{ name: "read", input_schema: { type: "object" } }]).tokens).toBeGreaterThan(8)
    expect(estimateMeter.sizeOfTools(undefined)).toEqual({ tokens: 0, bytes: 0 })
  })

  it("counts arguments that are no JSON as they are sent: inside of an object", () => {
    const raw = '{"path": "a\\b\n"x"'.repeat(50)
    const [, exchange] = itemsOf(user("hi"), assistant({ ...call("a", "write"), raw, fault: "unparsable" }), tool(result("a", "x")))
    if (exchange?.role !== "exchange") throw new Error("no exchange")
    const [sent] = exchange.message.blocks
    if (sent?.type !== "call") throw new Error("no call")
    const text = JSON.stringify(sent.arguments)
    expect(text.length).toBeGreaterThan(raw.length + 100)
    expect(estimateMeter.sizeOfBlock(sent).tokens).toBeGreaterThanOrEqual(estimateMeter.count(text))
  })

  it("refuses a counter that gives no number, and a chunk that is none", () => {
    expect(() => meterOf({ count: () => 1, chunk: Number.NaN })).toThrow("Expected a chunk of 2 or more characters, got NaN")
    for (const count of [() => Number.NaN, () => [1, 2, 3] as never, () => -1]) {
      expect(() => meterOf({ count }).count("words")).toThrow("Expected a number of tokens from count")
    }
  })

  it("measures an item as its messages", () => {
    const [, exchange] = itemsOf(user("hi"), assistant("look", call("a", "ls")), tool(result("a", "x")), assistant("done"))
    if (exchange?.role !== "exchange" || !exchange.reply || !exchange.outcomes[0]?.result) throw new Error("no exchange")
    const parts = [
      estimateMeter.sizeOfMessage(exchange.message),
      estimateMeter.sizeOfMessage({ role: "tool", blocks: [exchange.outcomes[0].result] }),
      estimateMeter.sizeOfMessage(exchange.reply),
    ]
    expect(estimateMeter.sizeOfItem(exchange)).toEqual({
      tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    })
  })

  it("measures each object once", () => {
    let measured = 0
    const meter = createMeter((words) => {
      measured++
      return { tokens: words.length, bytes: words.length }
    })
    const items = itemsOf(user("hi"), assistant(call("a", "ls")), tool(result("a", "x")))
    const all = (): number => items.reduce((sum, item) => sum + meter.sizeOfItem(item).tokens, 0)
    const first = all()
    const once = measured
    expect(all()).toBe(first)
    expect(measured).toBe(once)
  })
})

describe("meterOf", () => {
  it("feeds the tokenizer chunks that are never too long and together the text", () => {
    const words = `${"lorem ipsum ".repeat(900)}${"x".repeat(9000)}${"🎉".repeat(3000)}\n\n end`
    const fed: string[] = []
    const meter = meterOf({ count: (chunk) => fed.push(chunk) && chunk.length, chunk: 1000 })
    expect(meter.count(words)).toBe(words.length)
    expect(fed.join("")).toBe(words)
    expect(Math.max(...fed.map((chunk) => chunk.length))).toBeLessThanOrEqual(1000)
    expect(fed.filter((chunk) => !chunk.isWellFormed())).toEqual([])
    expect(fed.slice(1, 10).every((chunk) => chunk.startsWith(" "))).toBe(true)
  })

  it("counts exactly what the tokenizer says", () => {
    expect(meterOf({ count: (chunk) => chunk.split(" ").length }).sizeOfBlock(text("one two three")).tokens).toBe(3)
  })
})

describe("calibrate", () => {
  it("scales to what the provider reported, weighed by size", () => {
    const meter = calibrate(estimateMeter, [
      { estimated: 1000, reported: 1200 },
      { estimated: 3000, reported: 3600 },
    ])
    const words = "the quick brown fox ".repeat(100)
    expect(meter.count(words)).toBe(Math.ceil(estimateMeter.count(words) * 1.2))
    expect(meter.sizeOfText(words).bytes).toBe(estimateMeter.sizeOfText(words).bytes)
  })

  // Each request carries the whole history, and the provider's vocabulary counts all of it by some factor.
  it.each([0.8, 0.95, 1, 1.1, 1.3])(
    "ends within two percent of a provider that counts %s of o200k, and before that within eight or no worse than without",
    (factor) => {
      const samples: { estimated: number; reported: number }[] = []
      let estimated = 0
      let truth = 0
      for (const { text: words, tokens } of [...meterTexts, ...meterTexts, ...meterTexts.toReversed()]) {
        estimated += estimateMeter.count(words)
        truth += tokens * factor
        const meter = calibrate(estimateMeter, samples)
        const scaled = meter.count("word ".repeat(10_000)) / estimateMeter.count("word ".repeat(10_000))
        const before = Math.abs(estimated / truth - 1)
        const after = Math.abs((estimated * scaled) / truth - 1)
        expect(after).toBeLessThan(Math.max(before, samples.length < 8 ? 0.08 : 0.02) + 0.001)
        samples.push({ estimated, reported: truth })
      }
    },
  )

  it("is bounded, and ignores what says nothing", () => {
    const words = "word ".repeat(1000)
    expect(calibrate(estimateMeter, [{ estimated: 10, reported: 100_000 }]).count(words)).toBe(Math.ceil(estimateMeter.count(words) * 1.8))
    expect(calibrate(estimateMeter, [{ estimated: 100_000, reported: 1 }])).toBe(estimateMeter)
    expect(calibrate(estimateMeter, [])).toBe(estimateMeter)
    expect(
      calibrate(estimateMeter, [
        { estimated: 0, reported: 5 },
        { estimated: Number.NaN, reported: 5 },
      ]),
    ).toBe(estimateMeter)
  })
})
