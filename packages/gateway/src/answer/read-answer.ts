/** The text of an upstream's answer, for answers that have to be understood: unpacked, and within limits. */
import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import zlib from "node:zlib"
import { UpstreamError } from "../upstream/send.ts"

/** More than this without an end of an event is no answer of a model. */
export const mostBytes = 64 << 20

const unpackers: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
}

/** The body, unpacked where the upstream packed it though nobody asked. */
export const unpacked = (answer: IncomingMessage): Readable => {
  const encoding = answer.headers["content-encoding"]?.trim().toLowerCase() ?? ""
  const unpack = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined
  if (!unpack) return answer
  const stream = unpack() as unknown as Readable
  answer.pipe(stream as unknown as NodeJS.WritableStream)
  answer.once("error", (error) => stream.destroy(error))
  answer.once("close", () => {
    if (!answer.complete) stream.destroy(new Error("The answer broke off"))
  })
  return stream
}

/** The whole body. Throws an `UpstreamError` where it breaks off or is too long. */
export const readWhole = async (answer: IncomingMessage, limit = mostBytes): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of unpacked(answer)) {
      size += (chunk as Buffer).length
      if (size > limit) break
      chunks.push(chunk as Buffer)
    }
  } catch (error) {
    throw new UpstreamError(502, "The answer of the provider broke off", error)
  }
  if (size > limit) {
    answer.destroy()
    throw new UpstreamError(502, `The answer of the provider is larger than ${limit} bytes`)
  }
  if (!answer.complete) throw new UpstreamError(502, "The answer of the provider broke off")
  return Buffer.concat(chunks, size)
}
