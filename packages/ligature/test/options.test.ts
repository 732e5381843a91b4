/**
 * Every front door refuses names and values of options that do not exist, and lists those that do: an ignored option is found by
 * nobody. The compiler refuses them too (types.test.ts).
 */
import { describe, expect, it } from "vitest"
import { createRecorder, createStreamWriter, Iteration, replyOf, streamOf, streamText } from "../src/record/index.ts"
import { anthropicModel, defineTool, exportFrom, importFrom, importInto, resume, run, saveUnsaved } from "../src/agent/index.ts"
import * as aiSdk from "../src/adapters/ai-sdk/index.ts"
import * as langchain from "../src/adapters/langchain/index.ts"
import * as mastra from "../src/adapters/mastra/index.ts"
import { validFetch } from "../src/adapters/openai/index.ts"
import { ligatureSession, validItems } from "../src/adapters/openai-agents/index.ts"
import { redact, render } from "../src/export/index.ts"
import {
  activePath,
  alignHeadEnd,
  alignTailStart,
  dropUnansweredCalls,
  filterMessages,
  skipOrphanResults,
  toolStyle,
  truncateByFraction,
} from "../src/messages/index.ts"
import { compact, compactor } from "../src/compact/index.ts"
import {
  assistant,
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
  user,
} from "../src/index.ts"
import { copyConversations, jsonlStore, memoryStore, prune, restoreBackupFile, viewOf, writeBackupFile } from "../src/store/index.ts"
import { postgresStore } from "../src/store/postgres/index.ts"
import { sqliteStore } from "../src/store/sqlite/index.ts"

const request = { messages: [{ role: "user", content: "Hello" }] }
const transcript = decode("anthropic", request)
const { conversation } = settle(transcript)
const store = memoryStore()
const storedConversation = async () => store.load((await store.create()).id)

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
  importFrom: (options) => importFrom(request, { format: "anthropic", ...options }),
  importInto: (options) => importInto(store, request, { format: "anthropic", ...options }),
  exportFrom: async (options) => exportFrom(await storedConversation(), { format: "anthropic", ...options }),
  saveUnsaved: (options) => saveUnsaved(store, { conversation: "c", after: null, appends: [] }, options),
  anthropicModel: (options) => anthropicModel({ model: "m", ...options }),
  defineTool: (options) => defineTool({ name: "time", run: () => "12:00", ...options }),
  createStreamWriter: (options) => createStreamWriter("anthropic", options),
  streamOf: (options) => streamOf(assistant("Hi"), "anthropic", options),
  replyOf: (options) => replyOf(createRecorder("anthropic").end(), "anthropic", options),
  iteration: (options) => new Iteration(assistant("Hi"), options),
  "iteration.commit": (options) => new Iteration(assistant("Hi")).commit(options),
  jsonlStore: (options) => jsonlStore({ folder: "nowhere", ...options }),
  memoryStore: (options) => memoryStore(options),
  sqliteStore: (options) => sqliteStore({ file: "nowhere", ...options }),
  postgresStore: (options) => postgresStore({ connectionString: "postgres://127.0.0.1:9/none", ...options }),
  "store.create": (options) => store.create(options),
  "store.append": async (options) => store.append((await storedConversation()).id, [{ kind: "message", message: user("Hi") }], options),
  "store.load": async (options) => store.load((await storedConversation()).id, options),
  "store.fork": async (options) => store.fork((await storedConversation()).id, options),
  "store.list": (options) => store.list(options),
  "store.acquire": async (options) => store.acquire((await storedConversation()).id, { owner: "a", durationMs: 1000, ...options }),
  "store.remove": async (options) => store.remove((await storedConversation()).id, options),
  prune: (options) => prune(store, { before: 0, ...options }),
  copyConversations: (options) => copyConversations(store, memoryStore(), options),
  writeBackupFile: (options) => writeBackupFile(store, "nowhere", options),
  restoreBackupFile: (options) => restoreBackupFile("nowhere", store, options),
  viewOf: (options) => viewOf([], options),
  activePath: (options) => activePath([], options),
  alignHeadEnd: (options) => alignHeadEnd([], 0, options),
  alignTailStart: (options) => alignTailStart([], 0, options),
  dropUnansweredCalls: (options) => dropUnansweredCalls([], options),
  filterMessages: (options) => filterMessages([], options),
  skipOrphanResults: (options) => skipOrphanResults([], options),
  toolStyle: (options) => toolStyle({ provider: "anthropic", ...options }),
  truncateByFraction: (options) => truncateByFraction([], 0.5, options),
  redact: (options) => redact(request, options),
  "render.markdown": (options) => render.markdown(conversation, { title: "A", ...options }),
  "render.text": (options) => render.text(conversation, { title: "A", ...options }),
  validFetch: (options) => validFetch(fetch, options),
  "ai-sdk validMessages": (options) => aiSdk.validMessages([], options),
  "ai-sdk validPrompt": (options) => aiSdk.validPrompt([], options),
  "ai-sdk validMiddleware": (options) => aiSdk.validMiddleware(options),
  "ai-sdk validPrepareStep": (options) => aiSdk.validPrepareStep(options),
  "ai-sdk storedMessages": (options) => aiSdk.storedMessages({ store, conversation: "c", ...options }),
  "langchain validMessages": (options) => langchain.validMessages([], options),
  "langchain validModelCall": (options) => langchain.validModelCall(options),
  "langchain validPreModelHook": (options) => langchain.validPreModelHook(options),
  "langchain trimMessages": (options) => langchain.trimMessages([], options),
  "mastra validMessages": (options) => mastra.validMessages([], options),
  "mastra validHistory": (options) => mastra.validHistory(options),
  ligatureSession: (options) => ligatureSession({ store, sessionId: "c", ...options }),
  validItems: (options) => validItems([], options),
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
  it("is refused where the function to wrap should be", () => {
    expect(() => validFetch({ onRepair: () => {} } as never)).toThrow("Expected a fetch function first; options come second")
  })

  it("is answered with the name that was meant", () => {
    expect(() => convert(request, { from: "anthropic", to: "openai-chat", profil: "azure" } as never)).toThrow("Did you mean profile?")
  })
})

describe("an unknown option within an option", () => {
  it("is refused by run for retry", async () => {
    const error = await errorOf(() => doors["run"]?.({ retry: { tries: 1 } }))
    expect(error).toMatchObject({ code: "bad-option", message: expect.stringContaining('Unknown option "tries". Options: attempts') })
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
    ["exportFrom", "show", { show: "half" }],
    ["jsonlStore", "durability", { durability: "always" }],
    ["iteration.commit", "rest", { rest: "done" }],
    ["alignTailStart", "toward", { toward: "cut" }],
    ["toolStyle", "userSetting", { userSetting: "yaml" }],
    ["viewOf", "show", { show: "half" }],
  ]
  for (const [door, option, given] of values) {
    it(`of ${option} is refused by ${door}, which lists the values`, async () => {
      const error = await errorOf(() => doors[door]?.(given))
      expect(error).toMatchObject({ code: "bad-option", message: expect.stringContaining(option) })
    })
  }
  it("of a syntax is refused by streamText", () => {
    expect(() => streamText("yaml" as never)).toThrow("Values: event-stream, json-lines, json-array")
  })
  it("of a format that is missing is refused, and formats are listed", () => {
    expect(() => repair(request, {} as never)).toThrow('Unknown format "undefined". Formats: anthropic, ')
    expect(() => convert(request, { to: "gemini" } as never)).toThrow('Unknown format "undefined"')
  })
  it("of a profile that media are limited for is refused by repair", () => {
    expect(() => repair(request, { from: "anthropic", mediaFor: "nobody" as never })).toThrow(/Unknown profile "nobody"/)
  })
})
