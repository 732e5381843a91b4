/**
 * Every front door refuses names and values of options that do not exist, and lists those that do: an ignored option is found by
 * nobody. The compiler refuses them too (types.test.ts).
 */
import { describe, expect, it } from "vitest"
import { createRecorder } from "../src/record/index.ts"
import { anthropicModel, resume, run } from "../src/agent/index.ts"
import { compact, compactor } from "../src/compact/index.ts"
import {
  check,
  convert,
  convertSettings,
  convertText,
  decode,
  encode,
  fit,
  LigatureError,
  migrate,
  openDocument,
  type Profile,
  profiles,
  repair,
  settle,
} from "../src/index.ts"
import { memoryStore } from "../src/store/index.ts"

const request = { messages: [{ role: "user", content: "Hello" }] }
const transcript = decode("anthropic", request)
const { conversation } = settle(transcript)
const store = memoryStore()

/** Each front door with its options, and a word that one of them takes a list of. */
const doors: Readonly<Record<string, (options: object) => unknown>> = {
  check: (options) => check(transcript, options),
  settle: (options) => settle(transcript, options),
  fit: (options) => fit(conversation, profiles["openai-chat"] as Profile, options),
  decode: (options) => decode("anthropic", request, options),
  encode: (options) => encode(conversation, "openai-chat", options),
  convert: (options) => convert(request, { from: "anthropic", to: "openai-chat", ...options }),
  convertText: (options) => convertText(JSON.stringify(request), { from: "anthropic", to: "openai-chat", ...options }),
  convertSettings: (options) => convertSettings(request, { from: "anthropic", to: "openai-chat", ...options }),
  repair: (options) => repair(request, { from: "anthropic", ...options }),
  migrate: (options) => migrate(request, { from: "anthropic", to: "xml", ...options }),
  openDocument: (options) => openDocument(JSON.stringify(request), options),
  compact: (options) => compact(conversation, { budget: { tokens: 1000 }, ...options }),
  compactor: (options) => compactor({ store, ...options }).hook(),
  createRecorder: (options) => createRecorder("anthropic", options),
  resume: (options) => resume(store, "a", { profile: "anthropic", ...options }),
  run: (options) =>
    run({ model: anthropicModel({ model: "m", key: "k", baseUrl: "http://127.0.0.1:9" }), store, prompt: "Hello", ...options }),
}

const errorOf = async (call: () => unknown): Promise<unknown> => {
  try {
    await call()
  } catch (error) {
    return error
  }
  return undefined
}

describe("an unknown option", () => {
  for (const [name, call] of Object.entries(doors)) {
    it(`is refused by ${name}, which lists its options`, async () => {
      const error = await errorOf(() => call({ misspelt: 1 }))
      expect(error).toBeInstanceOf(LigatureError)
      expect(error).toMatchObject({ code: "bad-option", message: expect.stringMatching(/^Unknown option "misspelt"\. Options: \w+/) })
    })
  }
  it("is answered with the name that was meant", () => {
    expect(() => convert(request, { from: "anthropic", to: "openai-chat", profil: "azure" } as never)).toThrow("Did you mean profile?")
  })
})

describe("an unknown value", () => {
  const values: readonly (readonly [string, string, object])[] = [
    ["check", "tip", { tip: "shut" }],
    ["settle", "tip", { tip: "shut" }],
    ["decode", "view", { view: "half" }],
    ["encode", "extras", { extras: "most" }],
    ["encode", "style", { style: "yaml" }],
    ["convert", "style", { style: "yaml" }],
    ["convert", "tip", { tip: "shut" }],
    ["repair", "view", { view: "half" }],
    ["repair", "extras", { extras: "most" }],
    ["run", "style", { style: "yaml" }],
  ]
  for (const [door, option, given] of values) {
    it(`of ${option} is refused by ${door}, which lists the values`, async () => {
      const error = await errorOf(() => doors[door]?.(given))
      expect(error).toMatchObject({ code: "bad-option", message: expect.stringContaining(option) })
    })
  }
  it("of a profile that media are limited for is refused by repair", () => {
    expect(() => repair(request, { from: "anthropic", mediaFor: "nobody" as never })).toThrow(/Unknown profile "nobody"/)
  })
})
