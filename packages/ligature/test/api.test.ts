/**
 * The public names, exactly. A name that appears here is a promise; one that vanishes breaks somebody's build. Change a
 * list on purpose, together with the CHANGELOG. Types are not listed: they do not exist at run time.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { library } from "../../../scripts/source-files.ts"

/** `import { … } from "ligature"` */
const ligature: readonly string[] = [
  "LigatureError",
  "assistant",
  "call",
  "callsOf",
  "check",
  "convert",
  "convertSettings",
  "convertText",
  "decode",
  "encode",
  "fit",
  "flatten",
  "formats",
  "migrate",
  "openDocument",
  "policyValues",
  "profiles",
  "repair",
  "result",
  "resultText",
  "settle",
  "system",
  "thinking",
  "tool",
  "transcript",
  "user",
]

/** `import { … } from "ligature/formats/<format>"` */
const formatFolders: Readonly<Record<string, readonly string[]>> = {
  "ai-sdk-model": ["aiSdkModel"],
  "ai-sdk-ui": ["aiSdkUi"],
  anthropic: ["anthropic"],
  "bedrock-converse": ["bedrockConverse"],
  gemini: ["gemini"],
  "openai-chat": ["openaiChat"],
  "openai-responses": ["openaiResponses"],
  "otel-messages": ["otelMessages"],
  sharegpt: ["sharegpt"],
  "xml-text": ["xmlText"],
}

/** `import { … } from "ligature/testing"` */
const testing: readonly string[] = [
  "Choices",
  "damageHistory",
  "expectValid",
  "generateHistory",
  "judgeStream",
  "judges",
  "startFakeProvider",
]

/** `import { … } from "ligature/<part>"` */
const parts: Readonly<Record<string, readonly string[]>> = {
  debug: ["debugTo"],
  "adapters/ai-sdk": ["storedMessages", "validMessages", "validMiddleware", "validPrepareStep", "validPrompt"],
  "adapters/anthropic": ["validFetch"],
  "adapters/langchain": ["stateUpdate", "trimMessages", "validMessages", "validModelCall", "validPreModelHook"],
  "adapters/mastra": ["validHistory", "validMessages"],
  "adapters/openai": ["validFetch"],
  "adapters/openai-agents": ["ligatureSession", "validItems"],
  compact: [
    "attributesOf",
    "calibrate",
    "cap",
    "choose",
    "compact",
    "compactor",
    "dedupe",
    "digest",
    "estimateMeter",
    "generations",
    "ladder",
    "mask",
    "meterOf",
    "pipeline",
    "recall",
    "truncate",
    "window",
  ],
  export: ["redact", "render"],
  html: ["savedPage"],
  messages: [
    "activePath",
    "alignHeadEnd",
    "alignTailStart",
    "atomicGroups",
    "dropUnansweredCalls",
    "filterMessages",
    "skipOrphanResults",
    "toolStyle",
    "truncateByFraction",
  ],
  agent: [
    "LoopError",
    "anthropicModel",
    "chatModel",
    "declareTools",
    "defineTool",
    "exportFrom",
    "geminiModel",
    "importFrom",
    "importInto",
    "responsesModel",
    "resume",
    "run",
    "runEvents",
    "saveUnsaved",
  ],
  record: [
    "EventStreamReader",
    "Iteration",
    "createRecorder",
    "createStreamWriter",
    "isExecutable",
    "replyOf",
    "sseText",
    "streamOf",
    "streamText",
  ],
  store: [
    "StoreError",
    "copyConversations",
    "cover",
    "jsonlStore",
    "memoryStore",
    "prune",
    "restoreBackupFile",
    "viewOf",
    "writeBackupFile",
  ],
  "store/postgres": ["postgresStore"],
  "store/sqlite": ["sqliteStore"],
}

const namesOf = async (path: string): Promise<readonly string[]> => Object.keys((await import(`../src/${path}`)) as object).sort()

const expectNames = (actual: readonly string[], expected: readonly string[], where: string): void => {
  const added = actual.filter((name) => !expected.includes(name))
  const gone = expected.filter((name) => !actual.includes(name))
  const difference = [...added.map((name) => `+ ${name}`), ...gone.map((name) => `- ${name}`)].join("\n")
  const message = `public names of ${where} changed; if on purpose, change test/api.test.ts:\n${difference}`
  expect(actual, message).toEqual(expected)
}

describe("public names", () => {
  it("of ligature are exactly these", async () => {
    expectNames(await namesOf("index.ts"), ligature, "ligature")
  })

  it("of ligature/rules are exactly these", async () => {
    expectNames(await namesOf("rules/book/index.ts"), ["classify", "invariants", "locate", "rulebook", "rules"], "ligature/rules")
  })

  it("of ligature/sessions are exactly these", async () => {
    expectNames(await namesOf("registry/sessions.ts"), ["sessionCodecs"], "ligature/sessions")
  })

  it("of ligature are fewer than thirty", () => {
    expect(ligature.length).toBeLessThan(30)
  })

  it("are fewer than 130 in all", async () => {
    const lists = [ligature, testing, ...Object.values(parts), ...Object.values(formatFolders)]
    const others = await Promise.all(["rules/book/index.ts", "registry/sessions.ts"].map(namesOf))
    expect([...lists, ...others].flat().length).toBeLessThan(130)
  })

  it("of ligature/testing are exactly these", async () => {
    expectNames(await namesOf("testing/index.ts"), testing, "ligature/testing")
  })

  for (const [part, names] of Object.entries(parts)) {
    it(`of ligature/${part} are exactly these`, async () => {
      expectNames(await namesOf(`${part}/index.ts`), names, `ligature/${part}`)
    })
  }

  it("of ligature/formats/* are these folders", () => {
    const folder = join(library, "src/formats")
    const folders = readdirSync(folder).filter((name) => existsSync(join(folder, name, "index.ts")))
    expect(folders.sort()).toEqual(Object.keys(formatFolders))
  })

  for (const [folder, names] of Object.entries(formatFolders)) {
    it(`of ligature/formats/${folder} are exactly these`, async () => {
      expectNames(await namesOf(`formats/${folder}/index.ts`), names, `ligature/formats/${folder}`)
    })
  }

  it("are reachable by the subpaths of the package, and by no others", () => {
    const { exports } = JSON.parse(readFileSync(join(library, "package.json"), "utf8")) as { readonly exports: object }
    expect(Object.keys(exports)).toEqual([
      ".",
      "./adapters/*",
      "./agent",
      "./compact",
      "./debug",
      "./export",
      "./formats/*",
      "./html",
      "./messages",
      "./record",
      "./rules",
      "./sessions",
      "./store",
      "./store/*",
      "./testing",
      "./package.json",
    ])
  })
})
