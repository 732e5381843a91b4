/**
 * What an image is and how many pixels it has, from its first bytes. Every format says both near its beginning, but for
 * JPEG, where the dimensions come after the metadata: there the segments are skipped one by one, up to a bound.
 */
import type { Base64Bytes } from "./base64.ts"

export interface ImageHeader {
  readonly mediaType: string
  readonly width?: number
  readonly height?: number
  /** The data ends before the dimensions: there is no image in it. */
  readonly cut?: true
}

const sized = (mediaType: string, width: number, height: number): ImageHeader =>
  width < 0 || height < 0 ? { mediaType, cut: true } : { mediaType, width, height }

const readPng = (bytes: Base64Bytes): ImageHeader => sized("image/png", bytes.big(16, 4), bytes.big(20, 4))

const readGif = (bytes: Base64Bytes): ImageHeader => sized("image/gif", bytes.little(6, 2), bytes.little(8, 2))

const readWebp = (bytes: Base64Bytes): ImageHeader => {
  const mediaType = "image/webp"
  if (bytes.startsWith("VP8X", 12)) {
    const [width, height] = [bytes.little(24, 3), bytes.little(27, 3)]
    return width < 0 || height < 0 ? { mediaType, cut: true } : { mediaType, width: width + 1, height: height + 1 }
  }
  if (bytes.startsWith("VP8L", 12)) {
    const packed = bytes.little(21, 4)
    return packed < 0
      ? { mediaType, cut: true }
      : { mediaType, width: (packed % 2 ** 14) + 1, height: (Math.floor(packed / 2 ** 14) % 2 ** 14) + 1 }
  }
  if (!bytes.startsWith("VP8 ", 12)) return bytes.length < 16 ? { mediaType, cut: true } : { mediaType }
  const [width, height] = [bytes.little(26, 2), bytes.little(28, 2)]
  return width < 0 || height < 0 ? { mediaType, cut: true } : { mediaType, width: width % 2 ** 14, height: height % 2 ** 14 }
}

/** Real files have a few dozen segments; a hostile one could have one every four bytes. */
const mostSegments = 2_000

/** Frame headers: C0 to CF, but for the tables C4 and CC and the reserved C8. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Markers that are alone, without a length. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

const readJpeg = (bytes: Base64Bytes): ImageHeader => {
  const mediaType = "image/jpeg"
  let at = 2
  for (let count = 0; count < mostSegments; count++) {
    if (at >= bytes.length) return { mediaType, cut: true }
    if (bytes.at(at) !== 0xff) return { mediaType }
    const marker = bytes.at(at + 1)
    if (marker === 0xff) at += 1
    else if (isBare(marker)) at += 2
    else if (isFrame(marker)) {
      const frame = sized(mediaType, bytes.big(at + 7, 2), bytes.big(at + 5, 2))
      // A height of 0 is said later, in the scan.
      return frame.height === 0 ? { mediaType } : frame
    } else {
      const length = bytes.big(at + 2, 2)
      // The scan, or the end of the image: the frame header had to come before.
      if (marker === 0xda || marker === 0xd9 || length === 0 || length === 1) return { mediaType }
      if (length < 0) return { mediaType, cut: true }
      at += 2 + length
    }
  }
  return { mediaType }
}

const brands: Readonly<Record<string, string>> = {
  heic: "image/heic",
  heix: "image/heic",
  hevc: "image/heic",
  mif1: "image/heif",
  msf1: "image/heif",
  avif: "image/avif",
  avis: "image/avif",
}

const textStart = /^[\s\uFEFFï»¿]*<(?:(svg)|(!doctype html|html)|\?xml)/i

/** Files that are taken for images because of their name: markup, error pages, pointers of a large-file store. */
const readMarkup = (bytes: Base64Bytes): ImageHeader | undefined => {
  const start = bytes.text(0, 512)
  const found = textStart.exec(start)
  if (found) {
    const isSvg = found[1] !== undefined || (found[2] === undefined && /<svg/i.test(start))
    return { mediaType: isSvg ? "image/svg+xml" : found[2] === undefined ? "text/xml" : "text/html" }
  }
  return start.startsWith("version https://git-lfs") ? { mediaType: "text/plain" } : undefined
}

/** Undefined for bytes with no signature that is known here. */
export const readImageHeader = (bytes: Base64Bytes): ImageHeader | undefined => {
  if (bytes.startsWith("\u0089PNG\r\n\u001a\n")) return readPng(bytes)
  if (bytes.startsWith("\u00ff\u00d8\u00ff")) return readJpeg(bytes)
  if (bytes.startsWith("GIF87a") || bytes.startsWith("GIF89a")) return readGif(bytes)
  if (bytes.startsWith("RIFF") && bytes.startsWith("WEBP", 8)) return readWebp(bytes)
  if (bytes.startsWith("ftyp", 4)) {
    const brand = bytes.text(8, 12)
    const mediaType = Object.hasOwn(brands, brand) ? brands[brand] : undefined
    return mediaType === undefined ? { mediaType: "video/mp4" } : { mediaType }
  }
  if (bytes.startsWith("%PDF-")) return { mediaType: "application/pdf" }
  if (bytes.startsWith("BM") && bytes.little(6, 4) === 0) return { mediaType: "image/bmp" }
  if (bytes.startsWith("II*\0") || bytes.startsWith("MM\0*")) return { mediaType: "image/tiff" }
  return readMarkup(bytes)
}
