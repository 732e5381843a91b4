/** Files made to fill the memory, to never end or to lead elsewhere: each is refused with a reason, soon. */
import { execFileSync } from "node:child_process"
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import zlib from "node:zlib"
import { describe, expect, it, onTestFinished } from "vitest"
import { readMsgpack } from "../../src/files/msgpack/read-msgpack.ts"
import { unpacked } from "../../src/files/open-file.ts"
import { assertFits, mostBytes, readPath, readStream } from "../../src/files/disk/read-bytes.ts"
import { eventLines, opencodeExport } from "../../src/files/find-sessions.ts"
import { openSqliteSessions } from "../../src/files/sqlite/open-sqlite-sessions.ts"
import { cli } from "../cli/cli.ts"

const tree = (files: Readonly<Record<string, string | Uint8Array>> = {}): string => {
  const root = mkdtempSync(join(tmpdir(), "ligature-limits-"))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  return root
}

const { zstdCompressSync: pack } = zlib as unknown as { readonly zstdCompressSync?: (bytes: Uint8Array) => Uint8Array }
if (!pack) console.warn("Skipped: packed files. This Node has no Zstandard; run with Node 22.15 or newer.")

describe.skipIf(pack === undefined)("packed files", () => {
  /** A few kilobytes that would unpack to 100 MB. */
  const bomb = (): Uint8Array => pack?.(Buffer.alloc(100 << 20, 0x20)) ?? new Uint8Array()

  it("are refused where they grow beyond all measure, with both sizes and the way out", () => {
    expect(() => unpacked(bomb())).toThrow(
      /^The file is Zstandard data of \d+ kB that unpacks to more than 64 MB\. If you trust it, unpack it first and give the result: zstd -d FILE$/,
    )
  })

  it("are unpacked whole, frame after frame, and nothing else is among them", () => {
    const frames = ["one\n", "", "two\n"].map((text) => pack?.(Buffer.from(text)) ?? new Uint8Array())
    const skipped = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])
    for (const parts of [frames, [skipped, ...frames], [...frames, skipped]])
      expect(Buffer.from(unpacked(Buffer.concat(parts))).toString()).toBe("one\ntwo\n")
    const whole = Buffer.concat(frames)
    for (const cut of [whole.subarray(0, -3), Buffer.concat([whole, Buffer.from("more")]), Buffer.concat([whole, skipped.subarray(0, 9)])])
      expect(() => unpacked(cut)).toThrow("The file is Zstandard data, but damaged: it cannot be unpacked.")
  })

  it("are refused where many frames grow beyond all measure together", () => {
    const frame = pack?.(Buffer.alloc(1 << 20, 0x20)) ?? new Uint8Array()
    expect(() => unpacked(Buffer.concat(Array.from({ length: 65 }, () => frame)))).toThrow("unpacks to more than 64 MB")
  })

  it("are refused by check, and by doctor among others, by name", async () => {
    const cwd = tree({ "rollout-a.jsonl.zst": bomb(), "rollout-b.jsonl.zst": bomb() })
    const checked = await cli(["check", "rollout-a.jsonl.zst"], { cwd })
    expect(checked.code).toBe(2)
    expect(checked.stderr).toMatch(/unpacks to more than 64 MB[\s\S]*rollout-a\.jsonl\.zst/)
    const seen = await cli(["doctor", "."], { cwd })
    expect(seen.code).toBe(2)
    expect(`${seen.stdout}${seen.stderr}`).toMatch(/rollout-a\.jsonl\.zst[\s\S]*rollout-b\.jsonl\.zst/)
  })
})

describe.skipIf(pack === undefined)("a packed history", () => {
  it("is not migrated in place, where its agent would find it unpacked", async () => {
    const list = [
      { role: "user", content: "Read a.ts" },
      { role: "assistant", content: "<read_file>\n<path>a.ts</path>\n</read_file>" },
      { role: "user", content: "[read_file for 'a.ts'] Result:\nconst a = 1" },
    ]
    const packed = pack?.(Buffer.from(JSON.stringify(list))) ?? new Uint8Array()
    const cwd = tree({ "l.json.zst": packed })
    const { code, stderr } = await cli(["migrate", "l.json.zst"], { cwd })
    expect([code, stderr]).toEqual([2, expect.stringContaining("l.json.zst is compressed and cannot be migrated in place")])
    expect(new Uint8Array(readFileSync(join(cwd, "l.json.zst")))).toEqual(new Uint8Array(packed))
    expect((await cli(["migrate", "l.json.zst", "-o", "l.json"], { cwd })).code).toBe(0)
  })
})

describe.skipIf(process.platform === "win32")("pipes and devices", () => {
  const fifo = (folder: string, name: string): string => {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    execFileSync("mkfifo", [path])
    return path
  }

  it("are given up where nobody writes into a pipe", async () => {
    const cwd = tree()
    fifo(cwd, "pipe.json")
    const { code, stderr } = await cli(["check", "pipe.json"], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain("This is a pipe, and nobody writes into it.")
  })

  it("are read to their end, however slowly it is written", async () => {
    const path = fifo(tree(), "pipe")
    const reading = readPath(path)
    const writer = createWriteStream(path)
    writer.write("first ")
    setTimeout(() => writer.end("second"), 60)
    expect(Buffer.from(await reading).toString()).toBe("first second")
  })

  it("end where a device goes on for ever", async () => {
    const { code, stderr } = await cli(["check", "/dev/zero"])
    expect(code).toBe(2)
    expect(stderr).toContain("This is a device and gives more than 16 MB. Give a file.")
    expect(Buffer.from(await readPath("/dev/null"))).toHaveLength(0)
  })

  it("do not keep anybody waiting who looks into a folder with one", async () => {
    const cwd = tree({ "sub/other.txt": "x" })
    fifo(cwd, "sub/a.jsonl")
    const { code, stderr } = await cli(["check", "sub"], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain("This is a folder.")
    expect((await cli(["doctor", "sub"], { cwd })).code).toBe(2)
  })

  it("do not keep a folder of events waiting", async () => {
    const root = tree({ "events/event-0-a.json": '{"kind":"MessageEvent"}' })
    fifo(root, "events/event-1-b.json")
    expect(Buffer.from((await eventLines(join(root, "events"))) ?? "").toString()).toBe('{"kind":"MessageEvent"}\n')
  })
})

describe("what comes in", () => {
  it("may not be more than the memory takes", async () => {
    expect(() => assertFits(mostBytes(), "The file has")).not.toThrow()
    expect(() => assertFits(mostBytes() + 1, "The file has")).toThrow(
      /^The file has [\d,]+ MB; reading it may need \d+ GB, .*--max-old-space-size=\d+\.$/,
    )
    // One chunk that claims to be large stands for many: nothing is allocated.
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      for (;;) yield Object.defineProperty(new Uint8Array(), "length", { value: 64 << 20 })
    }
    await expect(readStream(endless())).rejects.toThrow(/^The input has at least [\d,]+ MB; /)
  })

  it("follows no id out of the folder of its session", async () => {
    const message = (id: string): string => JSON.stringify({ id, sessionID: "ses_1", role: "user" })
    const part = JSON.stringify({ id: "prt_1", type: "text", text: "of somebody else" })
    const root = tree({
      "storage/session/p/ses_1.json": JSON.stringify({ id: "ses_1", slug: "s", projectID: "p", title: "t" }),
      "storage/message/ses_1/msg_1.json": message("../../elsewhere"),
      "storage/message/ses_1/msg_2.json": message(".."),
      "elsewhere/prt_1.json": part,
      "storage/prt_1.json": part,
    })
    const gathered = Buffer.from((await opencodeExport(join(root, "storage/session/p/ses_1.json"))) ?? "").toString()
    expect(gathered).toContain("../../elsewhere")
    expect(gathered).not.toContain("of somebody else")
  })

  it("may not nest keys in keys, whose escapes double at every level", () => {
    const keys = 40
    const bytes = Uint8Array.from([...Array.from({ length: keys }, () => 0x81), 0xa1, 0x78, ...Array.from({ length: keys }, () => 1)])
    expect(() => readMsgpack(bytes)).toThrow("a map as key that is longer than 10000 characters")
  })
})

interface Engine {
  exec(sql: string): void
  close(): void
}

const engine = (await import("node:sqlite" as string).catch(() => undefined)) as
  | { readonly DatabaseSync: new (path: string) => Engine }
  | undefined

describe.skipIf(engine === undefined)("databases", () => {
  const made = (sql: string): string => {
    const path = join(tree(), "sessions.db")
    const database = engine && new engine.DatabaseSync(path)
    database?.exec(sql)
    database?.close()
    return path
  }

  it("with computed columns belong to no agent: they could give gigabytes", async () => {
    const path = made(`CREATE TABLE sessions (id TEXT, huge AS (zeroblob(1000000000)));
      CREATE TABLE messages (session_id TEXT, role TEXT, content_json TEXT);
      INSERT INTO sessions (id) VALUES ('a');`)
    await expect(openSqliteSessions(path)).rejects.toThrow("holds no sessions of a known agent")
  })

  it("that would have to be copied are not, where they claim to be larger than a disk", async () => {
    const path = made("CREATE TABLE sessions (id TEXT);")
    // A sparse file: it claims a terabyte and needs nothing.
    writeFileSync(`${path}-wal`, "")
    truncateSync(`${path}-wal`, 2 ** 40)
    await expect(openSqliteSessions(path)).rejects.toThrow(
      /would mean copying [\d,]+ MB\. Close its agent, or run: sqlite3 .* 'PRAGMA wal_checkpoint\(TRUNCATE\)'/,
    )
  })

  it("whose tables are views belong to no agent: they could go on for ever", async () => {
    const path = made(`CREATE VIEW sessions AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n;
      CREATE TABLE messages (session_id TEXT, role TEXT, content_json TEXT);`)
    await expect(openSqliteSessions(path)).rejects.toThrow("holds no sessions of a known agent")
  })
})
