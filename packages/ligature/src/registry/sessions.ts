/**
 * Every session codec, by the name of its format: adding one is a folder and a line here. Importing this file
 * (`ligature/sessions`) makes them known to every function that takes the name of a format.
 */
import type { SessionCodec } from "../formats/engine/session.ts"
import { aider } from "../sessions/aider/index.ts"
import { antigravity } from "../sessions/antigravity/index.ts"
import { atif } from "../sessions/atif/index.ts"
import { chatgptExport } from "../sessions/chatgpt-export/index.ts"
import { claudeCode, claudeCodeArray } from "../sessions/claude-code/index.ts"
import { claudeStreamJson } from "../sessions/claude-stream-json/index.ts"
import { clineApi } from "../sessions/cline-api/index.ts"
import { clineCli } from "../sessions/cline-cli/index.ts"
import { codebuff } from "../sessions/codebuff/index.ts"
import { codexExec } from "../sessions/codex-exec/index.ts"
import { codexRolloutOld } from "../sessions/codex-rollout-old/index.ts"
import { codexRollout } from "../sessions/codex-rollout/index.ts"
import { continueSession } from "../sessions/continue/index.ts"
import { copilotChat } from "../sessions/copilot-chat/index.ts"
import { copilotCli } from "../sessions/copilot-cli/index.ts"
import { crush } from "../sessions/crush/index.ts"
import { cursorTranscript } from "../sessions/cursor-transcript/index.ts"
import { cursorVscdb } from "../sessions/cursor-vscdb/index.ts"
import { droidExec } from "../sessions/droid-exec/index.ts"
import { droid } from "../sessions/droid/index.ts"
import { dsh } from "../sessions/dsh/index.ts"
import { entire } from "../sessions/entire/index.ts"
import { geminiCli } from "../sessions/gemini-cli/index.ts"
import { goose } from "../sessions/goose/index.ts"
import { gptme } from "../sessions/gptme/index.ts"
import { grokBuild } from "../sessions/grok-build/index.ts"
import { hermesAgent } from "../sessions/hermes-agent/index.ts"
import { iflow } from "../sessions/iflow/index.ts"
import { inspectLog } from "../sessions/inspect-log/index.ts"
import { kimiCodeWire } from "../sessions/kimi-code-wire/index.ts"
import { kimiContext } from "../sessions/kimi-context/index.ts"
import { kimiWire } from "../sessions/kimi-wire/index.ts"
import { kiro } from "../sessions/kiro/index.ts"
import { langgraph } from "../sessions/langgraph/index.ts"
import { librechat } from "../sessions/librechat/index.ts"
import { neovate } from "../sessions/neovate/index.ts"
import { openWebui } from "../sessions/open-webui/index.ts"
import { kiloCli, opencodeExport } from "../sessions/opencode-export/index.ts"
import { opencodeRun } from "../sessions/opencode-run/index.ts"
import { openhandsV0 } from "../sessions/openhands-v0/index.ts"
import { openhandsV1 } from "../sessions/openhands-v1/index.ts"
import { pi } from "../sessions/pi/index.ts"
import { positAssistant } from "../sessions/posit-assistant/index.ts"
import { qwenCode } from "../sessions/qwen-code/index.ts"
import { sweAgent } from "../sessions/swe-agent/index.ts"
import { tauBench } from "../sessions/tau-bench/index.ts"
import { tau2 } from "../sessions/tau2/index.ts"
import { visualstudioCopilot } from "../sessions/visualstudio-copilot/index.ts"
import { registerSessions } from "./known-sessions.ts"

/** In the order in which files are tried: the more particular mark first. */
export const sessionCodecs = {
  iflow: iflow,
  "claude-code": claudeCode,
  "claude-code-array": claudeCodeArray,
  "claude-stream-json": claudeStreamJson,
  "codex-rollout": codexRollout,
  "codex-rollout-old": codexRolloutOld,
  "codex-exec": codexExec,
  dsh: dsh,
  pi: pi,
  "qwen-code": qwenCode,
  "kimi-code-wire": kimiCodeWire,
  "kimi-wire": kimiWire,
  "kimi-context": kimiContext,
  "copilot-chat": copilotChat,
  "inspect-log": inspectLog,
  atif: atif,
  droid: droid,
  "droid-exec": droidExec,
  "cursor-transcript": cursorTranscript,
  "cursor-vscdb": cursorVscdb,
  "grok-build": grokBuild,
  antigravity: antigravity,
  "hermes-agent": hermesAgent,
  "opencode-run": opencodeRun,
  "posit-assistant": positAssistant,
  "visualstudio-copilot": visualstudioCopilot,
  kiro: kiro,
  codebuff: codebuff,
  librechat: librechat,
  "chatgpt-export": chatgptExport,
  aider: aider,
  entire: entire,
  "copilot-cli": copilotCli,
  neovate: neovate,
  "gemini-cli": geminiCli,
  "kilo-cli": kiloCli,
  "opencode-export": opencodeExport,
  "open-webui": openWebui,
  goose: goose,
  continue: continueSession,
  "openhands-v0": openhandsV0,
  "openhands-v1": openhandsV1,
  "swe-agent": sweAgent,
  tau2: tau2,
  "tau-bench": tauBench,
  crush: crush,
  langgraph: langgraph,
  "cline-cli": clineCli,
  gptme: gptme,
  "cline-api": clineApi,
} as const satisfies Readonly<Record<string, SessionCodec>>

export type SessionFormat = keyof typeof sessionCodecs

registerSessions(Object.values(sessionCodecs))
