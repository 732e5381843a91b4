/** Gateways in processes of their own, and what kills them. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import { afterAll, onTestFinished } from "vitest"

const source = fileURLToPath(new URL("../../ligature/src", import.meta.url))

/** As one file: processes cannot read TypeScript everywhere, and start faster so. */
export const bundle = async (): Promise<string> => {
  // Where it finds the packages that are not in it.
  const root = mkdtempSync(join(import.meta.dirname, "../../../node_modules/.gateway-child-"))
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  const file = join(root, "child.mjs")
  const find = (path: string): string =>
    path === "ligature"
      ? `${source}/index.ts`
      : path === "ligature/rules"
        ? `${source}/rules/book/index.ts`
        : `${source}/${path.slice(9)}/index.ts`
  await build({
    input: join(import.meta.dirname, "child.ts"),
    platform: "node",
    external: ["pg"],
    logLevel: "silent",
    plugins: [{ name: "source", resolveId: (path) => (/^ligature(\/|$)/.test(path) ? find(path) : null) }],
    output: { file, format: "esm", codeSplitting: false },
  })
  return file
}

export interface Child {
  readonly url: string
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>
}

export const startChild = (file: string, config: object): Promise<Child> =>
  new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(process.execPath, [file, JSON.stringify(config)], { stdio: ["ignore", "pipe", "pipe"] })
    const gone = new Promise<void>((end) => child.once("exit", () => end()))
    const kill = async (signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
      child.kill(signal)
      await gone
    }
    onTestFinished(() => kill())
    let errors = ""
    child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString("utf8")))
    child.stdout?.once("data", (chunk: Buffer) => resolve({ url: chunk.toString("utf8").trim(), kill }))
    child.once("exit", () => reject(new Error(`The gateway ended: ${errors}`)))
  })
