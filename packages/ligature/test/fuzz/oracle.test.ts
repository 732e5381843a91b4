/** The fuzzer itself: an oracle that finds nothing is worth nothing. */
import { Buffer } from "node:buffer"
import { describe, expect, it } from "vitest"
import { missingWords } from "../../../../scripts/fuzz/accounting.ts"
import { readAsBefore } from "../../../../scripts/fuzz/areas/file-properties.ts"
import { tryValue } from "../../../../scripts/fuzz/areas/value-properties.ts"
import { frozen } from "../../../../scripts/fuzz/json-tree.ts"
import { mutatedBytes } from "../../../../scripts/fuzz/mutate-bytes.ts"
import { mutatedJson, vocabularyOf } from "../../../../scripts/fuzz/mutate-json.ts"
import { Random } from "../../../../scripts/fuzz/random.ts"
import { shrunkBytes, shrunkJson } from "../../../../scripts/fuzz/shrink.ts"
import { Trial } from "../../../../scripts/fuzz/trial.ts"
import { type DocumentPart, openDocument } from "../../src/document/index.ts"

describe("the account of words", () => {
  it("misses what is in neither output nor report, as often as it was", () => {
    const before = { messages: [{ text: "unmistakable word" }, { text: "unmistakable" }] }
    expect(missingWords(before, before, [])).toEqual([])
    expect(missingWords(before, { text: "unmistakable" }, [])).toEqual([{ word: "unmistakable", place: "messages.[].text" }])
    expect(missingWords(before, { text: "unmistakable" }, [{ original: "unmistakable" }])).toEqual([])
  })

  it("takes the tag of an answer for one, and any other word in its place for content", () => {
    expect(missingWords([{ object: "chat.completion" }], [], [])).toEqual([])
    expect(missingWords([{ object: "unmistakable" }], [], [])).toEqual([{ word: "unmistakable", place: "root.[].object" }])
  })

  it("finds a word that was escaped or moved, and asks for no ids, keys and tags", () => {
    const before = { unmistakableKey: "\nunmistakable", role: "unmistakableRole", tool_use_id: "unmistakableId" }
    expect(missingWords(before, { text: JSON.stringify({ inner: "\nunmistakable" }) }, [])).toEqual([])
  })
})

describe("mutations", () => {
  const value = {
    messages: [
      { role: "user", content: [{ type: "text", text: "hello there" }] },
      { role: "assistant", content: "yes" },
    ],
  }

  it("are the same for the same seed and leave their input alone", () => {
    const vocabulary = vocabularyOf([value])
    const before = JSON.stringify(frozen(value))
    const made = (seed: number): string => JSON.stringify(mutatedJson(value, new Random(seed), vocabulary)) ?? ""
    for (let seed = 0; seed < 200; seed++) expect(made(seed)).toBe(made(seed))
    expect(new Set(Array.from({ length: 200 }, (_, seed) => made(seed))).size).toBeGreaterThan(150)
    expect(JSON.stringify(value)).toBe(before)
    const bytes = (seed: number): string => mutatedBytes(Buffer.from(before), new Random(seed)).toString("hex")
    expect(bytes(7)).toBe(bytes(7))
  })
})

describe("shrinking", () => {
  it("leaves what shows the failure and little else", async () => {
    const value = { a: [1, 2, { deep: ["needle in here", "hay"] }, 4], b: "hay".repeat(50) }
    const small = await shrunkJson(value, async (candidate) => (JSON.stringify(candidate) ?? "").includes("needle"))
    expect(JSON.stringify(small).length).toBeLessThan(30)
    const bytes = await shrunkBytes(Buffer.from(`${"hay".repeat(40)}needle${"hay".repeat(40)}`), async (candidate) =>
      candidate.includes("needle"),
    )
    expect(bytes.toString()).toBe("needle")
  })
})

describe("trials", () => {
  it("name what threw, and tell a changed input from other errors", () => {
    const trial = new Trial("some-format")
    trial.step("step", () => {
      throw new RangeError("too deep at 17")
    })
    trial.step("step", () => {
      const list: number[] = frozen([1])
      list.push(2)
    })
    expect(trial.failures.map(({ property, detail }) => [property, detail])).toEqual([
      ["never-throws", expect.stringMatching(/^step: RangeError: too deep at #/)],
      ["input-untouched", expect.stringMatching(/^step: TypeError: Cannot add property/)],
    ])
  })

  it("find nothing wrong with a healthy history", () => {
    const messages = [
      { role: "user", content: "hello" },
      { role: "assistant", content: "What can I do for you?" },
      { role: "user", content: "Nothing." },
    ]
    expect(tryValue("openai-chat", { messages }, { profiles: ["openai-chat", "mistral"], targets: ["anthropic", "pi"] })).toEqual([])
  })

  it("take a call whose name and arguments were cut through a character for the same call", () => {
    const value = [{ parts: [{ functionCall: { name: "l\ud83ds", args: { path: "\udc4d" } } }] }]
    expect(tryValue("gemini", value, { profiles: ["gemini"], targets: [] })).toEqual([])
  })
})

describe("calls of another branch", () => {
  it("are not new where a session goes on from there", () => {
    const first = { uuid: "5c69972e-7b95-86f1-ae15-294d186807a8", role: "assistant", type: "message" }
    const call = { role: "assistant", content: [{ type: "tool_use" }], type: "message" }
    const tip = { parentUuid: first.uuid, role: "tool", type: "message" }
    expect(tryValue("neovate", [first, call, tip], { profiles: [], targets: ["neovate"] })).toEqual([])
  })
})

describe("a call with half a character in its name and its arguments", () => {
  it("is the same call when both are repaired", () => {
    const call = { name: "\ud83d", args: { id: "\ud800" } }
    expect(tryValue("gemini-cli", { id: "", type: "gemini", toolCalls: [call] }, { profiles: [], targets: [] })).toEqual([])
  })
})

describe("a repaired file", () => {
  const part = (format: DocumentPart["format"], certainty: DocumentPart["certainty"]): DocumentPart => ({
    ...(openDocument('[{"role":"user","content":"hello"}]').parts[0] as DocumentPart),
    format,
    certainty,
  })

  it("is read as the format that was guessed before, and as another one where that was certain", () => {
    const after = { ...openDocument("[]"), parts: [part("anthropic", "certain")] }
    expect(readAsBefore([part("openai-chat", "likely")], after).parts.map(({ format }) => format)).toEqual(["openai-chat"])
    expect(readAsBefore([part("openai-chat", "certain")], after).parts.map(({ format }) => format)).toEqual(["anthropic"])
  })
})
