/** Long files, read in stretches: the same findings as in the whole, in any cut. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { check, decode } from "../../src/convert/index.ts"
import { type Document, openDocument } from "../../src/document/index.ts"
import { recordWindows } from "../../src/files/record-windows.ts"

const written = (text: string | Uint8Array): string => {
  const folder = mkdtempSync(join(tmpdir(), "ligature-windows-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, "session.jsonl")
  writeFileSync(path, text)
  return path
}

const findingsOf = (document: Document): readonly string[] =>
  document.parts.flatMap((part) =>
    check(decode(part.format, part.value, part.lines ? { lines: part.lines } : {}))
      .filter(({ severity }) => severity !== "info")
      .map(({ rule, place, ids }) => `${rule} ${place.line ?? ""} ${ids.join(" ")}`),
  )

const inStretches = async (
  path: string,
  bytes: number,
): Promise<{ readonly stretches: readonly Document[]; readonly findings: readonly string[] }> => {
  const stretches: Document[] = []
  const findings: string[] = []
  for await (const document of recordWindows(path, { bytes })) {
    stretches.push(document)
    findings.push(...findingsOf(document))
  }
  return { stretches, findings }
}

const turn = (number: number, answered = true): readonly unknown[] => {
  const base = { isSidechain: false, sessionId: "s", cwd: "/p", version: "2.1.0", timestamp: "2026-01-01T00:00:00.000Z" }
  const id = (what: string): string => `${what}-${number}`
  const use = { type: "tool_use", id: id("toolu"), name: "Bash", input: { command: "ls" } }
  return [
    {
      ...base,
      type: "user",
      uuid: id("u"),
      parentUuid: number === 0 ? null : id("r").replace(/\d+$/, String(number - 1)),
      message: { role: "user", content: `Step ${number}` },
    },
    { ...base, type: "assistant", uuid: id("a"), parentUuid: id("u"), message: { id: id("msg"), role: "assistant", content: [use] } },
    ...(answered
      ? [
          {
            ...base,
            type: "user",
            uuid: id("r"),
            parentUuid: id("a"),
            message: { role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: "ok ".repeat(50) }] },
          },
        ]
      : []),
  ]
}

const lines = (records: readonly unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("")

describe("recordWindows", () => {
  const session = lines(Array.from({ length: 40 }, (_, number) => turn(number, number !== 17)).flat())

  it("cuts a session where a user's word starts, and finds what the whole has", async () => {
    const path = written(session)
    const whole = findingsOf(openDocument(session))
    expect(whole).toEqual(["unanswered-call 53 toolu-17", "dangling-parent 54 u-18 r-17"])
    for (const bytes of [1, 500, 3000, 1_000_000]) {
      const { stretches, findings } = await inStretches(path, bytes)
      expect(findings).toEqual(whole)
      const records = stretches.flatMap(({ parts }) => parts.flatMap(({ lines: numbers }) => numbers ?? []))
      expect(records).toEqual(Array.from({ length: 119 }, (_, index) => index + 1))
      if (bytes === 500) expect(stretches.length).toBeGreaterThan(10)
    }
  })

  it("salvages torn, glued and foreign lines, and names each by its line in the file", async () => {
    const text = session.split("\n")
    text[10] = `${text[10]?.slice(0, 60)}`
    text[20] = `${text[20]}${text[21]}`
    text.splice(21, 1)
    text[30] = "\u0000\u0000\u0000"
    const path = written(`\ufeff${text.join("\r\n")}`)
    const { stretches } = await inStretches(path, 800)
    const problems = stretches.flatMap((document) => document.problems.map(({ kind, line }) => `${kind} ${line ?? ""}`))
    expect(problems).toEqual(["bom 1", "torn-line 11", "glued-lines 21", "nul 31"])
  })

  it("reads bytes that are no UTF-8 and says where", async () => {
    const bytes = Buffer.from(session)
    bytes[bytes.indexOf("Step 3") + 2] = 0xff
    const { stretches } = await inStretches(written(bytes), 2000)
    const problems = stretches.flatMap((document) => document.problems)
    expect(problems.map(({ kind, line }) => [kind, line])).toEqual([["invalid-utf8", 10]])
  })

  it("reads a line that is longer than any buffer", async () => {
    const long = { ...(turn(0)[0] as object), message: { role: "user", content: "x".repeat(3 << 20) } }
    const { stretches } = await inStretches(written(lines([long, ...turn(1)])), 100)
    const messages = stretches.flatMap(({ parts }) => parts.flatMap((part) => decode(part.format, part.value).messages))
    expect(messages.map(({ role }) => role)).toEqual(["user", "user", "assistant", "user"])
  })
})

const corpus = process.env["LIGATURE_CORPUS"]
if (corpus === undefined) console.log("corpus: skipped, LIGATURE_CORPUS is not set")

describe.skipIf(corpus === undefined)("real sessions", () => {
  const folders = ["claude-code", "codex-rollout", "pi", "copilot-cli"]
  for (const folder of corpus === undefined ? [] : folders) {
    it(`of ${folder} show the same damage in stretches as in the whole`, async () => {
      for (const file of readdirSync(join(corpus ?? "", folder))) {
        const path = join(corpus ?? "", folder, file)
        const whole = [...findingsOf(openDocument(readFileSync(path)))].sort()
        const { findings } = await inStretches(path, 20_000)
        expect([...findings].sort(), file).toEqual(whole)
      }
    })
  }
})
