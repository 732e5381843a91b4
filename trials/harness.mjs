/** Runs an agent in a home and a folder of its own, against a provider on 127.0.0.1 that keeps every request it gets. */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startFakeProvider } from "ligature/testing"

/** Variables that lead an agent to the network or to another home. */
const stripped =
  /proxy|^(XDG|ANTHROPIC|OPENAI|GEMINI|GOOGLE|CLAUDE|CODEX|QWEN|OPENCODE|COPILOT|GITHUB|GH|CLINE|KIMI|KILO|FACTORY|DROID|CONTINUE|GROK|XAI)_|^npm_|^NODE_/i

const ownEnvironment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !stripped.test(name)))

/**
 * A place for one trial: a home, a project folder and a provider. `script` is a function of the request, or a list. `api`:
 * what the provider speaks, where that is not what the agent does; `front` starts what is between them, and gives its address.
 */
export const openTrial = async (agent, label, { modules, node, script, api = agent.api, front }) => {
  const root = mkdtempSync(join(process.env["LIGATURE_TRIALS"] ?? tmpdir(), `ligature-${agent.format}-${label.replaceAll(" ", "-")}-`))
  const [home, folder] = [join(root, "home"), join(root, "project")]
  mkdirSync(home)
  mkdirSync(folder)
  const provider = await startFakeProvider({ api, script })
  const url = front ? await front({ place: root, provider }) : provider.url
  const env = { ...ownEnvironment(), HOME: home, PWD: folder, CI: "1", TERM: "dumb", ...agent.setUp({ home, folder, url }) }
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

  /**
   * Loads a session and sends a text as an editor does, over the Agent Client Protocol: for agents that resume a session only
   * on a terminal. `parameters`: what starts the agent that way.
   */
  const goOnAsEditor = (parameters, sessionId, text, limit = 60_000) =>
    new Promise((resolve) => {
      const child = spawn(command, parameters, { cwd: folder, env, stdio: ["pipe", "pipe", "pipe"], detached: true })
      let output = ""
      let rest = ""
      child.stderr.setEncoding("utf8").on("data", (part) => (output += part))
      const requests = [
        ["initialize", { protocolVersion: 1, clientCapabilities: {} }],
        ["session/load", { sessionId, cwd: folder, mcpServers: [] }],
        ["session/prompt", { sessionId, prompt: [{ type: "text", text }] }],
      ]
      let next = 0
      const end = (code) => {
        clearTimeout(timer)
        try {
          process.kill(-child.pid, "SIGKILL")
        } catch {
          // It has ended by itself.
        }
        resolve({ code, output })
      }
      const timer = setTimeout(() => end(null), limit)
      const ask = () => {
        const [method, params] = requests[next++]
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: next, method, params })}\n`)
      }
      child.stdout.setEncoding("utf8").on("data", (part) => {
        const lines = (rest + part).split("\n")
        rest = lines.pop()
        for (const line of lines) {
          const answer = line.startsWith("{") ? JSON.parse(line) : {}
          if (answer.id !== next) continue
          if (answer.error) output += line
          if (answer.error || next === requests.length) end(answer.error ? 1 : 0)
          else ask()
        }
      })
      child.on("error", (error) => {
        output += String(error)
        end(-1)
      })
      child.on("close", () => end(1))
      ask()
    })

  const close = async () => {
    await provider.close()
    if (process.env["LIGATURE_TRIALS"] !== undefined) writeFileSync(join(root, "requests.json"), JSON.stringify(provider.requests, null, 1))
    else rmSync(root, { recursive: true, force: true })
  }
  return { home, folder, provider, run, goOnAsEditor, close }
}
