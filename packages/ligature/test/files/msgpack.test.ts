import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readLanggraphMsgpack, readMsgpack } from "../../src/files/msgpack/read-msgpack.ts"
import { LigatureError } from "../../src/model/index.ts"
import { ext, writeMsgpack } from "./write-msgpack.ts"

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"))

describe("the MessagePack reader", () => {
  it.each<readonly [string, unknown]>([
    ["c0", null],
    ["c2", false],
    ["c3", true],
    ["00", 0],
    ["7f", 127],
    ["ff", -1],
    ["e0", -32],
    ["cc ff", 255],
    ["cd 0100", 256],
    ["ce ffffffff", 4294967295],
    ["cf 00000001 00000000", 4294967296],
    ["cf ffffffff ffffffff", 18446744073709551615n],
    ["d0 80", -128],
    ["d1 8000", -32768],
    ["d2 80000000", -2147483648],
    ["d3 ffffffff 00000000", -4294967296],
    ["d3 80000000 00000000", -9223372036854775808n],
    ["ca 3fc00000", 1.5],
    ["cb 3ff8000000000000", 1.5],
    ["a0", ""],
    ["a2 c3a4", "ä"],
    ["d9 01 61", "a"],
    ["da 0001 61", "a"],
    ["db 00000001 61", "a"],
    ["c4 01 ff", Uint8Array.of(255)],
    ["c5 0001 ff", Uint8Array.of(255)],
    ["c6 00000001 ff", Uint8Array.of(255)],
    ["92 01 02", [1, 2]],
    ["dc 0001 01", [1]],
    ["dd 00000001 01", [1]],
    ["81 a1 61 01", { a: 1 }],
    ["de 0001 a161 01", { a: 1 }],
    ["df 00000001 a161 01", { a: 1 }],
    ["81 01 02", { 1: 2 }],
    ["81 9101 02", { "[1]": 2 }],
    ["d4 05 00", { extension: 5, bytes: Uint8Array.of(0) }],
    ["d5 05 0000", { extension: 5, bytes: new Uint8Array(2) }],
    ["d6 05 00000000", { extension: 5, bytes: new Uint8Array(4) }],
    ["d7 05 0000000000000000", { extension: 5, bytes: new Uint8Array(8) }],
    ["d8 05 00000000000000000000000000000000", { extension: 5, bytes: new Uint8Array(16) }],
    ["c7 01 fb 07", { extension: -5, bytes: Uint8Array.of(7) }],
    ["c8 0001 05 07", { extension: 5, bytes: Uint8Array.of(7) }],
    ["c9 00000001 05 07", { extension: 5, bytes: Uint8Array.of(7) }],
    ["d6 ff 00000001", "1970-01-01T00:00:01.000Z"],
    ["d7 ff 77359400 00000001", "1970-01-01T00:00:01.500Z"],
    ["c7 0c ff 1dcd6500 ffffffff ffffffff", "1969-12-31T23:59:59.500Z"],
  ])("reads %s", (hex, value) => {
    expect(readMsgpack(bytes(hex))).toEqual(value)
  })

  it("keeps a key called __proto__ as a key", () => {
    const map = readMsgpack(writeMsgpack(JSON.parse('{"__proto__":{"x":1}}'))) as object
    expect(Object.keys(map)).toEqual(["__proto__"])
    expect(Object.getPrototypeOf(map)).toBe(Object.prototype)
  })

  it.each([
    ["c1", "the byte 0xc1, which begins no value"],
    ["", "an end after 0 bytes, where 1 more belong"],
    ["a5 61", "an end after 2 bytes, where 5 more belong"],
    ["dd ffffffff 00", "a list of 4294967295 elements in 1 bytes"],
    ["df ffffffff 00", "a map of 4294967295 entries in 1 bytes"],
    ["c6 ffffffff 00", "an end after 6 bytes, where 4294967295 more belong"],
    ["01 02", "1 more bytes after the value"],
    ["91".repeat(600) + "00", "a value nested deeper than the limit"],
  ])("says what is wrong with %s", (hex, what) => {
    expect(() => readMsgpack(bytes(hex))).toThrow(new LigatureError("cannot-read", `Expected MessagePack, got ${what}`))
  })

  it("reads back what was written", () => {
    const json = fc.json().map((text) => JSON.parse(text) as unknown)
    const property = fc.property(json, (value) => {
      expect(readMsgpack(writeMsgpack(value))).toEqual(value)
    })
    fc.assert(property, { numRuns: 300, seed: 1 })
  })

  it("throws nothing but its own error, whatever the bytes", () => {
    const property = fc.property(fc.uint8Array({ maxLength: 200 }), (random) => {
      for (const read of [readMsgpack, readLanggraphMsgpack]) {
        try {
          read(random)
        } catch (cause) {
          expect(LigatureError.is(cause)).toBe(true)
        }
      }
    })
    fc.assert(property, { numRuns: 3000, seed: 2 })
  })

  it("is bounded also where extensions are nested", () => {
    let value: unknown = 1
    for (let depth = 0; depth < 600; depth++) value = ext(5, value)
    expect(() => readLanggraphMsgpack(writeMsgpack(value))).toThrow("nested deeper than the limit")
  })
})

describe("MessagePack of LangGraph", () => {
  it("makes plain values of Python objects, and runs nothing", () => {
    const message = ["langchain_core.messages.ai", "AIMessage", { content: "hi", type: "ai" }, "model_validate_json"]
    const old = ["langchain_core.messages.human", "HumanMessage", { content: "yo" }]
    const value = {
      five: ext(5, message),
      four: ext(4, old),
      zero: ext(0, ["uuid", "UUID", "00ff"]),
      one: ext(1, ["datetime", "date", [2026, 1, 2]]),
      two: ext(2, ["app", "State", { a: ext(0, ["builtins", "set", [1, 2]]) }]),
      three: ext(3, ["datetime", "datetime", "2026-01-02T03:04:05", "fromisoformat"]),
      six: ext(6, ["<f4", [1], "C", Uint8Array.of(0, 0, 0, 0)]),
      seven: ext(7, [ext(5, message)]),
    }
    expect(readLanggraphMsgpack(writeMsgpack(value))).toEqual({
      five: { content: "hi", type: "ai" },
      four: { type: "human", content: "yo" },
      zero: "00ff",
      one: [2026, 1, 2],
      two: { a: [1, 2] },
      three: "2026-01-02T03:04:05",
      six: ["<f4", [1], "C", Uint8Array.of(0, 0, 0, 0)],
      seven: [{ content: "hi", type: "ai" }],
    })
  })

  it("keeps extensions of other codes", () => {
    expect(readLanggraphMsgpack(writeMsgpack(ext(9, 1)))).toEqual({ extension: 9, bytes: Uint8Array.of(1) })
  })
})
