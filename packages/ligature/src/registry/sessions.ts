/** Every session codec, by the name of its format. Adding one is a folder and a line here. */
import type { SessionCodec } from "../formats/engine/session.ts"
import { claudeCode } from "../sessions/claude-code/index.ts"
import { claudeStreamJson } from "../sessions/claude-stream-json/index.ts"
import { clineApi } from "../sessions/cline-api/index.ts"
import { codexExec } from "../sessions/codex-exec/index.ts"
import { codexRolloutOld } from "../sessions/codex-rollout-old/index.ts"
import { codexRollout } from "../sessions/codex-rollout/index.ts"
import { continueSession } from "../sessions/continue/index.ts"
import { copilotCli } from "../sessions/copilot-cli/index.ts"
import { crush } from "../sessions/crush/index.ts"
import { geminiCli } from "../sessions/gemini-cli/index.ts"
import { goose } from "../sessions/goose/index.ts"
import { langgraph } from "../sessions/langgraph/index.ts"
import { neovate } from "../sessions/neovate/index.ts"
import { openWebui } from "../sessions/open-webui/index.ts"
import { opencodeExport } from "../sessions/opencode-export/index.ts"
import { openhandsV0 } from "../sessions/openhands-v0/index.ts"
import { openhandsV1 } from "../sessions/openhands-v1/index.ts"
import { pi } from "../sessions/pi/index.ts"
import { qwenCode } from "../sessions/qwen-code/index.ts"
import { sweAgent } from "../sessions/swe-agent/index.ts"
import { tauBench } from "../sessions/tau-bench/index.ts"
import { tau2 } from "../sessions/tau2/index.ts"

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
