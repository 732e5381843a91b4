/** Where a session is to be put and how it is resumed, from files that try to lead elsewhere or to run something. */
import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { findSession } from "../../src/registry/registry.ts"
import { sessionCodecs } from "../../src/registry/sessions.ts"
import { shellFile, shellNames, shellOption, shellWord } from "../../src/model/index.ts"

const evil = "../../../..evil$(id)'; touch x; '"

const sessions: Readonly<Record<string, (id: string) => unknown>> = {
  "claude-code": (id) => [
    { type: "user", uuid: "a", parentUuid: null, sessionId: id, cwd: `/x/${evil}`, message: { role: "user", content: "hi" } },
  ],
  "codex-rollout": (id) => [{ type: "session_meta", timestamp: evil, payload: { id, timestamp: evil, cwd: evil } }],
  "gemini-cli": (id) => ({ sessionId: id, projectHash: evil, startTime: evil, messages: [] }),
  "copilot-cli": (id) => [{ type: "session.start", id: "e", data: { sessionId: id, context: { cwd: evil } } }],
  pi: (id) => [{ type: "session", version: 3, id, timestamp: evil, cwd: evil }],
  "opencode-export": (id) => ({ info: { id, directory: evil }, messages: [] }),
  neovate: (id) => [{ type: "message", role: "user", uuid: "a", parentUuid: null, sessionId: id, content: "hi", timestamp: evil }],
  "qwen-code": (id) => [
    {
      type: "user",
      uuid: "a",
      parentUuid: null,
      sessionId: id,
      cwd: evil,
      timestamp: evil,
      message: { role: "user", parts: [{ text: "hi" }] },
    },
  ],
  "kilo-cli": (id) => ({ info: { id, directory: evil, version: "7.7.9" }, messages: [] }),
  droid: (id) => [{ type: "session_start", id, title: evil, version: 2, cwd: evil }],
  goose: (id) => [{ id, working_dir: evil, description: evil, message_count: 0 }],
  continue: (id) => ({ sessionId: id, workspaceDirectory: evil, history: [] }),
  "cline-cli": (id) => ({ version: 1, agent: "lead", sessionId: id, messages: [] }),
  "cline-api": (id) => [{ role: "user", content: "hi", ts: id }],
  "open-webui": (id) => ({ id, chat: { history: { messages: {}, currentId: id } } }),
}

describe("the place of a session", () => {
  it("is tried with every format that has one", () => {
    const placed = Object.values(sessionCodecs)
      .filter(({ session }) => session.place)
      .map(({ format }) => format)
    expect(placed.filter((format) => !Object.hasOwn(sessions, format))).toEqual([])
  })

  for (const [format, make] of Object.entries(sessions)) {
    it(`of ${format} leads nowhere else, and its command runs nothing else`, () => {
      const place = findSession(format)?.session.place
      for (const id of [evil, "..", ".", "-rf", "a/b", "", "a\nb", "x".repeat(300)]) {
        const { path, resume } = place?.(make(id)) ?? { path: "", resume: "" }
        expect(path.split("/")).not.toContain("..")
        expect(resume).toMatch(/^[\w ./,&<>'=-]+$/)
        expect(resume).not.toMatch(/\.\.|evil|touch/)
      }
    })
  }

  it("keeps an id that can be the name of a file, and says where it cannot", () => {
    const { "claude-code": claudeCode } = sessionCodecs
    const good = claudeCode?.session.place?.(sessions["claude-code"]?.("0b5e1a2c-0000-4000-8000-000000000001"))
    expect(good?.resume).toBe("claude --resume 0b5e1a2c-0000-4000-8000-000000000001")
    const bad = claudeCode?.session.place?.(sessions["claude-code"]?.(evil))
    expect(bad?.resume).toMatch(/^claude --resume [0-9a-f-]{36}$/)
    expect(bad?.note).toMatch(/^the id in the session is not a valid file name; here it is [0-9a-f-]{36}; run it in '/)
  })
})

describe("a word of a command", () => {
  const words = [
    "plain-word_1./x",
    "two words",
    "it's",
    "$(id) `id` ;|&<>*?~!#",
    "tab\there",
    "line\nbreak",
    "back\\slash",
    "\u001b[2J",
    "e\u0301 只看",
    "",
  ]

  it.skipIf(process.platform === "win32")("is read by a shell as that word", () => {
    for (const word of words) {
      const read = execFileSync("bash", ["-c", `printf %s ${shellWord(word)}`], { env: { LC_ALL: "C.UTF-8", PATH: process.env["PATH"] } })
      expect(read.toString()).toBe(word)
    }
  })

  it("shows what it holds on one line, and no option where a file is meant", () => {
    expect(words.map(shellWord).filter((word) => ["\n", "\t", "\u001b"].some((control) => word.includes(control)))).toEqual([])
    expect([shellFile("-rf"), shellFile("-"), shellFile("a b")]).toEqual(["./-rf", "-", "'a b'"])
    expect([shellNames("a", "b"), shellNames("--force", "b"), shellOption("--parent", "a"), shellOption("--parent", "-a b")]).toEqual([
      "a b",
      "-- --force b",
      "--parent a",
      "--parent='-a b'",
    ])
  })
})
