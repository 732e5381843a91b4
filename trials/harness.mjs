/** Runs an agent in a home and a folder of its own, against a provider on 127.0.0.1 that keeps every request it gets. */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startFakeProvider } from "ligature/testing"

/** Variables that lead an agent to the network or to another home. */
const stripped = /proxy|^(XDG|ANTHROPIC|OPENAI|GEMINI|GOOGLE|CLAUDE|CODEX|QWEN|OPENCODE)_|^npm_|^NODE_/i

const ownEnvironment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !stripped.test(name)))

/** A place for one trial: a home, a project folder and a provider. `script` is a function of the request, or a list. */
export const openTrial = async (agent, label, { modules, node, script }) => {
  const root = mkdtempSync(join(process.env["LIGATURE_TRIALS"] ?? tmpdir(), `ligature-${agent.format}-${label.replaceAll(" ", "-")}-`))
  const [home, folder] = [join(root, "home"), join(root, "project")]
  mkdirSync(home)
  mkdirSync(folder)
  const provider = await startFakeProvider({ api: agent.api, script })
  const env = { ...ownEnvironment(), HOME: home, CI: "1", TERM: "dumb", ...agent.setUp({ home, folder, url: provider.url }) }
  const command = join(modules, agent.command)

  /** Runs the agent's command line to its end, or until it is aborted, by SIGKILL for it and all it started. */
  const run = (parameters, { signal, limit = 120_000 } = {}) =>
    new Promise((resolve) => {
      const [file, words] = agent.node ? [node, [command, ...parameters]] : [command, parameters]
      const child = spawn(file, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], detached: true })
      let output = ""
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part) => (output += part))
      const end = () => {
        try {
          process.kill(-child.pid, "SIGKILL")
        } catch {
          // It has ended by itself.
        }
      }
      const timer = setTimeout(end, limit)
      signal?.addEventListener("abort", end)
      child.on("error", (error) => resolve({ code: -1, output: String(error) }))
      child.on("close", (code) => {
        clearTimeout(timer)
        end()
        resolve({ code, output })
      })
    })

  const close = async () => {
    await provider.close()
    if (process.env["LIGATURE_TRIALS"] === undefined) rmSync(root, { recursive: true, force: true })
  }
  return { home, folder, provider, run, close }
}
