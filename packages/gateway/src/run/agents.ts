/**
 * How the usual agents are pointed at a gateway: by the environment where they read it, by arguments where they read those.
 * One entry per agent; `ligature run` applies it, `ligature serve --print-setup` prints it.
 */
import type { WireName } from "../wires/wire.ts"

export interface AgentSetup {
  readonly title: string
  /** What its program is called. */
  readonly program: string
  /** Providers it talks to when nothing else is said. */
  readonly upstreams: readonly string[]
  /** Variables that it reads. */
  readonly environment: (url: string) => Readonly<Record<string, string>>
  /** Variables for its key; set to something where none is set and the gateway has the real one. */
  readonly keys: readonly string[]
  /** Arguments before its own. */
  readonly arguments?: (url: string) => readonly string[]
  readonly wire: WireName
  /** For agents that only read a file: what is to be written where. */
  readonly file?: (url: string) => { readonly path: string; readonly text: string }
}

const setting = (value: unknown): string => JSON.stringify(value)

export const agents: readonly AgentSetup[] = [
  {
    title: "Claude Code",
    program: "claude",
    wire: "anthropic",
    upstreams: ["anthropic"],
    environment: (url) => ({ ANTHROPIC_BASE_URL: url }),
    keys: ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"],
  },
  {
    title: "Codex",
    program: "codex",
    wire: "openai-responses",
    upstreams: ["openai"],
    environment: () => ({}),
    keys: ["OPENAI_API_KEY"],
    arguments: (url) => [
      "-c",
      'model_provider="ligature"',
      "-c",
      `model_providers.ligature={name="Ligature",base_url=${setting(`${url}/v1`)},wire_api="responses",env_key="OPENAI_API_KEY",supports_websockets=true}`,
    ],
  },
  {
    title: "opencode",
    program: "opencode",
    wire: "openai-chat",
    upstreams: ["anthropic", "openai"],
    environment: (url) => {
      const options = { options: { baseURL: `${url}/v1` } }
      return { OPENCODE_CONFIG_CONTENT: setting({ provider: { anthropic: options, openai: options } }) }
    },
    keys: [],
  },
  {
    title: "Gemini CLI",
    program: "gemini",
    wire: "gemini",
    upstreams: ["gemini"],
    environment: (url) => ({ GOOGLE_GEMINI_BASE_URL: url }),
    keys: ["GEMINI_API_KEY"],
  },
  {
    title: "Qwen Code",
    program: "qwen",
    wire: "openai-chat",
    upstreams: ["openai-chat"],
    environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    keys: ["OPENAI_API_KEY"],
  },
  {
    title: "Copilot CLI",
    program: "copilot",
    wire: "openai-chat",
    upstreams: ["openai-chat"],
    environment: (url) => ({ COPILOT_PROVIDER_BASE_URL: `${url}/v1` }),
    keys: ["COPILOT_PROVIDER_API_KEY"],
  },
  {
    title: "pi",
    program: "pi",
    wire: "anthropic",
    upstreams: ["anthropic"],
    environment: () => ({}),
    keys: [],
    file: (url) => ({
      path: "~/.pi/agent/models.json",
      text: setting({ providers: { anthropic: { baseUrl: url } } }),
    }),
  },
  {
    title: "Cline",
    program: "cline",
    wire: "openai-chat",
    upstreams: ["openai-chat"],
    environment: () => ({}),
    keys: [],
    file: (url) => ({ path: "cline auth", text: `cline auth --provider openai --baseurl ${url}/v1` }),
  },
]

/** Anything else: what the SDKs read. */
export const anyProgram: Omit<AgentSetup, "title" | "program"> = {
  wire: "openai-chat",
  upstreams: [],
  environment: (url) => ({ ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1`, GOOGLE_GEMINI_BASE_URL: url }),
  keys: [],
}

/** By the name of its program, with or without a path. */
export const agentOf = (command: string): AgentSetup | undefined => {
  const name = command.replace(/^.*[/\\]/, "").replace(/\.(?:exe|cmd|ps1)$/i, "")
  return agents.find(({ program }) => program === name)
}
