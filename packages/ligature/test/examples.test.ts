/** Every step of the ladder in `examples/` runs and shows what it says. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { run as checkARequest } from "../../../examples/01-check-a-request.ts"
import { run as repair } from "../../../examples/02-repair.ts"
import { run as convertBetweenProviders } from "../../../examples/03-convert-between-providers.ts"
import { run as lossReport } from "../../../examples/04-loss-report.ts"
import { run as policies } from "../../../examples/05-policies.ts"
import { run as classifyAnError } from "../../../examples/06-classify-an-error.ts"
import { run as xmlToBlocks } from "../../../examples/07-xml-to-blocks.ts"
import { run as fakeProvider } from "../../../examples/08-fake-provider.ts"
import { run as aRunningAgent } from "../../../examples/09-a-running-agent.ts"
import { run as cutWithoutSplitting } from "../../../examples/10-cut-without-splitting.ts"
import { run as damageYourOwnHistory } from "../../../examples/11-damage-your-own-history.ts"
import { run as moveASession } from "../../../examples/12-move-a-session.ts"
import { run as resumeAfterACrash } from "../../../examples/14-resume.ts"
import { run as agentLoop } from "../../../examples/13-agent-loop.ts"
import { library, root } from "../../../scripts/source-files.ts"
import { syntheticTexts } from "../src/model/index.ts"

type Messages = readonly Readonly<Record<string, unknown>>[]

const messagesIn = (value: unknown): Messages => (value as { readonly messages: Messages }).messages

describe("the ladder of examples", () => {
  const files = readdirSync(join(root, "examples"))
    .filter((name) => name.endsWith(".ts"))
    .sort()

  it("is numbered without gaps, listed in its README, and run here", () => {
    expect(files.map((name) => Number(name.slice(0, 2)))).toEqual(files.map((_, index) => index + 1))
    const readme = readFileSync(join(root, "examples/README.md"), "utf8")
    const self = readFileSync(join(library, "test/examples.test.ts"), "utf8")
    expect(files.filter((name) => !readme.includes(`(${name})`) || !self.includes(`/${name}"`))).toEqual([])
  })

  it("imports the published package in every step, so that it can be copied, and prints nothing", () => {
    const texts = files.map((name) => [name, readFileSync(join(root, "examples", name), "utf8")] as const)
    const namesOf = (pattern: RegExp) => texts.filter(([, text]) => pattern.test(text)).map(([name]) => name)
    expect(namesOf(/^(?:import|\}) [^\n]*from "ligature/m)).toEqual(files)
    expect(namesOf(/from "\.\.\//)).toEqual([])
    expect(namesOf(/console\.|process\./)).toEqual([])
  })

  it("01 checks a request", () => {
    expect(checkARequest()).toEqual([
      { rule: "unanswered-call", message: 1, what: "Tool call bash (toolu_01) has no result", repair: "synthetic" },
    ])
  })

  it("02 repairs one and says what it did", () => {
    const { repaired, done } = repair()
    expect(repaired["model"]).toBe("gpt-4o")
    expect(messagesIn(repaired).slice(2)).toEqual([
      { role: "tool", tool_call_id: "a", content: "a.ts b.ts" },
      { role: "tool", tool_call_id: "b", content: syntheticTexts.interrupted },
      { role: "user", content: "And hurry." },
    ])
    expect(done).toEqual([
      "misplaced-result (safe): moved the result to its call (message 1)",
      "unanswered-call (synthetic): added a placeholder result (interrupted)",
    ])
  })

  it("03 writes one conversation for four providers", () => {
    const { chat, responses, gemini, mistral } = convertBetweenProviders()
    const roles = messagesIn(chat).map(({ role }) => role)
    expect(roles).toEqual(["system", "user", "assistant", "tool", "assistant", "user"])
    expect((responses["input"] as Messages).map(({ type, role }) => type ?? role)).toEqual([
      "system",
      "user",
      "function_call",
      "function_call_output",
      "message",
      "user",
    ])
    expect(gemini["systemInstruction"]).toEqual({ parts: [{ text: "You are a careful engineer." }] })
    expect((gemini["contents"] as Messages).map(({ role }) => role)).toEqual(["user", "model", "user", "model", "user"])
    const { tool_calls: calls } = messagesIn(mistral)[2] as { readonly tool_calls: readonly { readonly id: string }[] }
    const id = calls[0]?.id
    expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(messagesIn(mistral)[3]).toEqual({ role: "tool", tool_call_id: id, content: "12:00" })
  })

  it("04 reports what the target cannot say", () => {
    const { value, losses, done } = lossReport()
    expect(messagesIn(value)[2]).toEqual({
      role: "tool",
      tool_call_id: "toolu_01",
      content: "[tool error] Only half of it.\n[image attached below]",
    })
    expect(losses.map((loss) => loss.split(" ")[0])).toEqual(["thinking", "thinking-signature", "result-error", "result-image"])
    expect(done).toEqual([
      "foreign-thinking (drop): removed thinking the target cannot verify",
      "result-media (safe): moved image of a result into a user message after it",
    ])
  })

  it("05 lets the caller choose", () => {
    expect(policies()).toEqual({
      synthesize: ["Look at both.", "I look.", "call", "call", "result", "result", "Stop."],
      "drop-message": ["Look at both.", "Stop."],
      "drop-call": ["Look at both.", "I look.", "call", "result", "Stop."],
    })
  })

  it("06 reads an error", () => {
    expect(classifyAnError()).toEqual({
      rule: "anthropic-tool-use-needs-result",
      action: "repair-pairing",
      ids: ["toolu_01"],
      place: { message: 1, block: 0 },
      damage: ["unanswered-call: added a placeholder result (interrupted)"],
      rateLimit: undefined,
    })
  })

  it("07 turns XML text into blocks and back", () => {
    const { blocks, xml, chat, migrated, again, exchanges } = xmlToBlocks()
    const [, assistant, user] = messagesIn(blocks)
    const [said, call] = (assistant as { readonly content: Messages }).content
    expect(said).toEqual({ type: "text", text: "I read the file." })
    expect(call).toMatchObject({ type: "tool_use", name: "read_file", input: { path: "src/button.tsx" } })
    expect(user?.["content"]).toEqual([
      {
        type: "tool_result",
        tool_use_id: call?.["id"],
        content: "const Button = <T,>(p: T) => a && b ? <Ok /> : null",
      },
    ])
    const words = messagesIn(xml).map(({ content }) => content)
    expect(words[1]).toBe("I read the file.\n\n<read_file>\n<path>src/button.tsx</path>\n</read_file>")
    expect(messagesIn(chat).map(({ content }) => content)).toEqual(words)
    expect(exchanges).toBe(1)
    // Converted, all messages are written in the way of the format; migrated, those without calls keep theirs.
    expect((migrated as Messages).slice(1, 3)).toEqual(messagesIn(blocks).slice(1, 3))
    expect([(migrated as Messages)[0]?.["content"], again]).toEqual(["What does the button do?", false])
  })

  it("08 is refused by the fake provider, then accepted", async () => {
    const { refused, accepted, seen } = await fakeProvider()
    expect(refused.status).toBe(400)
    const { message } = refused.body["error"] as { readonly message: string }
    expect(message).toContain("without `tool_result` blocks")
    expect(accepted.status).toBe(200)
    expect(accepted.body["content"]).toEqual([{ type: "text", text: "Yes. Shall I run them again?" }])
    expect(seen).toEqual([false, true])
  })

  it("09 closes a history honestly and lets a late result replace what was invented", () => {
    const { whileRunning, afterCrash, stored, final, done } = aRunningAgent()
    expect(whileRunning).toBe(0)
    expect(afterCrash).toEqual(["unanswered-call"])
    const resultIn = (messages: readonly unknown[]): unknown => (messages[2] as { readonly content: unknown }).content
    const answer = { type: "tool_result", tool_use_id: "toolu_01" }
    expect(resultIn(stored)).toEqual([{ ...answer, content: syntheticTexts.interrupted, is_error: true }])
    expect(resultIn(final)).toEqual([{ ...answer, content: "deployed" }])
    expect(final).toHaveLength(3)
    expect(done.map((line) => line.split(" ")[0])).toEqual(["duplicate-result"])
  })

  it("10 cuts a list without splitting", () => {
    expect(cutWithoutSplitting()).toEqual({
      groups: [[0], [1, 2, 3, 4], [5], [6, 7]],
      naive: ["orphan-result"],
      aligned: [],
      kept: 4,
    })
  })

  it("11 keeps every promise on generated damage", () => {
    const { histories, kindsOfDamage } = damageYourOwnHistory()
    expect(histories).toBe(20)
    expect(kindsOfDamage).toBeGreaterThan(8)
  })

  it("12 moves a session to another agent", () => {
    const { format, done, items, place } = moveASession()
    expect(format).toBe("claude-code")
    expect(done).toEqual(["added a placeholder result (interrupted)"])
    expect(items.slice(1)).toEqual([
      "message",
      "user_message",
      "function_call",
      "function_call",
      "function_call_output",
      "function_call_output",
    ])
    expect(place?.resume).toMatch(/^codex resume [0-9a-f-]{36}$/)
  })

  it("14 resumes after a crash, and stops at a call that waits", async () => {
    const { request, ...said } = await resumeAfterACrash()
    expect(said).toEqual({
      state: "open-calls",
      reasons: ["Interrupted, effect unknown: deploy (call_2)"],
      askTheUser: true,
      afterwards: "clean",
      waiting: ["rollback"],
      closed: true,
    })
    const last = messagesIn(request).at(-1)
    expect(last).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "call_1", content: "42 passed" },
        { type: "tool_result", tool_use_id: "call_2", content: syntheticTexts.interrupted, is_error: true },
        { type: "text", text: "Are we live?" },
      ],
    })
  })

  it("13 goes on after it was stopped in the middle of its tools", async () => {
    expect(await agentLoop()).toEqual({
      first: "aborted",
      outcomes: ["read_file: done", "deploy: interrupted"],
      second: "done",
      answer: "The deployment was interrupted; shall I look?",
      accepted: [true, true],
    })
  })
})
