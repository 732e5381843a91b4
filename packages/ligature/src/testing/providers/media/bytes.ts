/**
 * What a provider sees when it opens a file: decoded whole and read with plain loops, unlike the reader it is there to
 * confirm, which takes a few bytes out of the base64 text.
 */
import { Buffer } from "node:buffer"

export interface FileFacts {
  readonly type?: string
  readonly width?: number
  readonly height?: number
  readonly pages?: number
  readonly encrypted?: boolean
}

/** Undefined for text that a strict decoder refuses. */
export function decode(data: string): Buffer | undefined {
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return undefined
  return Buffer.from(data, "base64")
}

function jpegFrame(bytes: Buffer): FileFacts {
  let at = 2
  while (at + 9 <= bytes.length) {
    const marker = bytes[at + 1] as number
    if (bytes[at] !== 0xff) break
    if (marker === 0xff) at += 1
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    } else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return {}
}

function webpFrame(bytes: Buffer): FileFacts {
  if (bytes.length < 30) return {}
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case "VP8L": {
      const packed = bytes.readUInt32LE(21)
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 }
    }
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    default:
      return {}
  }
}

/** The largest count of a node of the page tree is that of its root. */
function pdfFacts(text: string): FileFacts {
  let pages: number | undefined
  for (const [object] of text.matchAll(/\d+ \d+ obj[^]*?endobj/g)) {
    const count = /\/Type\s*\/Pages\b/.test(object) ? /\/Count\s+(\d+)/.exec(object)?.[1] : undefined
    const linear = /\/Linearized\b[^]*\/N\s+(\d+)/.exec(object)?.[1]
    for (const found of [count, linear]) if (found !== undefined) pages = Math.max(pages ?? 0, Number(found))
  }
  const encrypted = /\/Encrypt\s+\d/.test(text)
  return { type: "application/pdf", encrypted, ...(pages !== undefined && { pages }) }
}

/** Type and measures of a file; no type for bytes that are no file of a kind that is taken anywhere. */
export function factsOf(bytes: Buffer): FileFacts {
  const start = bytes.toString("latin1", 0, 16)
  if (start.startsWith("\x89PNG\r\n\x1a\n")) {
    return bytes.length < 24 ? {} : { type: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  }
  if (start.startsWith("\xff\xd8\xff")) {
    const frame = jpegFrame(bytes)
    return frame.width === undefined ? {} : { type: "image/jpeg", ...frame }
  }
  if (/^GIF8[79]a/.test(start)) {
    return bytes.length < 10 ? {} : { type: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  }
  if (/^RIFF[^]{4}WEBP/.test(start)) {
    const frame = webpFrame(bytes)
    return frame.width === undefined ? {} : { type: "image/webp", ...frame }
  }
  if (/^[^]{4}ftyp(?:hei[cx]|hevc)/.test(start)) return { type: "image/heic" }
  if (/^[^]{4}ftyp(?:mif1|msf1)/.test(start)) return { type: "image/heif" }
  if (bytes.toString("latin1", 0, 1024).includes("%PDF-")) return pdfFacts(bytes.toString("latin1"))
  return {}
}
