/** Long files, abridged: whatever is made of the abridged file is, with everything put back, what is made of the whole one. */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { convert, findCodec, isSessionCodec, repair } from "../../src/convert/index.ts"
import { type DocumentPart, openDocument } from "../../src/document/index.ts"
import { AbridgedFile, restored } from "../../src/files/abridged/abridged-file.ts"
import { fileText } from "../../src/cli/output/file-text.ts"
import { cli } from "../cli/cli.ts"
import { imageHead } from "../../src/cli/input/image-head.ts"
import { isOfLines } from "../../src/json/split-values.ts"

const corpora = [process.env["LIGATURE_CORPUS"], process.env["LIGATURE_CORPUS_NEW"]].filter((path) => path !== undefined)

/** Far below what is used, so that nearly every text has a mark. */
const tiny = { longest: 1_000, head: 210, tail: 32, base64Head: imageHead }

const targets = ["claude-code", "codex-rollout", "pi", "anthropic", "openai-chat", "openai-responses", "gemini"]

/** Everything that is written of a file: repaired, and converted into other formats. Errors count as results. */
const results = (bytes: Uint8Array | string): ReadonlyMap<string, string> => {
  const written = new Map<string, string>()
  const attempt = (name: string, make: () => string): void => {
    try {
      written.set(name, make())
    } catch (error) {
      written.set(name, `error: ${String(error).slice(0, 60)}`)
    }
  }
  const document = openDocument(bytes)
  attempt("repair", () => {
    const replacements = new Map<DocumentPart, unknown>()
    for (const part of document.parts) {
      const { value, report } = repair(part.value, { from: part.format })
      if (report.entries.length > 0) replacements.set(part, value)
    }
    return document.rebuild(replacements)
  })
  for (const to of targets) {
    document.parts.slice(0, 3).forEach((part, index) => {
      attempt(`${to} ${index}`, () => {
        const codec = findCodec(to)
        const { value } = convert(part.value, { from: part.format, to: to as "anthropic" })
        return fileText(value, codec !== undefined && isSessionCodec(codec) ? codec : undefined)
      })
    })
  }
  return written
}

const whole = (file: AbridgedFile, content: string): string => Buffer.concat([...restored(content, [file])]).toString("utf8")

/** Where two texts part, with a little around it. */
const difference = (one: string, other: string): string => {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return `…${one.slice(Math.max(0, at - 100), at + 100)}… and …${other.slice(Math.max(0, at - 100), at + 100)}…`
}

const expectSame = async (path: string): Promise<Uint8Array> => {
  const { file, bytes } = await AbridgedFile.read(path, tiny)
  const wanted = results(readFileSync(path))
  const abridged = results(bytes)
  expect([...abridged.keys()]).toEqual([...wanted.keys()])
  const different: string[] = []
  for (const [name, text] of wanted) {
    const again = whole(file, abridged.get(name) ?? "")
    if (again !== text) different.push(`${name}: ${difference(text, again)}`)
  }
  expect(different).toEqual([])
  return bytes
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesBelow(path)
    return isOfLines(readFileSync(path, "utf8").slice(0, 1 << 20)) && statSync(path).size < 3_000_000 ? [path] : []
  })

const written = (text: string | Uint8Array): string => {
  const folder = mkdtempSync(join(tmpdir(), "ligature-abridged-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, "session.jsonl")
  writeFileSync(path, text)
  return path
}

/** What strings may have in them, wherever they are cut. */
const pieces = [
  "plain words and more of them ",
  '"quoted" \\ back\\\\slashed ',
  "\n\t\b",
  "测试文本",
  "😀🧪",
  "\u001b[31mred\u001b[0m",
  "\u2028",
  "{lig~",
  "LiG0",
  " ",
  "\u007f",
]

const png = `iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9${"AAAA".repeat(600)}`

class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (this.#state >> 8) % limit
  }

  text(longest: number): string {
    const length = this.below(longest)
    let text = this.below(9) === 0 ? " \n" : ""
    while (text.length < length) text += pieces[this.below(pieces.length)] ?? ""
    return text
  }

  /** Text, JSON in a text, or base64. */
  content(): string {
    const kind = this.below(8)
    if (kind === 0)
      return JSON.stringify({ output: this.text(3_000), metadata: { exit_code: 0, inner: JSON.stringify({ deep: this.text(2_500) }) } })
    if (kind === 1) return `{"cut": "${this.text(2_000)}`
    if (kind === 2) return Buffer.from(this.text(2_400)).toString("base64")
    if (kind === 3) return " \n".repeat(700)
    return this.text(4_000)
  }
}

/** A session with damage of its own: calls without results, results without calls, blank texts, a parent that is gone. */
const session = (seed: number): string => {
  const dice = new Dice(seed)
  const base = { isSidechain: false, cwd: "/p", sessionId: "s", version: "2.1.0", timestamp: "2026-01-01T00:00:00.000Z" }
  let parentUuid: string | null = null
  let count = 0
  const lines: string[] = []
  const put = (fields: object): void => {
    const uuid = `00000000-0000-4000-8000-${String(count++).padStart(12, "0")}`
    const line = JSON.stringify({ parentUuid: dice.below(30) === 0 ? "gone" : parentUuid, ...base, ...fields, uuid })
    lines.push(dice.below(40) === 0 ? line.slice(0, 1_500) : dice.below(20) === 0 ? line.replaceAll("测", "\\u6d4b") : line)
    parentUuid = uuid
  }
  for (let turn = 0; turn < 6; turn++) {
    put({ type: "user", message: { role: "user", content: dice.content() } })
    for (let step = 0; step < 3; step++) {
      const id = `toolu_${dice.below(25)}`
      const said = { type: "text", text: dice.below(3) === 0 ? "  " : dice.content() }
      const thinking = { type: "thinking", thinking: dice.text(1_500), signature: Buffer.from(dice.text(1_500)).toString("base64") }
      const call = { type: "tool_use", id, name: "Bash", input: { command: dice.content() } }
      put({
        type: "assistant",
        message: { id: `msg_${count}`, role: "assistant", content: dice.below(4) === 0 ? [call] : [thinking, said, call] },
      })
      if (dice.below(6) === 0) continue
      const image = { type: "image", source: { type: "base64", media_type: dice.below(2) === 0 ? "image/png" : "image/jpeg", data: png } }
      const content = dice.below(5) === 0 ? [image] : dice.content()
      const result = { type: "tool_result", tool_use_id: dice.below(12) === 0 ? "toolu_none" : id, content }
      put({ type: "user", message: { role: "user", content: [result] }, toolUseResult: { stdout: content } })
    }
  }
  return `${lines.join("\n")}${seed % 2 === 0 ? "\n" : ""}`
}

describe("an abridged file", () => {
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
    it(`gives what the whole one gives, repaired and converted (${seed})`, async () => {
      const text = session(seed)
      const bytes = await expectSame(written(text))
      expect(bytes.length).toBeLessThan(Buffer.byteLength(text) * 0.7)
      expect(bytes.filter((byte) => byte === 10).length).toBe([...text].filter((letter) => letter === "\n").length)
    })
  }

  it("is the file itself again when nothing was changed, whatever its bytes are", async () => {
    const odd = [session(20), '\n\n{"a":"\\/', "x".repeat(3_000), '"}\n', '{"b":"', "\\ud800".repeat(800), '"}\r\n'].join("")
    for (const content of [odd, `${odd}\u0000\n`, "", "\n", "{}"]) {
      const { bytes, file } = await AbridgedFile.read(written(content), tiny)
      expect(whole(file, Buffer.from(bytes).toString())).toBe(content)
    }
    const invalid = Buffer.concat([Buffer.from(odd), Buffer.from([0xff, 0xfe]), Buffer.from("y".repeat(2_000)), Buffer.from([0, 0, 10])])
    const { bytes, file } = await AbridgedFile.read(written(invalid), tiny)
    expect(Buffer.concat([...file.whole()]).equals(invalid)).toBe(true)
    expect(Buffer.from(bytes).includes(Buffer.from([0xff, 0xfe]))).toBe(true)
  })

  it("puts texts back at whatever depth they were written", async () => {
    const long = `say "${"a\\b\n".repeat(500)}"`
    const { bytes, file } = await AbridgedFile.read(written(`${JSON.stringify({ long, inner: JSON.stringify({ long }) })}\n`), tiny)
    const value = JSON.parse(Buffer.from(bytes).toString()) as { readonly long: string; readonly inner: string }
    const deeper = JSON.stringify({
      one: value.long,
      two: JSON.stringify(value),
      three: (JSON.parse(value.inner) as { long: string }).long,
    })
    const inner = JSON.stringify({ long })
    expect(whole(file, deeper)).toBe(JSON.stringify({ one: long, two: JSON.stringify({ long, inner }), three: long }))
    expect(whole(file, value.long)).toBe(long)
  })

  it("refuses to write a text whose mark was changed", async () => {
    const { bytes, file } = await AbridgedFile.read(written(`${JSON.stringify({ long: "word ".repeat(900) })}\n`), tiny)
    const text = Buffer.from(bytes).toString()
    expect(() => whole(file, text.replace('~\\"', "~&quot;"))).toThrow("could not be put back")
  })

  it("notices that the file was cut while it was read", async () => {
    const path = written(`${JSON.stringify({ long: "word ".repeat(900) })}\n`)
    const { bytes, file } = await AbridgedFile.read(path, tiny)
    writeFileSync(path, "{}\n")
    expect(() => whole(file, Buffer.from(bytes).toString())).toThrow("changed while it was read")
  })
})

describe("a session of 40 MB", () => {
  const long = (): { readonly cwd: string; readonly path: string } => {
    const path = written("")
    for (let seed = 100, bytes = 0; bytes < 36_000_000; seed++) {
      const text = session(seed).replaceAll("00000000-0000", `00000000-${String(seed).slice(-4).padStart(4, "0")}`)
      const filled = text.replaceAll(
        '"toolUseResult":{',
        `"toolUseResult":{"file":${JSON.stringify("of many words and lines\n".repeat(4_000))},`,
      )
      const lines = filled.endsWith("\n") ? filled : `${filled}\n`
      bytes += Buffer.byteLength(lines)
      appendFileSync(path, lines)
    }
    return { cwd: join(path, ".."), path }
  }

  it("is repaired and converted by the command line as if it were short", { timeout: 120_000 }, async () => {
    const { cwd, path } = long()
    const wanted = results(readFileSync(path))
    expect((await cli(["repair", "session.jsonl", "-o", "repaired.jsonl", "--report", "report.json"], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, "repaired.jsonl"), "utf8") === wanted.get("repair")).toBe(true)
    expect(readFileSync(join(cwd, "report.json"), "utf8")).not.toMatch(/\{lig~\\*"[a-p]{12}/)
    expect((await cli(["convert", "session.jsonl", "--to", "codex", "-o", "codex.jsonl"], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, "codex.jsonl"), "utf8") === wanted.get("codex-rollout 0")).toBe(true)
    expect((await cli(["repair", "session.jsonl", "--in-place"], { cwd })).code).toBe(0)
    expect(readFileSync(path, "utf8") === wanted.get("repair")).toBe(true)
    const again = await cli(["repair", "session.jsonl", "--in-place"], { cwd })
    expect(again.stderr).toContain("no changes needed")
  })
})

describe.skipIf(corpora.length === 0)("files of lines of the corpus", () => {
  for (const path of corpora.flatMap((corpus) => filesBelow(corpus))) {
    it(`${path.slice(-60)} gives the same abridged`, async () => {
      await expectSame(path)
    })
  }
})
