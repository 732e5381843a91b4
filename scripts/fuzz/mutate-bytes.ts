/** Damage to the bytes and lines of a file: torn and glued lines, flipped bits, NUL bytes, broken UTF-8, two writers at once. */
import { Buffer } from "node:buffer"
import type { Random } from "./random.ts"

type ByteMutation = (bytes: Buffer, random: Random) => Buffer

const odd: readonly [Buffer, ...Buffer[]] = [
  Buffer.from([0]),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xef, 0xbb, 0xbf]),
  Buffer.from([0xc3]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from("\r\n"),
  Buffer.from("\n"),
  Buffer.from("}{"),
  Buffer.from('"'),
  Buffer.from("\\"),
  Buffer.from(","),
  Buffer.from("null\n"),
  Buffer.from("[[[[[[[["),
  Buffer.from('{"role":"user","content":"planted line of another writer"}\n'),
  Buffer.from("\u2028"),
]

const spliced = (bytes: Buffer, at: number, removed: number, added: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)])

const withLines =
  (change: (lines: string[], random: Random) => void): ByteMutation =>
  (bytes, random) => {
    const lines = bytes.toString("latin1").split("\n")
    change(lines, random)
    return Buffer.from(lines.join("\n"), "latin1")
  }

const mutations: readonly [ByteMutation, ...ByteMutation[]] = [
  (bytes, random) => {
    const copy = Buffer.from(bytes)
    const at = random.number(copy.length)
    if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << random.number(8))
    return copy
  },
  (bytes, random) => spliced(bytes, random.number(bytes.length + 1), 0, random.one(odd)),
  (bytes, random) => spliced(bytes, random.number(bytes.length + 1), 1 + random.number(12), Buffer.alloc(0)),
  (bytes, random) => bytes.subarray(0, random.number(bytes.length + 1)),
  (bytes, random) => bytes.subarray(random.number(bytes.length + 1)),
  (bytes, random) => {
    const from = random.number(bytes.length + 1)
    const piece = bytes.subarray(from, from + random.number(200))
    return spliced(bytes, random.number(bytes.length + 1), 0, Buffer.from(piece))
  },
  withLines((lines, random) => {
    const at = random.number(lines.length)
    lines.splice(at, 0, lines[at] ?? "")
  }),
  withLines((lines, random) => {
    const at = random.number(lines.length)
    const [line = ""] = lines.splice(at, 1)
    lines.splice(random.number(lines.length + 1), 0, line)
  }),
  withLines((lines, random) => {
    const at = random.number(lines.length)
    const next = lines[at + 1]
    if (next !== undefined) lines.splice(at, 2, `${lines[at] ?? ""}${next}`)
  }),
  withLines((lines, random) => {
    const at = random.number(lines.length)
    const line = lines[at] ?? ""
    lines[at] = line.slice(0, random.number(line.length + 1))
  }),
  withLines((lines) => {
    for (const [at, line] of lines.entries()) lines[at] = `${line}\r`
  }),
]

export const mutatedBytes = (bytes: Buffer, random: Random): Buffer => {
  let changed = bytes
  for (let count = 1 + random.number(4); count > 0; count--) changed = random.one(mutations)(changed, random)
  return changed
}
