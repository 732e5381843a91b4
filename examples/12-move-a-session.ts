/**
 * A session of Claude Code, killed while a tool ran, becomes a session of Codex: nothing is lost, and the file says where it goes.
 */
import { convert, openDocument } from "ligature"
import { sessionCodecs } from "ligature/sessions"

const base = { sessionId: "5f3a", isSidechain: false, cwd: "/home/me/shop", version: "2.1.0", timestamp: "2026-01-02T03:04:05.000Z" }
const use = (id: string, command: string) => ({ type: "tool_use", id, name: "Bash", input: { command } })

/** One block a line; both results hang on the line of their call, so that the tree forks. The second was never written. */
const lines = [
  { ...base, type: "user", uuid: "1", parentUuid: null, message: { role: "user", content: "Do the tests pass?" } },
  {
    ...base,
    type: "assistant",
    uuid: "2",
    parentUuid: "1",
    message: { id: "m1", role: "assistant", content: [use("toolu_1", "ls test")] },
  },
  {
    ...base,
    type: "assistant",
    uuid: "3",
    parentUuid: "2",
    message: { id: "m1", role: "assistant", content: [use("toolu_2", "npm test")] },
  },
  {
    ...base,
    type: "user",
    uuid: "4",
    parentUuid: "2",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "sum.test.ts" }] },
  },
]

export const run = () => {
  const document = openDocument(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
  const [part] = document.parts
  const { value, report } = convert(part?.value, { from: "claude-code", to: "codex-rollout" })
  const records = value["records"] as readonly { readonly payload: { readonly type: string } }[]
  return {
    format: part?.format,
    done: report.entries.map((entry) => entry.what),
    items: records.map((record) => record.payload.type),
    place: sessionCodecs["codex-rollout"]?.session.place?.(records),
  }
}
