/** `DEBUG=ligature:*`: what the library functions say about their work, where it goes, and that it is silent without. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { debugTo, type DebugTopic } from "../../src/debug/index.ts"
import { compact, window } from "../../src/compact/index.ts"
import { check, convert, decode, migrate, repair, settle } from "../../src/index.ts"
import { dropUnansweredCalls, filterMessages, skipOrphanResults, truncateByFraction } from "../../src/messages/index.ts"
import { importInto, resume } from "../../src/agent/index.ts"
import { memoryStore } from "../../src/store/index.ts"
import { packageRoot } from "../cli/cli.ts"

const torn = {
  messages: [
    { role: "user", content: "secret words" },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "ls", input: { path: "secret" } }] },
    { role: "user", content: "secret again" },
  ],
}

describe("library functions", () => {
  const lines: (readonly [DebugTopic, string])[] = []
  let end = (): void => {}
  beforeEach(() => {
    lines.length = 0
    end = debugTo((topic, line) => void lines.push([topic, line]))
  })
  afterEach(() => end())

  it("say what they repaired, by rule, place and id", () => {
    settle(decode("anthropic", torn))
    expect(lines).toEqual([
      ["settle", "[settle] anthropic: 3 messages, 1 repairs"],
      ["settle", "[settle] unanswered-call (synthetic) in message 1: toolu_1"],
    ])
  })

  it("say what they found, converted and repaired", () => {
    check(decode("anthropic", torn))
    convert(torn, { from: "anthropic", to: "openai-chat" })
    repair(torn, { from: "anthropic" })
    expect(lines.filter(([topic]) => topic !== "settle")).toEqual([
      ["check", "[check] 1 findings"],
      ["check", "[check] unanswered-call in message 1: toolu_1"],
      ["convert", "[convert] anthropic -> openai-chat: 1 changes (unanswered-call)"],
      ["convert", "[repair] anthropic: 1 changes (unanswered-call)"],
    ])
  })

  it("say how they compacted and migrated", () => {
    const long = { messages: [{ role: "user", content: "secret ".repeat(900) }, ...torn.messages] }
    compact(settle(decode("anthropic", long)).conversation, { budget: 400, strategy: window() })
    migrate(torn, { from: "anthropic", to: "xml" })
    expect(lines.filter(([topic]) => topic !== "settle")).toEqual([
      ["compact", expect.stringMatching(/^\[compact\] window: \w+, \d+ -> \d+ tokens in \d+ items$/)],
      ["convert", "[migrate] anthropic -> xml: 1 calls, 0 results"],
    ])
  })

  it("say which messages of a session are left out, unless their caller wants to hear it", () => {
    const messages = [{ role: "user", content: "hi" }, ...torn.messages.slice(1, 2)]
    filterMessages(
      messages.map((message, index) => ({ uuid: String(index), parentUuid: index === 0 ? null : String(index - 1), ...message })),
    )
    dropUnansweredCalls(messages)
    skipOrphanResults([...messages.slice(0, 1), { role: "tool", tool_call_id: "x", content: "secret" }])
    truncateByFraction(
      Array.from({ length: 9 }, (_, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content: "x" })),
      0.5,
    )
    expect(lines).toEqual([
      ["session", "[filterMessages] Leaving out assistant message 1: 1 unanswered call(s): toolu_1 (entry 1)"],
      ["session", "[dropUnansweredCalls] Leaving out assistant message 1: 1 unanswered call(s): toolu_1"],
      ["session", "[skipOrphanResults] Skipping orphan result x in message 1 (no call before it)"],
      ["session", "[truncateByFraction] 4 of 9 messages go, 5 stay"],
    ])
    lines.length = 0
    const heard: string[] = []
    dropUnansweredCalls(messages, { debug: (what) => heard.push(what) })
    expect([heard.length, lines]).toEqual([1, []])
  })

  it("say what became of a conversation that was imported and opened again", async () => {
    const store = memoryStore()
    const open = { messages: torn.messages.slice(0, 2) }
    const { conversation } = await importInto(store, open, { format: "anthropic" })
    await resume(store, conversation, { profile: "anthropic" })
    expect(lines.filter(([topic]) => topic === "import" || topic === "resume")).toEqual([
      ["import", `[importInto] anthropic -> ${conversation}: new, 2 entries, 0 branches, 0 sub-agents`],
      ["resume", `[resume] ${conversation}: open-calls, open calls: toolu_1 interrupted`],
      ["resume", `[resume] ${conversation}: request for anthropic, 1 entries to append`],
    ])
  })

  it("never say what was said, and are silent when nobody listens", () => {
    convert(torn, { from: "anthropic", to: "gemini" })
    expect(lines.length).toBeGreaterThan(0)
    expect(JSON.stringify(lines)).not.toContain("secret")
    end()
    lines.length = 0
    settle(decode("anthropic", torn))
    expect(lines).toEqual([])
  })
})

describe("the setting DEBUG", () => {
  const program = `
    const { decode, settle } = await import("ligature")
    const { filterMessages } = await import("ligature/messages")
    settle(decode("anthropic", ${JSON.stringify(torn)}))
    filterMessages([{ role: "assistant", content: [{ type: "tool_use", id: "toolu_\\u001b[2J", name: "ls", input: {} }] }])
    console.log("done")`

  const run = (debug: string | undefined): { readonly stdout: string; readonly stderr: string } => {
    const { DEBUG: _, ...env } = process.env
    const set = { ...env, ...(debug !== undefined && { DEBUG: debug }) }
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: packageRoot,
      encoding: "utf8",
      env: set,
    })
    return { stdout, stderr }
  }

  it("is obeyed by the package as Node loads it, topic by topic", () => {
    const all = run("ligature:*")
    expect(all.stdout).toBe("done\n")
    expect(all.stderr).toContain("ligature:settle [settle] unanswered-call (synthetic) in message 1: toolu_1\n")
    expect(all.stderr).toContain("ligature:session [filterMessages] ")
    expect(all.stderr).not.toContain("\u001b")
    expect(run("ligature:session,-ligature:settle").stderr).not.toContain("ligature:settle")
    expect(run("ligature:session").stderr).toContain("ligature:session [filterMessages] Leaving out assistant message 0")
  })

  it("is not looked at by anybody else: other settings and none are silent", () => {
    for (const debug of [undefined, "", "express:*", "ligature"]) expect(run(debug)).toEqual({ stdout: "done\n", stderr: "" })
  })

  it("leaves the entry for browsers as it is: no module of Node is loaded there", () => {
    interface Conditions {
      readonly types: string
      readonly node: string
      readonly default: string
    }
    const { exports } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, Conditions>>
    }
    for (const name of [".", "./debug"]) {
      const seen = new Set<string>()
      const visit = (path: string): void => {
        if (seen.has(path)) return
        seen.add(path)
        const text = readFileSync(path, "utf8")
        for (const [, specifier = ""] of text.matchAll(/^(?:import|export)\b(?:[^"';]*\bfrom)?\s*["']([^"']+)["']/gm)) {
          expect([path, specifier.startsWith("node:")]).toEqual([path, false])
          if (specifier.startsWith(".")) visit(join(path, "..", specifier))
        }
      }
      visit(join(packageRoot, exports[name]?.default ?? ""))
      expect(seen.size).toBeGreaterThan(1)
    }
  })
})
