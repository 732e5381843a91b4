/**
 * Strict fake providers: a judge per profile that says what a provider would say about a request body, and real HTTP
 * servers that answer with it.
 *
 *   const verdict = judges.anthropic({ messages: [...] }, { model: "claude-opus-4-6" })
 *   if (!verdict.ok) console.log(verdict.rule, verdict.message)
 */
export { judges } from "./server/apis.ts"
export { judgeStream, type StreamFrame } from "./streams/judge-stream.ts"
export type { Judge, JudgeOptions, ProfileName, Verdict } from "./verdict.ts"

export { startFakeProvider } from "./server/start-fake-provider.ts"
export type { FakeProvider, FakeProviderOptions } from "./server/start-fake-provider.ts"
export type { FakeApi } from "./server/apis.ts"
export type { FakeRequest, Script, ScriptedCall, ScriptedReply } from "./server/script.ts"
