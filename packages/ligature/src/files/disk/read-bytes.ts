/**
 * Bytes from outside, never more than fit into memory: running out of it cannot be caught, so it is foreseen. Regular files
 * tell their size; pipes and streams are counted while they come, and devices, which may go on for ever, get a small limit.
 */
import { constants } from "node:fs"
import { open, readdir, readFile, readlink, realpath, stat } from "node:fs/promises"
import { getHeapStatistics } from "node:v8"
import { LigatureError } from "../../model/index.ts"

/** Bytes of memory that a byte of JSON may need while it is read, judged and written. Measured: 5 to 7. */
const memoryPerByte = 8

/** A device is no place for a history; what a terminal or `/dev/null` gives is less. */
const mostOfDevice = 16 << 20

export const megabytes = (bytes: number): string =>
  bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} kB` : `${Math.round(bytes / 2 ** 20).toLocaleString("en-US")} MB`

/** Bytes of input that this process can work on. */
export const mostBytes = (): number => Math.floor(getHeapStatistics().heap_size_limit / memoryPerByte)

/** `what`: the beginning of the sentence, such as `The file has`. */
export const assertFits = (bytes: number, what: string): void => {
  if (bytes <= mostBytes()) return
  const limit = getHeapStatistics().heap_size_limit
  const needed = Math.ceil((bytes * memoryPerByte) / 2 ** 30)
  throw new LigatureError(
    "cannot-read",
    `${what} ${megabytes(bytes)}; reading it may need ${needed} GB, and Node may use ${megabytes(limit)} here. ` +
      `Split it, or run with NODE_OPTIONS=--max-old-space-size=${needed * 1024}.`,
  )
}

/** All chunks of a stream. */
export const readStream = async (stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    const more = typeof chunk === "string" ? Buffer.from(chunk) : chunk
    bytes += more.length
    assertFits(bytes, "The input has at least")
    chunks.push(more)
  }
  return Buffer.concat(chunks)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** How long a named pipe may have no writer before nobody is expected to come. */
const writerPatienceMs = 3000
const pollMs = 10

/**
 * A pipe (`<(command)`, or one that has a name). Opened without waiting: a pipe into which nobody writes would keep the process
 * from ever ending. One that has a writer is read until it closes, however long that takes.
 */
async function* chunksOfPipe(path: string): AsyncGenerator<Uint8Array> {
  const pipe = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    let hadWriter = false
    for (let waited = 0; ;) {
      const { buffer, bytesRead } = await pipe.read(Buffer.allocUnsafe(1 << 16), 0, 1 << 16, null).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EAGAIN") throw error
        hadWriter = true
        return { buffer: Buffer.alloc(0), bytesRead: -1 }
      })
      if (bytesRead > 0) {
        hadWriter = true
        yield buffer.subarray(0, bytesRead)
        continue
      }
      if (bytesRead === 0 && hadWriter) return
      if (bytesRead === 0 && waited >= writerPatienceMs) {
        throw new LigatureError("cannot-read", "This is a pipe, and nobody writes into it. Start the program that does, or give a file.")
      }
      await pause(pollMs)
      waited += pollMs
    }
  } finally {
    await pipe.close()
  }
}

const readDevice = async (path: string): Promise<Uint8Array> => {
  const device = await open(path, "r")
  try {
    const chunks: Uint8Array[] = []
    for (let bytes = 0; bytes <= mostOfDevice;) {
      const { buffer, bytesRead } = await device.read(Buffer.allocUnsafe(1 << 20), 0, 1 << 20, null)
      if (bytesRead === 0) return Buffer.concat(chunks)
      chunks.push(buffer.subarray(0, bytesRead))
      bytes += bytesRead
    }
  } finally {
    await device.close()
  }
  throw new LigatureError("cannot-read", `This is a device and gives more than ${megabytes(mostOfDevice)}. Give a file.`)
}

/** The bytes of what a path leads to. Fails for a folder, on every system with the same code. */
export const readPath = async (path: string): Promise<Uint8Array> => {
  const found = await stat(path)
  if (found.isDirectory()) throw Object.assign(new Error("directory"), { code: "EISDIR" })
  if (found.isFIFO()) return readStream(chunksOfPipe(path))
  if (!found.isFile()) return readDevice(path)
  assertFits(found.size, "The file has")
  return readFile(path)
}

/** The text of a regular file; undefined for anything else, and for what cannot be read. */
export const readTextFile = async (path: string): Promise<string | undefined> => {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true) return undefined
  assertFits(found.size, "The file has")
  return readFile(path, "utf8").catch(() => undefined)
}

// Is somebody writing this file? No agent locks its sessions, so two signs are looked at: a program that has the file
// open for writing (where the system shows that), and a change a moment ago, because most agents open, append and close.

/** A session that was changed this recently may get its next line any moment. */
const restMs = 60_000

/** The programs that have the file open for writing, as far as this system tells; Linux does. */
const writersOf = async (path: string): Promise<readonly number[]> => {
  const processes = await readdir("/proc").catch((): string[] => [])
  const writers: number[] = []
  for (const name of processes) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue
    // Other people's processes may not be looked into; ours is the folder, so ours are the writers.
    const handles = await readdir(`/proc/${name}/fd`).catch((): string[] => [])
    for (const handle of handles) {
      const target = await readlink(`/proc/${name}/fd/${handle}`).catch(() => "")
      if (target !== path) continue
      const flags = /^flags:\s*(\d+)/m.exec(await readFile(`/proc/${name}/fdinfo/${handle}`, "utf8").catch(() => ""))?.[1]
      // The two lowest bits: 0 reads only, 1 writes, 2 does both.
      if (flags !== undefined && (Number.parseInt(flags, 8) & 3) !== 0) writers.push(Number(name))
    }
  }
  return writers
}

/** A sentence that says why the file must be left alone; undefined when it may be replaced. */
export const whyBusy = async (path: string, now: number): Promise<string | undefined> => {
  const file = await realpath(path).catch(() => path)
  const writers = await writersOf(file)
  if (writers.length > 0) return `process ${writers.join(", ")} has it open for writing`
  const found = await stat(file).catch(() => undefined)
  if (found !== undefined && now - found.mtimeMs < restMs) return "it was changed less than a minute ago"
  return undefined
}
