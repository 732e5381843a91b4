/** A session that an image locked, from the error to the repaired file, on the command line. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { png } from "../rules/media/files.ts"
import { cli, folder } from "./cli.ts"

const large = png(10, 10, 4_000_000)

const sessionId = "5e550000-0000-4000-8000-000000000000"
const uuid = (index: number): string => `a0000000-0000-4000-8000-00000000000${index}`

const record = (index: number, type: string, message: unknown, more: object = {}): string =>
  JSON.stringify({
    parentUuid: index === 0 ? null : uuid(index - 1),
    isSidechain: false,
    userType: "external",
    cwd: "/home/me/project",
    sessionId,
    version: "2.1.0",
    gitBranch: "main",
    type,
    message,
    ...more,
    uuid: uuid(index),
    timestamp: `2026-03-01T10:00:0${index}.000Z`,
  })

const image = (data: string): object => ({ type: "image", source: { type: "base64", media_type: "image/png", data } })

/** Claude Code: an agent read a file, and the provider has refused every request since. */
const session = [
  record(0, "user", { role: "user", content: "What is in shot.png?" }),
  record(1, "assistant", {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-opus-4-6",
    stop_reason: "tool_use",
    content: [{ type: "tool_use", id: "toolu_01", name: "Read", input: { file_path: "shot.png" } }],
  }),
  record(
    2,
    "user",
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_01", content: [image(large)] }] },
    { toolUseResult: { type: "image", file: { base64: "kept as it is", type: "image/png" } } },
  ),
  record(3, "user", { role: "user", content: [{ type: "text", text: "Are you there?" }, image(png())] }),
  "",
].join("\n")

const refusal =
  'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.2.content.0.tool_result.' +
  'content.0.image.source.base64: image exceeds 5 MB maximum: 5333336 bytes > 5242880 bytes"}}'

describe("a session that an image locked", () => {
  it("is explained, with the record", async () => {
    const cwd = folder({ "session.jsonl": session, "error.log": refusal })
    const { code, stdout } = await cli(["classify", "error.log", "--history", "session.jsonl"], { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain("anthropic-image-5mb")
    expect(stdout).toContain("action   Replace the media with a note, or correct its type: repair and convert do this.")
    expect(stdout).toContain("--> line 3")
  })

  it("is found by check and by doctor", async () => {
    const cwd = folder({ "session.jsonl": session })
    const checked = await cli(["check", "session.jsonl"], { cwd })
    expect(checked.code).toBe(1)
    expect(checked.stdout).toContain("error[media-limit]")
    expect(checked.stdout).toContain("The image has 5,333,336 bytes as base64; at most 5,242,880 are accepted (Anthropic Messages)")
    expect(checked.stdout).toContain("session.jsonl:3")
    expect(checked.stdout.length).toBeLessThan(3000)
    const examined = await cli(["doctor", cwd, "--json"], { cwd })
    expect(JSON.parse(examined.stdout)).toMatchObject({ causes: [{ cause: "rejected-media" }] })
  })

  it("is repaired in place, and the original stays beside it and in the report", async () => {
    const cwd = folder({ "session.jsonl": session })
    const { code } = await cli(["repair", "session.jsonl", "--in-place", "--report", "report.json"], { cwd })
    expect(code).toBe(0)
    const [before, after] = [session.split("\n"), readFileSync(join(cwd, "session.jsonl"), "utf8").split("\n")]
    expect(after.map((line, index) => line === before[index])).toEqual([true, true, false, true, true])
    const changed = JSON.parse(after[2] ?? "")
    expect(changed.message.content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "toolu_01",
        content: [{ type: "text", text: "[image: image/png, 4000002 bytes, not sent: it has more than 5,242,880 bytes as base64]" }],
      },
    ])
    expect(changed.toolUseResult.file.base64).toBe("kept as it is")
    expect(readFileSync(join(cwd, "session.jsonl.bak"), "utf8")).toBe(session)
    const { files } = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8"))
    const [entry] = files[0].conversations[0].entries
    expect(entry.original.source.data === large).toBe(true)
    expect((await cli(["check", "session.jsonl"], { cwd })).code).toBe(0)
  })

  it("is repaired for a provider that is named, where the file does not say it", async () => {
    const cwd = folder({ "session.jsonl": session })
    const { code, stderr } = await cli(["repair", "session.jsonl", "--for", "openai-chat", "-o", "out.jsonl"], { cwd })
    expect([code, stderr.split("\n")[0]]).toEqual([0, "✓ Repaired 1 file: no changes needed"])
  })
})

it("names the media of a request that a refusal without a place is about", async () => {
  const request = {
    messages: [
      { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${png()}` } }] },
      { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] },
    ],
  }
  const cwd = folder({ "request.json": request })
  const { stdout } = await cli(["classify", "--history", "request.json"], {
    cwd,
    stdin: "400 You uploaded an unsupported image. Please make sure your image is valid.",
  })
  expect(stdout).toContain("messages[1].content[0]  most likely")
})
