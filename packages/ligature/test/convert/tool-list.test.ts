/** Calls in a request without a list of tools, for providers that refuse them. */
import { describe, expect, it } from "vitest"
import { check, convert, decode, repair } from "../../src/convert/index.ts"
import { judges } from "../../src/testing/providers/server/apis.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const history = {
  messages: [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: "t1", name: "ls", input: {} },
        { type: "tool_use", id: "t2", name: "mcp.server/search", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: "a" },
        { type: "tool_result", tool_use_id: "t2", content: "b" },
      ],
    },
  ],
}

const converse = {
  messages: [
    { role: "user", content: [{ text: "go" }] },
    { role: "assistant", content: [{ toolUse: { toolUseId: "t1", name: "ls", input: {} } }] },
    { role: "user", content: [{ toolResult: { toolUseId: "t1", content: [{ text: "a" }] } }] },
  ],
}

const stub = (name: string) => ({
  toolSpec: {
    name,
    description: "Called earlier in this conversation. Not available now.",
    inputSchema: { json: { type: "object", properties: {} } },
  },
})

const demanded = { requireToolConfig: true }

describe("a history with calls and without tools", () => {
  it.each(["bedrock-claude", "bedrock"] as const)("is sent to %s with a stub for each tool that it calls", (profile) => {
    const { value, report } = convert(history, { from: "anthropic", to: "bedrock-converse", profile })
    const names = (value["toolConfig"] as { tools: { toolSpec: { name: string } }[] }).tools.map(({ toolSpec }) => toolSpec.name)
    const called = JSON.stringify(value["messages"])
    expect(names).toHaveLength(2)
    for (const name of names) expect(called).toContain(`"name":"${name}"`)
    expect(judges[profile](value, demanded)).toEqual({ ok: true })
    expect(report.entries.filter(({ rule }) => rule === "tool-list")).toMatchObject([{ kind: "synthetic", place: { item: 1 } }])
  })

  it("is found by check, and repaired, in the format of Bedrock itself", () => {
    expect(judges["bedrock-claude"](converse, demanded)).toMatchObject({ ok: false, rule: "bedrock-toolconfig-required" })
    const [finding] = check(decode("bedrock-converse", converse), { profile: "bedrock-claude" })
    expect(finding).toMatchObject({ rule: "tool-list", severity: "error", repair: { kind: "synthetic" } })
    const { value } = repair(converse, { from: "bedrock-converse" })
    expect(value).toEqual({ ...converse, toolConfig: { tools: [stub("ls")] } })
    expect(check(decode("bedrock-converse", value), { profile: "bedrock-claude" })).toEqual([])
    expect(repair(value, { from: "bedrock-converse" })).toMatchObject({ value, report: { entries: [] } })
  })

  it("keeps the tools it declares, and gets none where it calls none", () => {
    const declared = { ...converse, toolConfig: { tools: [stub("cat")], toolChoice: { auto: {} } } }
    expect(repair(declared, { from: "bedrock-converse" }).value).toEqual(declared)
    const silent = { messages: [converse.messages[0]] }
    expect(repair(silent, { from: "bedrock-converse" }).value).toEqual(silent)
  })

  it("stays a list where it is one: a list of messages has no place for tools", () => {
    expect(repair(converse.messages, { from: "bedrock-converse" }).value).toEqual({ messages: converse.messages })
    expect(check(decode("bedrock-converse", converse.messages), { profile: "bedrock-claude" })).toEqual([])
  })

  it("gets them for a proxy before such a provider, and not for the others", () => {
    const { value } = convert(history, { from: "anthropic", to: "openai-chat", profile: "litellm" })
    expect(judges.litellm(value, demanded)).toEqual({ ok: true })
    expect(value["tools"]).toMatchObject([{ type: "function", function: { name: "ls" } }, { type: "function" }])
    for (const to of ["anthropic", "openai-chat"])
      expect(convert(history, { from: "anthropic", to: resolveCodec(to) }).value["tools"]).toBeUndefined()
  })
})
