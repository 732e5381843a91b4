/** Where sessions are looked for, and sessions that are spread over many files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import zlib from "node:zlib"
import { describe, expect, it, onTestFinished } from "vitest"
import { openDocument } from "../../src/document/index.ts"
import { whyBusy } from "../../src/files/disk/read-bytes.ts"
import { eventLines, findInHomes, findUnder, type FoundFile, opencodeExport } from "../../src/files/find-sessions.ts"
import { isDatabase, unpacked } from "../../src/files/open-file.ts"
import { LigatureError } from "../../src/model/index.ts"

const tree = (files: Readonly<Record<string, string | Uint8Array>>): string => {
  const root = mkdtempSync(join(tmpdir(), "ligature-homes-"))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  return root
}

const all = async (found: AsyncIterable<FoundFile>): Promise<readonly FoundFile[]> => {
  const files: FoundFile[] = []
  for await (const file of found) files.push(file)
  return files
}

describe("findInHomes", () => {
  it("knows the homes of the agents and leaves other files alone", async () => {
    const home = tree({
      ".claude/projects/-p/a.jsonl": "{}",
      ".claude/settings.json": "{}",
      ".codex/sessions/2026/01/02/rollout-x.jsonl.zst": "x",
      ".codex/history.jsonl": "{}",
      ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json": "[]",
      ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/ui_messages.json": "[]",
      ".gemini/tmp/abc/chats/session-2026-01-01T00-00-aaaaaaaa.jsonl": "{}",
      ".gemini/tmp/abc/logs.json": "[]",
      ".local/share/opencode/opencode.db": "x",
      ".local/share/opencode/storage/session/p/ses_1.json": "{}",
      ".continue/sessions/sessions.json": "[]",
      ".continue/sessions/aaaa.json": "{}",
      ".copilot/session-state/x/events.jsonl": "{}",
      ".pi/agent/sessions/--p--/x.jsonl": "{}",
    })
    const found = await all(findInHomes({ home, platform: "linux", env: {} }))
    expect(found.map(({ agent, path }) => `${agent ?? ""}: ${relative(home, path)}`)).toEqual([
      "Claude Code: .claude/projects/-p/a.jsonl",
      "Codex CLI: .codex/sessions/2026/01/02/rollout-x.jsonl.zst",
      "Cline: .config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json",
      "Gemini CLI: .gemini/tmp/abc/chats/session-2026-01-01T00-00-aaaaaaaa.jsonl",
      "opencode: .local/share/opencode/opencode.db",
      "opencode: .local/share/opencode/storage/session/p/ses_1.json",
      "pi: .pi/agent/sessions/--p--/x.jsonl",
      "Copilot CLI: .copilot/session-state/x/events.jsonl",
      "Continue: .continue/sessions/aaaa.json",
    ])
  })

  it("follows the settings with which agents move their homes", async () => {
    const home = tree({ "elsewhere/projects/-p/a.jsonl": "{}", "codex/sessions/rollout-a.jsonl": "{}" })
    const env = { CLAUDE_CONFIG_DIR: join(home, "elsewhere"), CODEX_HOME: join(home, "codex") }
    const found = await all(findInHomes({ home, platform: "linux", env }))
    expect(found.map(({ agent }) => agent)).toEqual(["Claude Code", "Codex CLI"])
  })
})

describe("findUnder", () => {
  it("takes a named file by its word and looks into folders by names", async () => {
    const root = tree({ "a/x.jsonl": "{}", "a/y.txt": "", "a/node_modules/z.json": "{}", "a/b/c.traj": "{}", odd: "{}" })
    expect((await all(findUnder(join(root, "odd")))).map(({ path }) => relative(root, path))).toEqual(["odd"])
    expect((await all(findUnder(join(root, "a")))).map(({ path }) => relative(root, path))).toEqual(["a/b/c.traj", "a/x.jsonl"])
  })
})

describe("sessions of many files", () => {
  it("gather the events of a folder in their order", async () => {
    const event = (kind: string, more: object): string => JSON.stringify({ kind, id: kind, timestamp: "t", ...more }, null, 2)
    const root = tree({
      "c/events/event-00001-b.json": event("MessageEvent", {
        source: "agent",
        llm_message: { role: "assistant", content: [{ type: "text", text: "Hello" }] },
      }),
      "c/events/event-00000-a.json": event("MessageEvent", {
        source: "user",
        llm_message: { role: "user", content: [{ type: "text", text: "Hi" }] },
      }),
      "c/base_state.json": "{}",
    })
    const found = await all(findUnder(join(root, "c", "events")))
    expect(found.map(({ path }) => relative(root, path))).toEqual(["c/events"])
    const text = await eventLines(join(root, "c", "events"))
    expect(openDocument(text ?? "").parts.map(({ format, lines }) => [format, lines])).toEqual([["openhands-v1", [1, 2]]])
    expect(await eventLines(join(root, "c"))).toBeUndefined()
  })

  it("gather an opencode session from its folders", async () => {
    const root = tree({
      "storage/session/p/ses_1.json": JSON.stringify({ id: "ses_1", slug: "s", projectID: "p", title: "t" }),
      "storage/message/ses_1/msg_1.json": JSON.stringify({ id: "msg_1", sessionID: "ses_1", role: "user" }),
      "storage/message/ses_1/msg_2.json": "{ half",
      "storage/part/msg_1/prt_1.json": JSON.stringify({ id: "prt_1", messageID: "msg_1", sessionID: "ses_1", type: "text", text: "Hi" }),
    })
    const gathered = await opencodeExport(join(root, "storage/session/p/ses_1.json"))
    expect(openDocument(gathered ?? "").parts.map(({ format }) => format)).toEqual(["opencode-export"])
    expect(await opencodeExport(join(root, "storage/message/ses_1/msg_1.json"))).toBeUndefined()
  })
})

describe("packed files", () => {
  const packs = zlib as unknown as { readonly zstdCompressSync?: (text: string) => Uint8Array }
  const packed = packs.zstdCompressSync?.("{}\n") ?? Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0])

  it("are unpacked where this Node can, and named with the way out where it cannot", () => {
    if (packs.zstdCompressSync) expect(new TextDecoder().decode(unpacked(packed))).toBe("{}\n")
    else expect(() => unpacked(packed)).toThrow(/Zstandard.*Node 22\.15.*zstd -d FILE/)
    const broken = Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3])
    expect(() => unpacked(broken)).toThrow(LigatureError)
    const plain = new TextEncoder().encode("{}")
    expect(unpacked(plain)).toBe(plain)
  })

  it("are told from databases by their first bytes", async () => {
    const root = tree({ "a.db": "SQLite format 3\u0000 and more", "b.db": "text" })
    expect(await isDatabase(join(root, "a.db"))).toBe(true)
    expect(await isDatabase(join(root, "b.db"))).toBe(false)
    expect(await isDatabase(join(root, "none.db"))).toBe(false)
  })
})

describe("whyBusy", () => {
  it("sees a change of the last minute, and lets an old file be", async () => {
    const root = tree({ "a.jsonl": "{}" })
    const now = Date.now()
    expect(await whyBusy(join(root, "a.jsonl"), now)).toBe("it was changed less than a minute ago")
    expect(await whyBusy(join(root, "a.jsonl"), now + 3_600_000)).toBeUndefined()
  })

  it.skipIf(process.platform !== "linux")("sees the process that has the file open for writing", async () => {
    const { spawn } = await import("node:child_process")
    const root = tree({ "a.jsonl": "{}" })
    const path = join(root, "a.jsonl")
    const script = `require("fs").openSync(${JSON.stringify(path)}, "a"); console.log("open"); setTimeout(() => {}, 20000)`
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] })
    onTestFinished(() => void child.kill())
    await new Promise((resolve) => child.stdout.once("data", resolve))
    expect(await whyBusy(path, Date.now() + 3_600_000)).toBe(`process ${child.pid ?? ""} has it open for writing`)
  })
})
