/** The body of a request, as bytes, within a limit. Compressed ones are unpacked within the same limit. */
import type { IncomingMessage } from "node:http"
import zlib from "node:zlib"
import { promisify } from "node:util"

/** What a client is told when its request ends here. */
export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly status: number
  readonly retryAfter: number | undefined

  constructor(status: number, message: string, retryAfter?: number) {
    super(message)
    this.status = status
    this.retryAfter = retryAfter
  }
}

type Unpack = (packed: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>

const unpackers: Readonly<Record<string, Unpack | undefined>> = {
  gzip: promisify(zlib.gunzip) as Unpack,
  deflate: promisify(zlib.inflate) as Unpack,
  br: promisify(zlib.brotliDecompress) as Unpack,
  // Only newer versions of Node have it.
  zstd: "zstdDecompress" in zlib ? (promisify(zlib.zstdDecompress as never) as Unpack) : undefined,
}

const tooLarge = (limit: number): Refusal => new Refusal(413, `The request is larger than ${limit} bytes, the limit of this gateway`)

const received = (request: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const announced = Number(request.headers["content-length"] ?? 0)
    if (announced > limit) return reject(tooLarge(limit))
    const chunks: Buffer[] = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else {
        request.pause()
        reject(tooLarge(limit))
      }
    })
    request.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)))
    request.once("error", reject)
    request.once("aborted", () => reject(new Error("The client went away")))
  })

export const readBody = async (request: IncomingMessage, limit: number): Promise<Buffer> => {
  const body = await received(request, limit)
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase()
  if (encoding === undefined || encoding === "identity" || encoding === "") return body
  const unpack = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined
  if (!unpack) throw new Refusal(415, `Request bodies in ${encoding} cannot be read here`)
  try {
    return await unpack(body, { maxOutputLength: limit })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(limit)
    throw new Refusal(400, `The body is not valid ${encoding}`)
  }
}
