/** Kind, size, pixels and pages are read from the bytes, whatever is declared; and hostile bytes do no harm. */
import { describe, expect, it } from "vitest"
import { Base64Bytes, canonicalBase64 } from "../../../src/rules/media/base64.ts"
import { type MediaFacts, plainMediaType, readMedia } from "../../../src/rules/media/read-media.ts"
import type { MediaBlock, MediaKind } from "../../../src/model/index.ts"
import { numbersFromSeed } from "../../../src/testing/damage.ts"
import { gif, jpeg, pdf, png, textFile, webp } from "./files.ts"

const media = (data: string, kind: MediaKind = "image", mediaType?: string): MediaBlock => ({
  type: "media",
  kind,
  ...(mediaType !== undefined && { mediaType }),
  source: { type: "base64", data },
})

/** What was read, without the data itself. */
const factsOf = (...given: Parameters<typeof media>): Partial<MediaFacts> => {
  const { data: _, bytes: __, encodedBytes: ___, ...facts } = readMedia(media(...given)) ?? ({} as MediaFacts)
  return facts
}

describe("images", () => {
  it("are known with their pixels, in every format", () => {
    expect(factsOf(png(640, 8001))).toEqual({ mediaType: "image/png", width: 640, height: 8001 })
    expect(factsOf(gif(300, 65_535))).toEqual({ mediaType: "image/gif", width: 300, height: 65_535 })
    expect(factsOf(jpeg(4000, 123))).toEqual({ mediaType: "image/jpeg", width: 4000, height: 123 })
    expect(factsOf(webp.lossy(16_383, 7))).toEqual({ mediaType: "image/webp", width: 16_383, height: 7 })
    expect(factsOf(webp.lossless(16_384, 9000))).toEqual({ mediaType: "image/webp", width: 16_384, height: 9000 })
    expect(factsOf(webp.extended(70_000, 3))).toEqual({ mediaType: "image/webp", width: 70_000, height: 3 })
  })

  it("are found after long metadata of a JPEG", () => {
    expect(factsOf(jpeg(20, 30, undefined, 1500))).toEqual({ mediaType: "image/jpeg", width: 20, height: 30 })
  })

  it("have unknown pixels where a JPEG has more segments than any real one", () => {
    expect(factsOf(jpeg(20, 30, undefined, 2500))).toEqual({ mediaType: "image/jpeg" })
  })

  it("are what their bytes are, not what is declared", () => {
    expect(factsOf(jpeg(), "image", "image/png").mediaType).toBe("image/jpeg")
    expect(factsOf(pdf(), "image", "image/png").mediaType).toBe("application/pdf")
    expect(factsOf(textFile("<!DOCTYPE html><p>404"), "image", "image/png")).toEqual({ mediaType: "text/html" })
    expect(factsOf(textFile('<?xml version="1.0"?><svg/>'))).toEqual({ mediaType: "image/svg+xml" })
    expect(factsOf(textFile("version https://git-lfs.github.com/spec/v1\n"))).toEqual({ mediaType: "text/plain" })
    expect(factsOf(textFile("\0\0\0\x18ftypheic"))).toEqual({ mediaType: "image/heic" })
    expect(factsOf(textFile("BM\x01\x02\x03\x04\0\0\0\0"))).toEqual({ mediaType: "image/bmp" })
    expect(factsOf(textFile("II*\0"))).toEqual({ mediaType: "image/tiff" })
  })

  it("are unreadable where the data ends within the header, or begins like none", () => {
    const cut = Buffer.from(png(), "base64").subarray(0, 20).toString("base64")
    expect(factsOf(cut)).toEqual({ mediaType: "image/png", fault: "unreadable" })
    const cutPhoto = Buffer.from(jpeg(), "base64").subarray(0, 50).toString("base64")
    expect(factsOf(cutPhoto)).toEqual({ mediaType: "image/jpeg", fault: "unreadable" })
    expect(factsOf(textFile("hello"), "image", "image/png")).toEqual({ fault: "unreadable" })
    expect(factsOf(textFile("hello"), "image", "image/x-unheard-of")).toEqual({})
  })
})

describe("documents", () => {
  it("have their pages counted", () => {
    expect(factsOf(pdf({ pages: 101 }), "document", "application/pdf")).toEqual({ mediaType: "application/pdf", pages: 101 })
    expect(factsOf(pdf({ pages: 7, before: "\n\njunk\n" }), "document")).toEqual({ mediaType: "application/pdf", pages: 7 })
    expect(factsOf(pdf({ pages: 300, size: 3_000_000 }), "document")).toMatchObject({ pages: 300 })
    expect(factsOf(pdf({ pages: 42, linearized: true, compressed: true }), "document")).toMatchObject({ pages: 42 })
  })

  it("have no page count where the tables are compressed", () => {
    expect(factsOf(pdf({ compressed: true }), "document")).toEqual({ mediaType: "application/pdf" })
  })

  it("are known to be encrypted", () => {
    expect(factsOf(pdf({ encrypted: true }), "document")).toEqual({ mediaType: "application/pdf", pages: 1, encrypted: true })
  })

  it("of other types are not looked into", () => {
    expect(factsOf(textFile("a,b\n1,2"), "document", "text/csv")).toEqual({})
    expect(factsOf(textFile("a,b\n1,2"), "document", "application/pdf")).toEqual({ fault: "unreadable" })
  })
})

describe("base64", () => {
  it("stays the very text where it is plain", () => {
    const data = png(10, 10, 5000)
    expect(canonicalBase64(data)).toBe(data)
    expect(readMedia(media(data))).toMatchObject({ data, bytes: 5000, encodedBytes: data.length })
  })

  it("is brought into the form that providers take", () => {
    const data = jpeg(10, 10, 4001)
    const wrapped = (data.match(/.{1,76}/g) ?? []).join("\r\n")
    expect(canonicalBase64(wrapped)).toBe(data)
    expect(canonicalBase64(`data:image/jpeg;base64,${data}`)).toBe(data)
    expect(canonicalBase64(data.replaceAll("+", "-").replaceAll("/", "_"))).toBe(data)
    expect(canonicalBase64(data.replace(/=+$/, ""))).toBe(data)
  })

  it("is none where something else is in it", () => {
    const data = png(10, 10, 9000)
    const middle = data.length / 2
    const broken = [
      "[image omitted]",
      "<base64>",
      "A",
      "§§§§",
      `${data.slice(0, middle)}... 800 characters truncated ...${data.slice(middle)}`,
      `${data.slice(0, middle)}…${data.slice(middle + 1)}`,
    ]
    for (const text of broken) expect(readMedia(media(text))?.fault, text.slice(0, 40)).toBe("not-base64")
    for (const text of ["", "\n", "data:image/png;base64,", "=="]) expect(readMedia(media(text))?.fault, text).toBe("empty")
  })

  it("gives any byte", () => {
    const bytes = Buffer.from(Array.from({ length: 257 }, (_, index) => (index * 7) % 256))
    const read = new Base64Bytes(bytes.toString("base64"))
    expect(read.length).toBe(257)
    expect(Array.from({ length: 257 }, (_, index) => read.at(index))).toEqual([...bytes])
    expect([read.at(-1), read.at(257), read.big(255, 4)]).toEqual([-1, -1, -1])
  })
})

it("writes media types as providers know them", () => {
  expect(["image/jpg", "IMAGE/PNG", "png", "image/webp; q=1", "text/csv"].map(plainMediaType)).toEqual([
    "image/jpeg",
    "image/png",
    "image/png",
    "image/webp",
    "text/csv",
  ])
})

it("knows nothing of media that is elsewhere", () => {
  expect(readMedia({ type: "media", kind: "image", source: { type: "url", url: "https://example.org/a.png" } })).toBeUndefined()
  expect(readMedia({ type: "media", kind: "image", source: { type: "file", id: "file_1" } })).toBeUndefined()
  expect(readMedia({ type: "media", kind: "image", source: { type: "url", url: "data:image/svg+xml,<svg/>" } })).toMatchObject({
    fault: "not-base64",
  })
})

describe("hostile bytes", () => {
  const starts = [png(), gif(), jpeg(), webp.lossy(1, 1), webp.lossless(1, 1), webp.extended(1, 1), pdf(), pdf({ linearized: true })]
  const kinds: readonly MediaKind[] = ["image", "document", "audio", "video", "file"]

  it("never make the reader throw, however they are cut and changed", () => {
    const numbers = numbersFromSeed(4711, 40_000)
    let next = 0
    const draw = (below: number): number => (numbers[next++ % numbers.length] as number) % below
    for (let round = 0; round < 3000; round++) {
      const bytes = Buffer.from(starts[draw(starts.length)] as string, "base64")
      for (let change = draw(8); change > 0; change--) bytes[draw(bytes.length)] = draw(256)
      const text = bytes.subarray(0, draw(bytes.length + 1)).toString("base64")
      const kind = kinds[draw(kinds.length)] as MediaKind
      expect(() => readMedia(media(text, kind, draw(2) === 0 ? "image/png" : undefined))).not.toThrow()
    }
    for (const text of ["\u0000", "\ud800", "====", "A===", "AAAAA"]) expect(() => readMedia(media(text))).not.toThrow()
  })

  it("are read in a bounded number of places", () => {
    const counted = (bytes: Buffer, kind: MediaKind): number => {
      let reads = 0
      const text = bytes.toString("base64")
      const { charCodeAt } = String.prototype
      const spied = function (this: string, index: number): number {
        reads++
        return charCodeAt.call(this, index)
      }
      String.prototype.charCodeAt = spied
      try {
        readMedia(media(text, kind))
      } finally {
        String.prototype.charCodeAt = charCodeAt
      }
      return reads
    }
    const tiny = Array.from({ length: 400_000 }, () => [0xff, 0xe1, 0x00, 0x02]).flat()
    expect(counted(Buffer.from([0xff, 0xd8, ...tiny]), "image")).toBeLessThan(50_000)
    expect(counted(Buffer.concat([Buffer.from("\xff\xd8", "latin1"), Buffer.alloc(1_000_000, 0xff)]), "image")).toBeLessThan(50_000)
    const sections = "0 0\n".repeat(200_000)
    const table = Buffer.from(`%PDF-1.4\nxref\n${sections}trailer\n<< /Prev 9 >>\nstartxref\n9\n%%EOF`)
    expect(counted(table, "document")).toBeLessThan(200_000)
    const chain = Array.from({ length: 5000 }, (_, index) => `xref\n0 0\ntrailer <</Prev ${9 + index}>>\n`).join("")
    expect(counted(Buffer.from(`%PDF-1.4\n${chain}startxref\n9\n%%EOF`), "document")).toBeLessThan(400_000)
  })
})
