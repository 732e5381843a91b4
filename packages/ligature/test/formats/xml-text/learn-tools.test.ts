import { describe, expect, it } from "vitest"
import { learnTools } from "../../../src/formats/xml-text/scan/learn-tools.ts"
import { scanCalls } from "../../../src/formats/xml-text/scan/scan-calls.ts"
import { defaultJsonModels, defaultNativeProviders, toolStyle } from "../../../src/formats/xml-text/style.ts"

const call = (name: string): string => `Go.\n<${name}>\n<path>a</path>\n</${name}>`

describe("learning tools from a file", () => {
  it("believes a tag that a result answers, and counts", () => {
    const learned = learnTools([
      { role: "assistant", text: call("my_tool") },
      { role: "user", text: "[my_tool for 'a'] Result:" },
      { role: "user", text: "body" },
      { role: "assistant", text: call("my_tool") },
    ])
    expect([...learned.values()]).toEqual([
      {
        name: "my_tool",
        certainty: 0.95,
        seen: 2,
        answered: 1,
        parameters: new Set(["path"]),
        evidence: ["answered 1 of 2 times"],
      },
    ])
  })

  it("believes a tag that holds nothing and is answered: a call without parameters", () => {
    const learned = learnTools([
      { role: "assistant", text: "Go.\n<list_all>\n</list_all>" },
      { role: "user", text: "[list_all] Result:\nnone" },
    ])
    expect(learned.get("list_all")).toMatchObject({ certainty: 0.95, seen: 1, answered: 1 })
  })

  it.each([
    [
      "a tag nobody answers",
      [
        { role: "assistant", text: call("summary") },
        { role: "user", text: "thanks" },
      ],
    ],
    [
      "a result of another name",
      [
        { role: "assistant", text: call("one") },
        { role: "user", text: "[two] Result:\nx" },
      ],
    ],
    [
      "a tag that is inside a sentence",
      [
        { role: "assistant", text: "Use <one><path>a</path></one> here" },
        { role: "user", text: "[one] Result:\nx" },
      ],
    ],
    [
      "a tag around prose",
      [
        { role: "assistant", text: "<one>\nhello\n</one>" },
        { role: "user", text: "[one] Result:\nx" },
      ],
    ],
    [
      "a result that is before the call",
      [
        { role: "user", text: "[one] Result:\nx" },
        { role: "assistant", text: call("one") },
      ],
    ],
    ["a family tool in a file without any sign of that family", [{ role: "assistant", text: call("attempt_completion") }]],
  ])("does not believe %s", (_, messages) => {
    expect([...learnTools(messages).keys()]).toEqual([])
  })

  it("believes the family's own tools less, once the file shows the family", () => {
    const learned = learnTools([
      { role: "assistant", text: call("read_file") },
      { role: "user", text: "[read_file for 'a'] Result:\nx" },
      { role: "assistant", text: "<attempt_completion>\n<result>done</result>\n</attempt_completion>" },
    ])
    expect([...learned].map(([name, tool]) => [name, tool.certainty])).toEqual([
      ["read_file", 0.95],
      ["attempt_completion", 0.8],
    ])
  })

  it("reads the tool section of a system prompt", () => {
    const text = "# Tools\n\n## read_it\nDescription: reads\nUsage:\n<read_it>\n<path>p</path>\n</read_it>\n\n## Notes\nnone\n"
    const learned = learnTools([{ role: "system", text }])
    expect([...learned].map(([name, tool]) => [name, tool.certainty, tool.evidence])).toEqual([
      ["read_it", 1, ["listed in the system prompt"]],
    ])
    expect(scanCalls(call("read_it"), { learned }).map((segment) => segment.kind)).toEqual(["text", "call"])
  })
})

describe("the style decision", () => {
  it("is xml for a provider outside the native list, whatever else is said", () => {
    expect(toolStyle({ provider: "somewhere", userSetting: "json", model: "claude-haiku-4.5" })).toBe("xml")
  })
  it("follows the user's setting next", () => {
    expect(toolStyle({ provider: "anthropic", userSetting: "xml", model: "claude-haiku-4.5" })).toBe("xml")
    expect(toolStyle({ provider: "anthropic", userSetting: "json", model: "other" })).toBe("json")
    expect(toolStyle({ provider: "OpenAI", userSetting: "json" })).toBe("json")
    expect(toolStyle({ provider: "mine", userSetting: "json", nativeProviders: ["Mine"] })).toBe("json")
  })
  it("is json for a model whose name contains a keyword", () => {
    expect(toolStyle({ provider: "openrouter", model: "anthropic/Claude-Haiku-4.5:beta" })).toBe("json")
  })
  it("is xml otherwise", () => {
    expect(toolStyle({ provider: "openrouter", model: "other" })).toBe("xml")
    expect(toolStyle({ provider: "openrouter" })).toBe("xml")
  })
  it("lets callers replace both lists", () => {
    expect(toolStyle({ provider: "mine", model: "big-one", nativeProviders: ["mine"], jsonModels: ["big"] })).toBe("json")
    expect(toolStyle({ provider: "anthropic", userSetting: "json", nativeProviders: new Set(["mine"]) })).toBe("xml")
    expect([defaultNativeProviders.includes("openai"), defaultJsonModels]).toEqual([true, ["claude-haiku-4.5", "claude-haiku-4-5"]])
  })
})
