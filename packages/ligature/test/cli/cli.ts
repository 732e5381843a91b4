/** Runs the CLI in-process, with streams, folder and environment of its own. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { run } from "../../src/cli/run.ts"

export const packageRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const fixture = (name: string): string => join(packageRoot, "fixtures", "damaged", `${name}.json`)

export interface CliOptions {
  /** What stdin holds; an error is what reading it fails with. */
  readonly stdin?: string | Uint8Array | Error
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly terminal?: boolean
  /** Somebody sits there and can be asked. */
  readonly interactive?: boolean
  readonly columns?: number
  readonly rows?: number
  /** Told of everything that is printed, while the command runs. */
  readonly onPrint?: (text: string) => void
}

export interface CliResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export const cli = async (argv: readonly string[], options: CliOptions = {}): Promise<CliResult> => {
  const out: string[] = []
  const err: string[] = []
  const isTerminal = options.terminal === true
  let looks = 0
  const sink = (lines: string[]) => ({
    write: (content: string | Uint8Array) => {
      const text = typeof content === "string" ? content : Buffer.from(content).toString()
      lines.push(text)
      options.onPrint?.(text)
    },
    isTerminal,
    columns: options.columns,
    rows: options.rows,
  })
  const code = await run(argv, {
    stdout: sink(out),
    stderr: sink(err),
    stdin: {
      async *[Symbol.asyncIterator]() {
        if (options.stdin instanceof Error) throw options.stdin
        yield options.stdin ?? ""
      },
      isTerminal: options.interactive === true,
    },
    cwd: options.cwd ?? packageRoot,
    env: options.env ?? {},
    // A clock on which every look takes a moment.
    now: () => 7 * looks++,
  })
  return { code, stdout: out.join(""), stderr: err.join("") }
}

/** A fresh folder that holds these files; gone when the test is over. */
export const folder = (files: Readonly<Record<string, unknown>> = {}): string => {
  const path = mkdtempSync(join(tmpdir(), "ligature-cli-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    const isRaw = typeof content === "string" || content instanceof Uint8Array
    writeFileSync(join(path, name), isRaw ? content : JSON.stringify(content))
  }
  return path
}

/** An OpenAI request, healthy. */
export const healthy = {
  model: "some-model",
  messages: [
    { role: "user", content: "List the files" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } }],
    },
    { role: "tool", tool_call_id: "call_1", content: "a.ts" },
    { role: "assistant", content: "One file." },
  ],
}

/** The same with its result gone. */
export const damaged = { ...healthy, messages: healthy.messages.filter(({ role }) => role !== "tool") }

/** What repair makes of it. */
export const repaired = {
  ...healthy,
  messages: healthy.messages.map((message) =>
    message.role === "tool"
      ? {
          role: "tool",
          tool_call_id: "call_1",
          content: "[ligature:lost] This call ran, but its result is no longer in the history.",
        }
      : message,
  ),
}
