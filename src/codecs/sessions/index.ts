/** Every session codec, by the name of its format. Adding one is a folder and a line here. */
import type { SessionCodec } from "../session.ts"
import { claudeCode } from "./claude-code/index.ts"
import { claudeStreamJson } from "./claude-stream-json/index.ts"
import { clineApi } from "./cline-api/index.ts"
import { codexExec } from "./codex-exec/index.ts"
import { codexRolloutOld } from "./codex-rollout-old/index.ts"
import { codexRollout } from "./codex-rollout/index.ts"
import { continueSession } from "./continue/index.ts"
import { copilotCli } from "./copilot-cli/index.ts"
import { crush } from "./crush/index.ts"
import { geminiCli } from "./gemini-cli/index.ts"
import { goose } from "./goose/index.ts"
import { langgraph } from "./langgraph/index.ts"
import { neovate } from "./neovate/index.ts"
import { openWebui } from "./open-webui/index.ts"
import { opencodeExport } from "./opencode-export/index.ts"
import { openhandsV0 } from "./openhands-v0/index.ts"
import { openhandsV1 } from "./openhands-v1/index.ts"
import { pi } from "./pi/index.ts"
import { qwenCode } from "./qwen-code/index.ts"
import { sweAgent } from "./swe-agent/index.ts"
import { tauBench } from "./tau-bench/index.ts"
import { tau2 } from "./tau2/index.ts"

/** In the order in which files are tried: the more particular mark first. */
const all: readonly SessionCodec[] = [
  claudeCode,
  claudeStreamJson,
  codexRollout,
  codexRolloutOld,
  codexExec,
  pi,
  qwenCode,
  copilotCli,
  neovate,
  geminiCli,
  opencodeExport,
  openWebui,
  goose,
  continueSession,
  openhandsV0,
  openhandsV1,
  sweAgent,
  tau2,
  tauBench,
  crush,
  langgraph,
  clineApi,
]

export const sessionCodecs: Readonly<Record<string, SessionCodec>> = Object.fromEntries(
  all.map((codec) => [codec.format, codec]),
)

export const sessionFormats: readonly string[] = Object.keys(sessionCodecs)
