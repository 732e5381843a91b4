/** `ligature log append`. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { codecs } from "../../../src/convert/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { assistant, call, transcript, user } from "../../../src/model/index.ts"
import { cli, healthy } from "../cli.ts"
import { store, filled } from "./stage.ts"

describe("log append", () => {
  it("takes messages of any format, from files and stdin, and the user's words", async () => {
    const chat = healthy.messages.slice(0, 2)
    const { cwd, log, json } = store({ "chat.json": chat })
    await log("create", "--id", "c")
    expect((await log("append", "c", "chat.json")).stderr).toMatch(/^✓ appended 2 entries; the tip is \w+\n  open: bash \(call_1\)\n$/)
    const answer = JSON.stringify({ role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "a.ts" }] })
    const piped = await cli(["log", "append", "c", "-", "--from", "anthropic"], {
      cwd,
      stdin: answer,
      env: { LIGATURE_STORE: "conversations" },
    })
    expect([piped.code, piped.stderr]).toEqual([0, expect.stringMatching(/^✓ appended 1 entry/)])
    const appended = await json("append", "c", "--user", "Thanks")
    expect(appended).toMatchObject({ command: "log append", conversation: "c", repeated: false, state: "clean", openCalls: [] })
    expect(((await json("show", "c")) as { items: unknown }).items).toMatchObject([
      { role: "user" },
      { role: "exchange", calls: [{ id: "call_1", outcome: "done", result: "a.ts" }] },
      { role: "user" },
    ])
  })

  it("answers and denies open calls", async () => {
    const { log, json } = store()
    await log("create", "--id", "c")
    const two = assistant(call("x", "ls"), { ...call("y", "rm"), pending: "approval" })
    const body = JSON.stringify(codecs["anthropic"]?.encode(settle(transcript(user("go"), two), { tip: "open" }).conversation))
    const { cwd } = store({ "two.json": body })
    await log("append", "c", join(cwd, "two.json"))
    const wrong = await log("append", "c", "--deny", "z")
    expect(wrong).toEqual({ code: 2, stdout: "", stderr: "ligature: No call z is open\n  Open calls: x, y\n" })
    await log("append", "c", "--result", "x=a=b", "--deny", "y")
    const { items } = (await json("show", "c")) as { items: readonly { calls?: readonly unknown[] }[] }
    expect(items[1]?.calls).toMatchObject([
      { id: "x", outcome: "done", result: "a=b" },
      { id: "y", outcome: "not-run", synthetic: false },
    ])
  })

  it("gives ids to calls of formats that have none, and finds the call a later result answers", async () => {
    const { log, json } = store({
      "1.json": {
        contents: [
          { role: "user", parts: [{ text: "go" }] },
          { role: "model", parts: [{ functionCall: { name: "ls", args: {} } }, { functionCall: { name: "cat", args: {} } }] },
        ],
      },
      "2.json": {
        contents: [
          {
            role: "user",
            parts: [
              { functionResponse: { name: "cat", response: { output: "c" } } },
              { functionResponse: { name: "ls", response: { output: "l" } } },
            ],
          },
        ],
      },
    })
    await log("create", "--id", "c")
    await log("append", "c", "1.json")
    await log("append", "c", "2.json")
    expect(await json("show", "c")).toMatchObject({
      state: "clean",
      items: [
        {},
        {
          calls: [
            { name: "ls", outcome: "done", result: expect.stringContaining("l") },
            { name: "cat", outcome: "done", result: expect.stringContaining("c") },
          ],
        },
      ],
    })
  })

  it("writes only on the tip that is expected, and nothing twice", async () => {
    const { log, json } = await filled()
    const conflict = await log("append", "c", "--user", "x", "--expect-tip", "a2")
    expect([conflict.code, conflict.stderr.split("\n")[0]]).toEqual([
      2,
      'ligature: Expected the tip "a2", but it is "u2"; load again and retry',
    ])
    const once = await json("append", "c", "--user", "x", "--expect-tip", "u2", "--operation", "op")
    const twice = await json("append", "c", "--user", "x", "--expect-tip", "u2", "--operation", "op")
    expect(twice).toEqual({ ...once, repeated: true })
    expect(((await json("show", "c")) as { entries: readonly unknown[] }).entries).toHaveLength(6)
  })

  it("says what it does not keep, and refuses what is no list of messages", async () => {
    const lines = `${JSON.stringify(healthy)}\n${JSON.stringify(healthy)}\n`
    const { log } = store({ "request.json": healthy, "two.jsonl": lines, "torn.json": '{"messages":[{"role":"user","content":"x"},' })
    await log("create", "--id", "c")
    expect((await log("append", "c", "request.json")).stderr).toContain("not kept, a log takes messages only: model\n")
    expect((await log("append", "c", "two.jsonl")).stderr).toContain("has 2 conversations, and append takes the messages of one")
    const torn = await log("append", "c", "torn.json")
    expect([torn.code, torn.stderr]).toEqual([
      2,
      expect.stringContaining("torn.json could not be read as a whole, so nothing was appended"),
    ])
  })
})
