import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { EventStreamReader, type ServerSentEvent, streamText } from "../../src/record/index.ts"
import { JsonArrayReader } from "../../src/record/read/stream-text.ts"
import { JsonLinesReader } from "../../src/record/read/stream-text.ts"

const read = (...chunks: readonly string[]): readonly ServerSentEvent[] => {
  const reader = new EventStreamReader()
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()]
}

const chunked = (text: string, sizes: readonly number[]): readonly string[] => {
  const chunks: string[] = []
  for (let start = 0, next = 0; start < text.length; next++) {
    const size = sizes[next % sizes.length] ?? 1
    chunks.push(text.slice(start, start + size))
    start += size
  }
  return chunks
}

describe("an event stream", () => {
  it("gives named and unnamed events", () => {
    expect(read("event: ping\ndata: {}\n\ndata: x\n\n")).toEqual([{ event: "ping", data: "{}" }, { data: "x" }])
  })

  it("joins several data lines with a line feed", () => {
    expect(read('data: {\ndata:  "a": 1\ndata: }\n\n')).toEqual([{ data: '{\n "a": 1\n}' }])
  })

  it("ends lines with LF, CR or CRLF, also when the pair is split between chunks", () => {
    expect(read("data: a\r\n\r\ndata: b\r\rdata: c\n\n")).toEqual([{ data: "a" }, { data: "b" }, { data: "c" }])
    expect(read("data: a\r", "\n\r", "\ndata: b\r", "\n", "\r\n")).toEqual([{ data: "a" }, { data: "b" }])
  })

  it("skips comments and fields it does not know, and takes one space after the colon", () => {
    expect(read(": keep-alive\nretry: 5\ndata:  x\ndata:y\nother\n\n: OPENROUTER PROCESSING\n\n")).toEqual([{ data: " x\ny" }])
  })

  it("keeps the last id, and takes a field without colon as empty", () => {
    expect(read("id: 7\ndata\n\ndata: b\n\n")).toEqual([
      { data: "", id: "7" },
      { data: "b", id: "7" },
    ])
  })

  it("gives the last event although its blank line never came", () => {
    expect(read("data: a\n\ndata: b")).toEqual([{ data: "a" }, { data: "b" }])
    expect(read("data: a\n")).toEqual([{ data: "a" }])
  })

  it("drops a byte order mark, and an event without data", () => {
    expect(read("\uFEFFdata: a\n\nevent: x\n\n")).toEqual([{ data: "a" }])
  })

  it("gives the same events however it is cut", () => {
    const body = ': hi\r\nevent: a\r\ndata: {"x":\r\ndata: 1}\r\n\r\ndata: [DONE]\n\nid: 3\rdata: 🎉\r\r'
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 }), (sizes) => {
        expect(read(...chunked(body, sizes))).toEqual(read(body))
      }),
    )
  })
})

describe("lines of JSON", () => {
  it("come out whole, however they are cut, the last one without its end included", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 }), (sizes) => {
        const reader = new JsonLinesReader()
        const lines = chunked('{"a":1}\r\n\n{"b":[2]}\n{"done":true}', sizes).flatMap((chunk) => reader.push(chunk))
        expect([...lines, ...reader.end()]).toEqual(['{"a":1}', '{"b":[2]}', '{"done":true}'])
      }),
    )
  })
})

describe("a JSON array", () => {
  it("comes out element by element, however it is cut", () => {
    const body = '[{"a":"],[{ \\"x"}\n,\r\n{"b":[1,[2]]},\n 7 ,{"c":'
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 }), (sizes) => {
        const reader = new JsonArrayReader()
        const elements = chunked(body, sizes).flatMap((chunk) => reader.push(chunk))
        expect([...elements, ...reader.end()]).toEqual(['{"a":"],[{ \\"x"}', '{"b":[1,[2]]}', "7", '{"c":'])
      }),
    )
  })

  it("that never was one is handed on", () => {
    const text = streamText("json-array")
    expect([...text.push("<html>"), ...text.end()]).toEqual(["<html>"])
    expect(streamText("json-array").push("[]")).toEqual([])
    expect(streamText("json-array").push('{"error":{"code":1},"more":[2]}')).toEqual([{ error: { code: 1 }, more: [2] }])
  })
})

describe("stream text", () => {
  it("parses what is JSON and hands on what is not", () => {
    const text = streamText("event-stream")
    expect(text.push('data: {"n":')).toEqual([])
    expect(text.push("1}\n\ndata: [DONE]\n\n<html>\n")).toEqual([{ n: 1 }, "[DONE]"])
    expect(text.end()).toEqual([])
  })

  it("names the type of an event by its head where the data does not", () => {
    const text = streamText("event-stream")
    expect(text.push('event: message_stop\ndata: {}\n\nevent: a\ndata: {"type":"b"}\n\n')).toEqual([
      { type: "message_stop" },
      { type: "b" },
    ])
  })

  it("reads lines of JSON", () => {
    const text = streamText("json-lines")
    expect([...text.push('{"a":1}\n{"b"'), ...text.push(":2}"), ...text.end()]).toEqual([{ a: 1 }, { b: 2 }])
  })
})
