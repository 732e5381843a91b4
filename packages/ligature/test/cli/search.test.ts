/** `ligature search`: a text in the sessions of all agents. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import "../../src/registry/sessions.ts"
import { fileValueOf, resolveCodec, type SessionCodec } from "../../src/convert/index.ts"
import { assistant, call, result, tool, transcript, user } from "../../src/model/index.ts"
import { settle } from "../../src/rules/index.ts"
import { cli, folder } from "./cli.ts"

const sessionText = (format: string, text: string): string => {
  const { conversation } = settle(
    transcript(
      user(`Look into ${format}`),
      assistant("I will look.", call("call_1", "bash", { command: "make" })),
      tool(result("call_1", text)),
      assistant("Done."),
    ),
  )
  const codec = resolveCodec(format) as SessionCodec
  return (fileValueOf(codec, codec.encode(conversation)) as readonly unknown[]).map((line) => `${JSON.stringify(line)}\n`).join("")
}

const homeWith = (files: Readonly<Record<string, string>>): string => {
  const home = folder()
  let day = 1
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    utimesSync(path, new Date(2026, 0, day), new Date(2026, 0, day++))
  }
  return home
}

const search = (home: string, ...words: readonly string[]) =>
  cli(["search", ...words], { cwd: home, env: { HOME: home, LIGATURE_CACHE: "off" } })

const claude = ".claude/projects/-app/0b5a2a34-1111-4222-8333-444455556666.jsonl"
const codex = ".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-1c5a2a34-1111-4222-8333-444455556666.jsonl"

describe("ligature search", () => {
  it("finds a text in the sessions of several agents, the newest first, each with a handle that recall reads", async () => {
    const home = homeWith({
      [claude]: sessionText("claude-code", "first\nFlux Capacitor"),
      [codex]: sessionText("codex-rollout", "the flux capacitor"),
    })
    const { code, stdout } = await search(home, "flux", "capacitor", "--json")
    expect(code).toBe(0)
    const { sessions } = JSON.parse(stdout) as {
      readonly sessions: readonly { readonly agent: string; readonly file: string; readonly matches: readonly string[] }[]
    }
    expect(sessions.map(({ agent }) => agent)).toEqual(["Codex CLI", "Claude Code"])
    const [handle = ""] = sessions[1]?.matches[0]?.split(" ") ?? []
    const recalled = await cli(["recall", sessions[1]?.file ?? "", handle], { cwd: home, env: { HOME: home } })
    expect(recalled.stdout).toContain("Flux Capacitor")
  })

  it("finds what the file writes with escapes", async () => {
    const home = homeWith({ [claude]: sessionText("claude-code", 'say "schön"\tnow').replace("schön", String.raw`sch\u00f6n`) })
    expect((await search(home, 'say "schön"\tnow')).code).toBe(0)
    expect((await search(home, "ö")).code).toBe(0)
  })

  it("finds a text that lies across two reads of a long file", async () => {
    const { length } = sessionText("claude-code", "")
    const home = homeWith({ [claude]: sessionText("claude-code", `${"x".repeat((4 << 20) - length - 5)}needle${"y".repeat(5 << 20)}`) })
    expect((await search(home, "needle")).code).toBe(0)
    expect((await search(home, "noodle")).code).toBe(1)
  })

  it("goes on after a file that cannot be read, and says so", async () => {
    const home = homeWith({ [claude]: sessionText("claude-code", "needle"), [codex]: "needle\u0000{{{" })
    const { code, stdout } = await search(home, "needle")
    expect(code).toBe(0)
    expect(stdout).toContain("ligature recall")
  })

  it("stops at the limit, and says how many files it did not look at", async () => {
    const home = homeWith({ [claude]: sessionText("claude-code", "needle"), [codex]: sessionText("codex-rollout", "needle") })
    const { stdout, stderr } = await search(home, "needle", "--limit", "1")
    expect(stdout.match(/ligature recall/g)).toHaveLength(1)
    expect(stderr).toContain("1 older file")
  })

  it("looks only at what the filters and folders allow", async () => {
    const home = homeWith({ [claude]: sessionText("claude-code", "needle"), "elsewhere/log.jsonl": sessionText("pi", "needle") })
    expect((await search(home, "needle", "--agent", "codex")).code).toBe(1)
    const { stdout } = await search(home, "needle", "--in", "elsewhere")
    expect(stdout).toContain("elsewhere/log.jsonl")
    expect(stdout).not.toContain("Claude Code")
  })

  it("needs a text", async () => {
    expect((await search(folder())).stderr).toContain("search needs a text")
  })
})
