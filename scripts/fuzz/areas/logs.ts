/**
 * Logs of the stores, damaged in their bytes: they open, or say that they do not; what was acknowledged and lies undamaged in the
 * file is there, or the damage is named; and the next append loses nothing of what could be read.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { LigatureError } from "../../../packages/ligature/src/model/index.ts"
import type { NewEntry, Store } from "../../../packages/ligature/src/store/index.ts"
import { jsonlStore } from "../../../packages/ligature/src/store/jsonl/jsonl-store.ts"
import { sqliteStore } from "../../../packages/ligature/src/store/sqlite/index.ts"
import { Choices, generateHistory } from "../../../packages/ligature/src/testing/index.ts"
import { numbersFromSeed } from "../../../packages/ligature/src/testing/damage.ts"
import { type Area, bytesOf } from "../area.ts"
import { mutatedBytes } from "../mutate-bytes.ts"
import type { Random } from "../random.ts"
import { shrunkBytes } from "../shrink.ts"
import { type Failure, Trial } from "../trial.ts"

type Kind = "jsonl" | "sqlite"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const kinds: readonly [Kind, ...Kind[]] = major > 22 || (major === 22 && minor >= 13) ? ["jsonl", "jsonl", "sqlite"] : ["jsonl"]

const openIn = (kind: Kind, folder: string): Store =>
  kind === "jsonl" ? jsonlStore({ folder, durability: "none" }) : sqliteStore({ file: join(folder, "store.db") })

const conversation = "fuzzed"
const mark = (index: number): string => `acknowledged${String(index).padStart(4, "0")}entry`

/** Every entry carries a word of its own, by which its bytes are found in a file. */
const entriesOf = (random: Random): readonly (readonly NewEntry[])[] => {
  const { messages } = generateHistory(new Choices(numbersFromSeed(random.number(1000), 120)))
  return messages
    .slice(0, 8)
    .map((message, index) => [
      { kind: "message", message: { ...message, id: mark(index) } },
      ...(random.chance(5) ? [{ kind: "note", name: "label", value: mark(index) } as const] : []),
    ])
}

const filesBelow = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true })
      .map((name) => join(folder, String(name)))
      .filter((path) => statSync(path).isFile())
      .map((path) => [relative(folder, path), readFileSync(path).toString("base64")]),
  )

const inFolder = async <Value>(files: Readonly<Record<string, string>>, work: (folder: string) => Promise<Value>): Promise<Value> => {
  const folder = mkdtempSync(join(tmpdir(), "ligature-fuzz-"))
  try {
    for (const [name, bytes] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), bytesOf(bytes))
    }
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const made = (kind: Kind, random: Random): Promise<Readonly<Record<string, string>>> =>
  inFolder({}, async (folder) => {
    const store = openIn(kind, folder)
    await store.create({ id: conversation, title: "A conversation to be damaged" })
    for (const entries of entriesOf(random)) await store.append(conversation, entries)
    // Which branches a database has, an index says, and the engine does not notice where that is damaged.
    if (kind === "jsonl" && random.chance(4)) {
      const { entries } = await store.load(conversation)
      await store.moveTip(conversation, random.among(entries)?.id ?? null)
      await store.append(conversation, entriesOf(random)[0] ?? [])
    }
    await store.close()
    return filesBelow(folder)
  })

/** Marks of messages on the path and on any branch. */
const marksIn = async (store: Store): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  const paths = [await store.load(conversation)]
  for (const { tip } of await store.branches(conversation)) paths.push(await store.load(conversation, { at: tip }))
  for (const { entries } of paths) {
    for (const entry of entries) if (entry.kind === "message" && entry.message.id !== undefined) found.add(entry.message.id)
  }
  return found
}

const wordsIn = (text: string): readonly string[] => [...text.matchAll(/acknowledged\d{4}entry/g)].map(([word]) => word)

const textOf = (files: Readonly<Record<string, string>>): string =>
  Object.values(files)
    .map((bytes) => bytesOf(bytes).toString("latin1"))
    .join("\n")

/** Of a log of lines, marks whose whole line is as it was; of a database, those that are still in the file. */
const intactMarks = (kind: Kind, before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): readonly string[] => {
  if (kind === "sqlite") return wordsIn(textOf(after))
  const lines = new Set(textOf(after).split("\n"))
  return textOf(before)
    .split("\n")
    .flatMap((line) => (lines.has(line) ? wordsIn(line) : []))
}

const isAnswer = (error: unknown): boolean => LigatureError.is(error)

const tryLog = async (
  kind: Kind,
  before: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
): Promise<readonly Failure[]> =>
  inFolder(files, async (folder) => {
    const trial = new Trial(`${kind} store`)
    const store = openIn(kind, folder)
    await trial.later("list", () => store.list(), isAnswer)
    const loaded = await trial.later("load", () => store.load(conversation), isAnswer)
    const marks = loaded && (await trial.later("branches", () => marksIn(store), isAnswer))
    if (loaded && marks) {
      const lost = intactMarks(kind, before, files).filter((word) => !marks.has(word))
      if (lost.length > 0 && loaded.damage.length === 0) trial.fail("entries-kept", "lost without a word", lost.join(" "))
      let parent: string | null = null
      for (const entry of loaded.entries) {
        if (entry.parent !== parent) trial.fail("path-linked", entry.kind)
        parent = entry.id
      }
    }
    const message = { role: "user", blocks: [{ type: "text", text: "and on" }], id: "appended" } as const
    const appended = await trial.later("append", () => store.append(conversation, [{ kind: "message", message }]), isAnswer)
    await trial.later("close", () => store.close(), isAnswer)
    if (appended && marks) {
      const again = openIn(kind, folder)
      const reread = await trial.later(
        "load again",
        () => again.load(conversation),
        () => false,
      )
      const kept =
        reread &&
        (await trial.later(
          "branches again",
          () => marksIn(again),
          () => false,
        ))
      if (kept && !kept.has("appended")) trial.fail("append-kept", "the new entry is gone")
      const gone = kept ? [...marks].filter((word) => !kept.has(word)) : []
      if (gone.length > 0) trial.fail("append-kept", "entries are gone after an append", gone.join(" "))
      await again.close()
    }
    return trial.failures
  })

export const logs: Area = {
  name: "logs",
  weight: 3,
  draw: async (random) => {
    const kind = random.one(kinds)
    const before = await made(kind, random)
    const names = Object.keys(before)
    const target = random.chance(5) ? random.among(names) : names.find((name) => /\.(?:jsonl|db)$/.test(name))
    const damaged = mutatedBytes(bytesOf(before[target ?? ""]), random)
    return { area: "logs", kind, before, files: { ...before, [target ?? ""]: damaged.toString("base64") }, target }
  },
  check: ({ kind, before, files }) =>
    tryLog(kind as Kind, before as Readonly<Record<string, string>>, files as Readonly<Record<string, string>>),
  shrink: async (subject, stillFails) => {
    const target = String(subject["target"])
    const files = subject["files"] as Readonly<Record<string, string>>
    const withBytes = (bytes: Buffer): typeof subject => ({ ...subject, files: { ...files, [target]: bytes.toString("base64") } })
    const small = await shrunkBytes(bytesOf(files[target]), (bytes) => stillFails(withBytes(bytes)), 150)
    return { ...withBytes(small), text: small.toString("utf8") }
  },
}
