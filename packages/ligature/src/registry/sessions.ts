/**
 * Every session codec, by the name of its format: adding one is a folder and a line here. Importing this file
 * (`ligature/sessions`) makes them known to every function that takes the name of a format.
 */
import type { SessionCodec } from "../formats/engine/session.ts"
import { atif } from "../sessions/atif/index.ts"
import { claudeCode, claudeCodeArray } from "../sessions/claude-code/index.ts"
import { claudeStreamJson } from "../sessions/claude-stream-json/index.ts"
import { clineApi } from "../sessions/cline-api/index.ts"
import { codexExec } from "../sessions/codex-exec/index.ts"
import { codexRolloutOld } from "../sessions/codex-rollout-old/index.ts"
import { codexRollout } from "../sessions/codex-rollout/index.ts"
import { continueSession } from "../sessions/continue/index.ts"
import { copilotChat } from "../sessions/copilot-chat/index.ts"
import { copilotCli } from "../sessions/copilot-cli/index.ts"
import { crush } from "../sessions/crush/index.ts"
import { cursorTranscript } from "../sessions/cursor-transcript/index.ts"
import { droid } from "../sessions/droid/index.ts"
import { geminiCli } from "../sessions/gemini-cli/index.ts"
import { goose } from "../sessions/goose/index.ts"
import { inspectLog } from "../sessions/inspect-log/index.ts"
import { kimiCodeWire } from "../sessions/kimi-code-wire/index.ts"
import { kimiContext } from "../sessions/kimi-context/index.ts"
import { kimiWire } from "../sessions/kimi-wire/index.ts"
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
import { registerSessions } from "./known-sessions.ts"

/** In the order in which files are tried: the more particular mark first. */
export const sessionCodecs = {
  "claude-code": claudeCode,
  "claude-code-array": claudeCodeArray,
  "claude-stream-json": claudeStreamJson,
  "codex-rollout": codexRollout,
  "codex-rollout-old": codexRolloutOld,
  "codex-exec": codexExec,
  "pi": pi,
  "qwen-code": qwenCode,
  "kimi-code-wire": kimiCodeWire,
  "kimi-wire": kimiWire,
  "kimi-context": kimiContext,
  "copilot-chat": copilotChat,
  "inspect-log": inspectLog,
  "atif": atif,
  "droid": droid,
  "cursor-transcript": cursorTranscript,
  "copilot-cli": copilotCli,
  "neovate": neovate,
  "gemini-cli": geminiCli,
  "opencode-export": opencodeExport,
  "open-webui": openWebui,
  "goose": goose,
  "continue": continueSession,
  "openhands-v0": openhandsV0,
  "openhands-v1": openhandsV1,
  "swe-agent": sweAgent,
  "tau2": tau2,
  "tau-bench": tauBench,
  "crush": crush,
  "langgraph": langgraph,
  "cline-api": clineApi,
} as const satisfies Readonly<Record<string, SessionCodec>>

export type SessionFormat = keyof typeof sessionCodecs

export const sessionFormats = Object.keys(sessionCodecs) as readonly SessionFormat[]

registerSessions(Object.values(sessionCodecs))
