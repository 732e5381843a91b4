/**
 * The agents of the trial: how each is started against a provider on 127.0.0.1, in a home of its own, with telemetry and
 * updates off; which of its tools a scripted answer calls; and how it is asked to go on with a session.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { brotliDecompressSync } from "node:zlib"

const write = (path, content) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`)
}

/** opencode and Kilo CLI, which is the same program under another name. */
const opencodeHome = (name, prefix) => ({
  setUp: ({ home, url }) => {
    write(join(home, `.config/${name}/${name}.json`), {
      provider: {
        fake: {
          npm: "@ai-sdk/openai-compatible",
          name: "fake",
          options: { baseURL: `${url}/v1`, apiKey: "test" },
          models: { "fake-model": { name: "fake-model", tool_call: true, limit: { context: 1_000_000, output: 8192 } } },
        },
      },
      model: "fake/fake-model",
      small_model: "fake/fake-model",
      permission: { "*": "allow" },
      share: "disabled",
      autoupdate: false,
    })
    const off = ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE"]
    return Object.fromEntries(off.map((each) => [`${prefix}_DISABLE_${each}`, "1"]))
  },
  isDatabase: true,
  call: (command) => ({ name: "bash", arguments: { command, description: "Runs a command" } }),
})

/**
 * `command`: below `node_modules` of tools/agents. `node`: it is a script that needs a newer Node than this one. `resume`: the
 * words of the command that Ligature prints, (or `editor`, how an editor starts it) as a run without a terminal takes them. `isShortened`: what the agent itself makes
 * of a long result. `frame`: what it puts around a text of the user. `adds`: texts that it puts in again each time it resumes. `breaksItself`: sessions that nobody touched are refused by the provider when it resumes them. `isDatabase`: it keeps its sessions in a database, and takes files in by importing them. `goOn`: how a session is resumed that Ligature only reads, by its file. `writesAtEnd`: a session that is killed leaves no file. `prepare`: makes the command. `habits`: what the agent itself does to a session, for the page.
 */
export const agents = [
  {
    name: "Claude Code",
    format: "claude-code",
    package: "@anthropic-ai/claude-code",
    command: "@anthropic-ai/claude-code-linux-x64/claude",
    api: "anthropic",
    setUp: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "test",
      IS_SANDBOX: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      MAX_THINKING_TOKENS: "0",
    }),
    turn: (text) => ["-p", text, "--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"],
    resume: (words, text) => ["-p", ...words, text, "--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"],
    call: (command) => ({ name: "Bash", arguments: { command, description: "Runs a command" } }),
  },
  {
    name: "Codex",
    format: "codex-rollout",
    package: "@openai/codex",
    command: "@openai/codex/bin/codex.js",
    node: true,
    api: "openai-responses",
    setUp: ({ home, url, folder }) => {
      write(
        join(home, ".codex/config.toml"),
        `model = "gpt-5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects."${folder}"]
trust_level = "trusted"
`,
      )
      return { OPENAI_API_KEY: "test" }
    },
    turn: (text) => ["exec", "--skip-git-repo-check", text],
    resume: (words, text) => ["exec", "--skip-git-repo-check", ...words, text],
    call: (command) => ({ name: "exec_command", arguments: { cmd: command } }),
  },
  {
    name: "Gemini CLI",
    format: "gemini-cli",
    package: "@google/gemini-cli",
    command: "@google/gemini-cli/bundle/gemini.js",
    node: true,
    api: "gemini",
    setUp: ({ home, url }) => {
      write(join(home, ".gemini/settings.json"), {
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      })
      return {
        GEMINI_API_KEY: "test",
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_CLI_TRUST_WORKSPACE: "true",
        GEMINI_TELEMETRY_ENABLED: "false",
        NO_BROWSER: "1",
      }
    },
    turn: (text) => ["-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", text],
    resume: (words, text) => ["-m", "gemini-2.5-flash", "--approval-mode", "yolo", ...words, "-p", text],
    isShortened: (result) => result.includes("<tool_output_masked>"),
    breaksItself: true,
    habits: [
      "sends the results of a session of its own twice when it resumes it (its issue 29365), which the provider refuses until it is repaired",
    ],
    call: (command) => ({ name: "run_shell_command", arguments: { command } }),
  },
  {
    name: "opencode",
    format: "opencode-export",
    package: "opencode-ai",
    command: "opencode-linux-x64/bin/opencode",
    api: "openai-chat",
    ...opencodeHome("opencode", "OPENCODE"),
    turn: (text) => ["run", "-m", "fake/fake-model", text],
    resume: (words, text) => ["run", "-m", "fake/fake-model", ...words, text],
  },
  {
    name: "Kilo CLI",
    format: "kilo-cli",
    package: "@kilocode/cli-linux-x64",
    command: "@kilocode/cli-linux-x64/bin/kilo",
    api: "openai-chat",
    ...opencodeHome("kilo", "KILO"),
    turn: (text) => ["run", "--auto", "-m", "fake/fake-model", text],
    resume: (words, text) => ["run", "--auto", "-m", "fake/fake-model", ...words, text],
  },
  {
    name: "pi",
    format: "pi",
    package: "@earendil-works/pi-coding-agent",
    command: "@earendil-works/pi-coding-agent/dist/bundle/cli.js",
    node: true,
    api: "anthropic",
    setUp: ({ home, url }) => {
      write(join(home, ".pi/agent/models.json"), {
        providers: {
          fake: {
            baseUrl: url,
            api: "anthropic-messages",
            apiKey: "test",
            models: [
              {
                id: "fake-model",
                name: "fake-model",
                reasoning: false,
                input: ["text"],
                cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
                contextWindow: 200_000,
                maxTokens: 8192,
              },
            ],
          },
        },
      })
      return { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" }
    },
    turn: (text) => ["--provider", "fake", "--model", "fake-model", "-p", text],
    resume: (words, text) => ["--provider", "fake", "--model", "fake-model", ...words, "-p", text],
    call: (command) => ({ name: "bash", arguments: { command } }),
  },
  {
    name: "Qwen Code",
    format: "qwen-code",
    package: "@qwen-code/qwen-code",
    command: "@qwen-code/qwen-code/cli-entry.js",
    node: true,
    api: "openai-chat",
    setUp: ({ home, url }) => {
      write(join(home, ".qwen/settings.json"), {
        security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      })
      return { OPENAI_API_KEY: "test", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "gpt-5" }
    },
    turn: (text) => ["--approval-mode", "yolo", "-p", text],
    resume: (words, text) => ["--approval-mode", "yolo", ...words, "-p", text],
    call: (command) => ({ name: "run_shell_command", arguments: { command, is_background: false, description: "Runs a command" } }),
  },
  {
    name: "Copilot CLI",
    format: "copilot-cli",
    package: "@github/copilot",
    command: "@github/copilot-linux-x64/copilot",
    api: "anthropic",
    setUp: ({ url }) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_PROVIDER_TYPE: "anthropic",
      COPILOT_PROVIDER_BASE_URL: url,
      COPILOT_PROVIDER_API_KEY: "test",
      COPILOT_MODEL: "claude-sonnet-4.5",
    }),
    turn: (text) => ["-p", text, "--allow-all-tools", "--allow-all-paths", "--disable-client-telemetry"],
    resume: (words, text) => [...words, "-p", text, "--allow-all-tools", "--allow-all-paths", "--disable-client-telemetry"],
    call: (command) => ({ name: "bash", arguments: { command, description: "Runs a command", mode: "sync", initial_wait: 60 } }),
  },
  {
    name: "Cline CLI",
    format: "cline-cli",
    package: "cline",
    command: "@cline/cli-linux-x64/bin/cline",
    api: "openai-chat",
    setUp: ({ home, url }) => {
      write(join(home, ".cline/data/settings/providers.json"), {
        version: 1,
        lastUsedProvider: "openai-compatible",
        modes: {},
        providers: {
          "openai-compatible": {
            settings: { provider: "openai-compatible", apiKey: "test", model: "gpt-5", baseUrl: `${url}/v1` },
            updatedAt: "2026-01-01T00:00:00.000Z",
            tokenSource: "manual",
          },
        },
      })
      // Without its own server, which would outlive the trial.
      return {
        CLINE_TELEMETRY_DISABLED: "1",
        CLINE_NO_AUTO_UPDATE: "1",
        CLINE_SESSION_BACKEND_MODE: "local",
        CLINE_API_KEY: "test",
        CLINE_PROVIDER: "openai-compatible",
      }
    },
    turn: (text) => ["-P", "openai-compatible", "-m", "gpt-5", text],
    // The command that resumes a session wants a terminal; editors load it without one.
    editor: ["--acp"],
    frame: /<\/?user_input[^>]*>/g,
    call: (command) => ({ name: "run_commands", arguments: { commands: [command] } }),
  },
  {
    name: "Factory droid",
    format: "droid",
    package: "@factory/cli-linux-x64",
    command: "@factory/cli-linux-x64/bin/droid",
    api: "anthropic",
    // Its maker's own service is asked first who the user is: that is this provider, too, which knows nothing of it.
    setUp: ({ home, url }) => {
      const model = { model: "claude-sonnet-4-5", displayName: "fake", id: "custom:fake-0", index: 0, provider: "anthropic" }
      write(join(home, ".factory/settings.json"), {
        model: "custom:fake-0",
        customModels: [{ ...model, baseUrl: url, apiKey: "test", maxOutputTokens: 8192 }],
        enableDroidShield: false,
        cloudSessionSync: false,
      })
      return { FACTORY_API_KEY: "fk-test", FACTORY_API_BASE_URL: url, FACTORY_DISABLE_TELEMETRY: "1", DROID_DISABLE_AUTO_UPDATE: "true" }
    },
    turn: (text) => ["exec", "--skip-permissions-unsafe", "-m", "custom:fake-0", text],
    adds: /^<system-reminder>/,
    resume: ([, id], text) => ["exec", "--skip-permissions-unsafe", "-m", "custom:fake-0", "--session-id", id, text],
    call: (command) => ({
      name: "Execute",
      arguments: { command, summary: "Runs a command", riskLevel: { value: "low", reason: "It prints." } },
    }),
  },
  {
    name: "Continue CLI",
    format: "continue",
    package: "@continuedev/cli",
    command: "@continuedev/cli/dist/cn.js",
    node: true,
    api: "openai-chat",
    setUp: ({ home, url }) => {
      const model = { name: "fake", provider: "openai", model: "fake-model", apiKey: "test", apiBase: `${url}/v1` }
      write(join(home, ".continue/config.yaml"), {
        name: "fake",
        version: "1.0.0",
        schema: "v1",
        models: [{ ...model, roles: ["chat"], capabilities: ["tool_use"] }],
      })
      return { CONTINUE_TELEMETRY_ENABLED: "0", CONTINUE_METRICS_ENABLED: "0", CONTINUE_CLI_AUTO_UPDATE: "false" }
    },
    turn: (text, home) => ["-p", "--auto", "--config", join(home, ".continue/config.yaml"), text],
    resume: (words, text, home) => ["-p", "--auto", "--config", join(home, ".continue/config.yaml"), ...words, text],
    writesAtEnd: true,
    habits: ["writes a session when a turn has ended"],
    call: (command) => ({ name: "Bash", arguments: { command } }),
  },
  {
    name: "Kimi Code",
    format: "kimi-code-wire",
    package: "@moonshot-ai/kimi-code",
    command: "@moonshot-ai/kimi-code/dist/main.mjs",
    node: true,
    api: "openai-chat",
    setUp: ({ home, url }) => {
      write(
        join(home, ".kimi-code/config.toml"),
        `default_model = "fake"
telemetry = false
[providers.fake]
type = "openai"
base_url = "${url}/v1"
api_key = "test"
[models.fake]
provider = "fake"
model = "fake-model"
max_context_size = 200000
`,
      )
      return { KIMI_CODE_NO_AUTO_UPDATE: "1", KIMI_CLI_NO_AUTO_UPDATE: "1", KIMI_DISABLE_TELEMETRY: "1" }
    },
    turn: (text) => ["-p", text],
    goOn: (file, text) => ["--session", /session_[^/]+/.exec(file)?.[0] ?? "", "-p", text],
    call: (command) => ({ name: "Bash", arguments: { command } }),
  },
  {
    name: "Grok Build",
    format: "grok-build",
    package: "@xai-official/grok-linux-x64",
    // Packed within the package, and unpacked by a script that is not run here.
    command: "@xai-official/grok-linux-x64/bin/grok",
    prepare: (path) => {
      if (!existsSync(path)) writeFileSync(path, brotliDecompressSync(readFileSync(`${path}.br`)), { mode: 0o755 })
    },
    api: "anthropic",
    setUp: ({ home, url }) => {
      write(
        join(home, ".grok/config.toml"),
        `[cli]
auto_update = false
[models]
default = "fake"
[model.fake]
model = "claude-sonnet-4-5"
base_url = "${url}/v1"
api_backend = "messages"
name = "fake"
api_key = "test"
`,
      )
      return { XAI_API_KEY: "test", DISABLE_TELEMETRY: "1", GROK_DISABLE_AUTOUPDATER: "1" }
    },
    turn: (text) => ["-p", text, "--always-approve", "-m", "fake"],
    goOn: (file, text) => ["--resume", file.split("/").at(-2), "-p", text, "--always-approve", "-m", "fake"],
    call: (command) => ({ name: "run_terminal_command", arguments: { command, description: "Runs a command" } }),
  },
]

/** Agents whose sessions are read, and why they are not run. */
export const absent = [
  ["Crush, Codebuff", "their npm packages download a program from elsewhere when they are installed or first started"],
  ["Cline, Roo Code and Kilo Code as extensions, Copilot Chat, Visual Studio", "they run in an editor"],
  ["Cursor, Kiro", "they are no npm packages, and want an account"],
  ["goose, Neovate Code, iFlow CLI, DeepSeek Harness", "the registry has no package of them"],
  ["aider, gptme, Kimi CLI, OpenHands, SWE-agent, Inspect, tau2-bench, LangGraph", "they are Python programs"],
  ["Open WebUI, LibreChat, ChatGPT, Posit Assistant", "they are servers or services"],
]
