/** Tiny files, made byte by byte: just enough of each format for its header to be read. */

const bytesOf = (...parts: readonly (string | number | readonly number[])[]): Uint8Array =>
  Uint8Array.from(
    parts.flatMap((part) =>
      typeof part === "string" ? [...part].map((character) => character.charCodeAt(0)) : typeof part === "number" ? [part] : part,
    ),
  )

export const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

const big = (value: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => Math.floor(value / 256 ** (count - 1 - index)) % 256)

const little = (value: number, count: number): readonly number[] => big(value, count).toReversed()

/** Grown to a size with zeros, where one is asked for. */
const grown = (bytes: Uint8Array, size = 0): string => {
  if (size <= bytes.length) return base64Of(bytes)
  const whole = new Uint8Array(size)
  whole.set(bytes)
  return base64Of(whole)
}

export const png = (width = 10, height = 10, size?: number): string =>
  grown(bytesOf([0x89], "PNG\r\n", [0x1a, 0x0a], big(13, 4), "IHDR", big(width, 4), big(height, 4), [8, 6, 0, 0, 0]), size)

export const gif = (width = 10, height = 10, size?: number): string =>
  grown(bytesOf("GIF89a", little(width, 2), little(height, 2), [0, 0, 0]), size)

const segment = (marker: number, content: readonly number[]): readonly number[] => [0xff, marker, ...big(content.length + 2, 2), ...content]

/** `before`: segments of metadata before the dimensions. */
export const jpeg = (width = 10, height = 10, size?: number, before = 1): string =>
  grown(
    bytesOf(
      [0xff, 0xd8],
      ...Array.from({ length: before }, (_, index) =>
        segment(
          0xe1,
          Array.from({ length: 60 + (index % 7) }, () => 0xff),
        ),
      ),
      [0xff, 0xff],
      segment(0xdb, [0, 1, 2]).slice(1),
      segment(0xc2, [8, ...big(height, 2), ...big(width, 2), 3]),
      segment(0xda, [1, 2, 3]),
    ),
    size,
  )

const riff = (chunk: string, content: readonly number[]): Uint8Array =>
  bytesOf("RIFF", little(content.length + 12, 4), "WEBP", chunk, little(content.length, 4), content)

export const webp = {
  lossy: (width: number, height: number): string =>
    base64Of(riff("VP8 ", [1, 2, 3, 0x9d, 0x01, 0x2a, ...little(width, 2), ...little(height, 2), 0, 0])),
  lossless: (width: number, height: number): string =>
    base64Of(riff("VP8L", [0x2f, ...little(width - 1 + (height - 1) * 2 ** 14, 4), 0, 0])),
  extended: (width: number, height: number): string =>
    base64Of(riff("VP8X", [0, 0, 0, 0, ...little(width - 1, 3), ...little(height - 1, 3)])),
}

export interface PdfOptions {
  readonly pages?: number
  readonly encrypted?: boolean
  /** Compressed tables, as newer files have them: nothing can be counted. */
  readonly compressed?: boolean
  readonly linearized?: boolean
  /** Something before the signature. */
  readonly before?: string
  readonly size?: number
}

export const pdf = ({ pages = 1, encrypted, compressed, linearized, before = "", size }: PdfOptions = {}): string => {
  const objects = [
    ...(linearized === true ? [`<< /Linearized 1 /L 4711 /H [ 1 2 ] /O 9 /N ${pages} /T 99 >>`] : []),
    "<< /Type /Catalog /Outlines 9 0 R /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [ 3 0 R ] /Count ${pages} >>`,
    "<< /Type /Page /Parent 2 0 R >>",
  ]
  let text = "%PDF-1.4\n"
  const offsets: number[] = []
  objects.forEach((object, index) => {
    offsets.push(text.length)
    text += `${index + 1 - (linearized === true ? 1 : 0)} 0 obj\n${object}\nendobj\n`
  })
  if (size !== undefined) text += `${"%".repeat(Math.max(0, size - text.length - 400))}\n`
  const table = text.length
  if (compressed === true) text += `9 0 obj\n<< /Type /XRef /Length 3 >> stream\nxyz\nendstream\nendobj\nstartxref\n${table}\n%%EOF\n`
  else {
    const own = linearized === true ? offsets.slice(1) : offsets
    text += `xref\n0 ${own.length + 1}\n0000000000 65535 f \n`
    text += own.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
    const lock = encrypted === true ? " /Encrypt 8 0 R" : ""
    text += `trailer\n<< /Size ${own.length + 1} /Root 1 0 R${lock} >>\nstartxref\n${table}\n%%EOF\n`
  }
  return base64Of(bytesOf(before + text))
}

export const textFile = (text: string): string => base64Of(bytesOf(text))
