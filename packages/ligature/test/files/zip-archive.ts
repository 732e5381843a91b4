/** Zip archives for tests. */
import { deflateRawSync } from "node:zlib"

interface File {
  readonly name: string
  readonly text: string
  readonly stored?: true
}

export const archive = (files: readonly File[]): Buffer => {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, text, stored } of files) {
    const data = stored ? Buffer.from(text) : deflateRawSync(text)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(stored ? 0 : 8, 8)
    local.writeUInt32LE(data.length, 18)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(stored ? 0 : 8, 10)
    entry.writeUInt32LE(data.length, 20)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(offset, 42)
    parts.push(local, Buffer.from(name), data)
    directory.push(entry, Buffer.from(name))
    offset += 30 + name.length + data.length
  }
  const names = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(names.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, names, end])
}
