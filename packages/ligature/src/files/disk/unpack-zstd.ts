/**
 * Zstandard data, all of it. A file is one frame or many, one after another: who appends to a packed log writes a frame of its
 * own each time, and some tools put frames that hold no data among them. `zlib` unpacks the first frame only, and says nothing.
 */
import zlib from "node:zlib"

interface Unpacked {
  readonly buffer: Buffer
  /** `bytesWritten`: how many bytes the frame had. */
  readonly engine: { readonly bytesWritten: number }
}

type Unpack = (bytes: Uint8Array, options: { readonly maxOutputLength: number; readonly info: true }) => Unpacked

const unpackFrame = (zlib as unknown as { readonly zstdDecompressSync?: Unpack }).zstdDecompressSync

/** Whether this Node can unpack such data. */
export const unpacksZstd = unpackFrame !== undefined

const startsAt = (bytes: Uint8Array, at: number, [first, ...rest]: readonly number[], mask = 0xff): boolean =>
  ((bytes[at] ?? 0) & mask) === first && rest.every((byte, index) => bytes[at + 1 + index] === byte)

const isFrame = (bytes: Uint8Array, at: number): boolean => startsAt(bytes, at, [0x28, 0xb5, 0x2f, 0xfd])

/** `0x184D2A50` to `0x184D2A5F`, and the length of what is to be skipped. */
const isSkipped = (bytes: Uint8Array, at: number): boolean => startsAt(bytes, at, [0x50, 0x2a, 0x4d, 0x18], 0xf0)

export const isZstd = (bytes: Uint8Array): boolean => isFrame(bytes, 0) || isSkipped(bytes, 0)

/** Starting on a frame costs more than an empty one is long. */
const mostFrames = 100_000

/** Throws what `zlib` throws: `ERR_BUFFER_TOO_LARGE` where all frames together have more than `most` bytes. */
export const unpackZstd = (bytes: Uint8Array, most: number): Buffer => {
  const parts: Buffer[] = []
  let size = 0
  for (let at = 0; at < bytes.length;) {
    if (isSkipped(bytes, at)) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      at += 8 + view.getUint32(at + 4, true)
      if (at > bytes.length) throw new RangeError("A frame ends after the data")
      continue
    }
    if (parts.length >= mostFrames) throw new RangeError("Too many frames")
    if (!isFrame(bytes, at) || !unpackFrame) throw new RangeError("Expected a frame")
    const { buffer, engine } = unpackFrame(bytes.subarray(at), { maxOutputLength: Math.max(1, most - size), info: true })
    size += buffer.length
    if (size > most) throw Object.assign(new RangeError("Frames are larger than the limit"), { code: "ERR_BUFFER_TOO_LARGE" })
    parts.push(buffer)
    at += engine.bytesWritten
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, size)
}
