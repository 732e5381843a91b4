/**
 * Bytes of a log that changed inside of an entry, so that the line is JSON and the entry is none: the rest is used, and
 * the conversation can be opened, settled and sent.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { encode } from "../../src/convert/index.ts"
import { settle, resolveProfile } from "../../src/rules/index.ts"
import { assistant, call, isWire, result, text, user } from "../../src/model/index.ts"
import { cover, jsonlStore, type Loaded, type NewEntry, type Store } from "../../src/store/index.ts"
import { recoveryPlan } from "../../src/store/recovery.ts"
import { wordsOf } from "./conformance.ts"

let folder = ""
let lines: readonly string[] = []
const logPath = (): string => join(folder, "c.jsonl")
const openStore = (): Store => jsonlStore({ folder, now: () => 1_000 })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ligature-changed-"))
  const store = openStore()
  const write = (...entries: readonly NewEntry[]) => store.append("c", entries)
  await store.create({ id: "c" })
  await write({ kind: "message", id: "u1", message: user("hi") })
  const thinking = { type: "thinking", text: "hm", signature: "s" } as const
  const image = { type: "media", kind: "image", source: { type: "base64", data: "aa" } } as const
  const opaque = { type: "opaque", kind: "server", text: "", native: { anthropic: { type: "server" } } } as const
  const calls = [call("1", "ls", { path: "." }), call("2", "cat", { path: "a" })]
  await write({ kind: "message", id: "a1", message: { role: "assistant", blocks: [thinking, text("ok"), ...calls, image, opaque] } })
  await write({ kind: "result", id: "r2", result: result("2", "two") }, { kind: "result", id: "r1", result: result("1", "one") })
  await write({ kind: "note", id: "n1", name: "iteration", value: { usage: {} } }, { kind: "rename", id: "t", title: "T" })
  await write({ kind: "message", id: "a2", message: assistant("fine") }, { kind: "message", id: "u2", message: user("next") })
  const { entries } = await store.load("c")
  await write({ kind: "summary", id: "s1", message: user("sum"), covers: cover(entries.slice(0, 4)) })
  await write({ kind: "hide", id: "h1", covers: cover(entries.slice(5, 6)) })
  await write({ kind: "tip", id: "m1", to: "u2" }, { kind: "message", id: "u3", message: user("again") })
  await store.close()
  lines = readFileSync(logPath(), "utf8").trimEnd().split("\n")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Opens the log with these lines, and does with it what an agent would. */
const open = async (changed: readonly string[]): Promise<Loaded> => {
  writeFileSync(logPath(), `${changed.join("\n")}\n`)
  const store = openStore()
  try {
    const loaded = await store.load("c")
    recoveryPlan(loaded)
    const { conversation } = settle(loaded.transcript)
    for (const profile of ["anthropic", "openai-chat", "openai-responses", "gemini"]) encode(conversation, resolveProfile(profile))
    await store.branches("c")
    await store.append("c", [{ kind: "message", message: user("go on") }], { expectedTip: loaded.tip })
    return loaded
  } finally {
    await store.close()
  }
}

const change = (search: string, replacement: string): readonly string[] => {
  const changed = lines.map((line) => line.replace(search, replacement))
  expect(changed).not.toEqual(lines)
  return changed
}

describe("an entry that was changed on the disk", () => {
  it("loses the block that cannot be read, and keeps the others", async () => {
    const { entries, damage } = await open(change('"text":"ok"', '"tent":"ok"'))
    const message = entries.find(({ id }) => id === "a1")
    const types = message?.kind === "message" ? message.message.blocks.map(({ type }) => type) : []
    expect(types).toEqual(["thinking", "opaque", "call", "call", "media", "opaque"])
    expect(damage.map(({ rule }) => rule)).toEqual(["changed-line"])
  })

  it("stays on the path as a note where nothing of it can be read", async () => {
    const whole = '"message":{"role":"user","blocks":[{"type":"text","text":"next"'
    const loaded = await open(change(whole, whole.replace("message", "mess")))
    expect(wordsOf(loaded.entries)).toEqual(["hi", "ok", "two", "one", "note", "fine", "note", "again"])
    expect(recoveryPlan(loaded)).toMatchObject({ state: "damaged", confirm: true })
  })

  it("never keeps a conversation from being opened, whichever value changed into what", { timeout: 120_000 }, async () => {
    const others: readonly unknown[] = [null, 0, "", [null], {}, undefined]
    let tries = 0
    for (const [number, line] of lines.entries()) {
      if (number === 0) continue
      const paths: (readonly string[])[] = []
      const walk = (value: unknown, path: readonly string[]): void => {
        if (typeof value !== "object" || value === null) return
        for (const [name, inner] of Object.entries(value)) {
          paths.push([...path, name])
          walk(inner, [...path, name])
        }
      }
      walk(JSON.parse(line), [])
      for (const [index, path] of paths.entries()) {
        const value: unknown = JSON.parse(line)
        const last = path.at(-1) ?? ""
        let target = value as Record<string, unknown>
        for (const name of path.slice(0, -1)) if (typeof target[name] === "object") target = target[name] as Record<string, unknown>
        const other = others[(index + number) % others.length]
        if (other === undefined && isWire(target)) Reflect.deleteProperty(target, last)
        else target[last] = other
        await open([...lines.slice(0, number), JSON.stringify(value), ...lines.slice(number + 1)])
        tries++
      }
    }
    expect(tries).toBeGreaterThan(150)
  })
})
