import { describe, expect, it } from "vitest"
import { scanResultBlocks, scanResults, type ScanResultsOptions } from "../../../src/formats/xml-text/scan/scan-results.ts"

const results = (text: string, options: ScanResultsOptions = {}) => {
  const segments = scanResults(text, options)
  expect(segments.map((segment) => text.slice(segment.start, segment.end)).join("")).toBe(text)
  return segments.flatMap((segment) => (segment.kind === "result" ? segment : []))
}

const found = (text: string, options?: ScanResultsOptions) =>
  results(text, options).map((each) => {
    const { name, hint, error, denied } = each
    return { name, text: each.text, ...(hint === undefined ? {} : { hint }), ...(error ? { error } : {}), ...(denied ? { denied } : {}) }
  })

describe("results in user text", () => {
  it.each([
    ["with a hint", "[read_file for 'src/a.ts'] Result:\nbody\n", [{ name: "read_file", hint: "src/a.ts", text: "body\n" }]],
    ["without a hint", "[execute_command] Result:\nok", [{ name: "execute_command", text: "ok" }]],
    ["with an empty line after the header", "[read_file Result]\n\nbody", [{ name: "read_file", text: "body" }]],
    ["marked as error", "[x Result (Error)]\n\nbad", [{ name: "x", text: "bad", error: true }]],
    [
      "with advice after the hint",
      "[read_file for 'a'. Reading more at once is better.] Result:\nb",
      [{ name: "read_file", hint: "a", text: "b" }],
    ],
    ["with a hint that is no name", "[read_file for 4 files] Result:\nb", [{ name: "read_file", hint: "4 files", text: "b" }]],
    ["with brackets and quotes in the hint", "[x for 'it's a[0]'] Result:\nb", [{ name: "x", hint: "it's a[0]", text: "b" }]],
    [
      "with line breaks in the hint",
      "[execute_command for 'cat <<E\n[ -f a ]\nE'] Result:\nb",
      [{ name: "execute_command", hint: "cat <<E\n[ -f a ]\nE", text: "b" }],
    ],
    [
      "twice in one text",
      "[a] Result:\none\n\n[b for 'x'] Result:\ntwo",
      [
        { name: "a", text: "one" },
        { name: "b", hint: "x", text: "two" },
      ],
    ],
    [
      "with CRLF line ends",
      "[a] Result:\r\none\r\n\r\n[b] Result:\r\ntwo",
      [
        { name: "a", text: "one" },
        { name: "b", text: "two" },
      ],
    ],
    [
      "before the description of the surroundings",
      "[a] Result:\none\n\n<environment_details>\nx\n</environment_details>",
      [{ name: "a", text: "one" }],
    ],
    [
      "that report a failure in the body",
      "[a] Result:\nThe tool execution failed with the following error:\n<error>\nx\n</error>",
      [{ name: "a", text: "The tool execution failed with the following error:\n<error>\nx\n</error>", error: true }],
    ],
    [
      "that the user denied",
      "[a] Result:\nThe user denied this operation.",
      [{ name: "a", text: "The user denied this operation.", denied: true }],
    ],
    ["with an empty body", "[a] Result:\n", [{ name: "a", text: "" }]],
    [
      "between tags",
      "<function_results>\n<result>\n<name>f</name>\n<stdout>\nout <b>\n</stdout>\n</result>\n</function_results>",
      [{ name: "f", text: "out <b>" }],
    ],
    ["between tags with a prefix, as plain text", "<ns:function_results>\nout\n</ns:function_results>", [{ name: undefined, text: "out" }]],
    [
      "between tags with an error",
      "<function_results>\n<error>bad</error>\n</function_results>",
      [{ name: undefined, text: "bad", error: true }],
    ],
    [
      "two between one pair of tags",
      "<function_results><result><name>f</name><stdout>1</stdout></result>\n<result><tool_name>g</tool_name><stdout>2</stdout></result></function_results>",
      [
        { name: "f", text: "1" },
        { name: "g", text: "2" },
      ],
    ],
    ["as a tool response", '<tool_response>\n{"name": "f", "content": {"a": 1}}\n</tool_response>', [{ name: "f", text: '{"a":1}' }]],
    ["as a tool response without a name", "<tool_response>\nplain\n</tool_response>", [{ name: undefined, text: "plain" }]],
  ])("%s", (_, text, expected) => {
    expect(found(text)).toEqual(expected)
  })

  it.each([
    ["a header inside a code fence", "See:\n```\n[a] Result:\nx\n```"],
    ["a header in the middle of a line", "I saw [a] Result: yes"],
    ["an indented header", "  [a] Result:\nx"],
    ["a task list", "[x] Done\n[ ] Result: open"],
    ["a link", "[Result](http://a) of the vote"],
    ["an automatic message", "[ERROR] You did not use a tool in your previous response!"],
    ["a tag that is never closed", "<tool_response>\nplain"],
  ])("does not take %s for a result", (_, text) => {
    expect(found(text)).toEqual([])
  })

  it("takes only listed names when a list is given", () => {
    const text = "[a] Result:\n1\n[b] Result:\n2"
    expect(found(text, { tools: ["a"] })).toEqual([{ name: "a", text: "1\n[b] Result:\n2" }])
    expect(results(text, { tools: ["a", "b"] }).map((each) => each.certainty)).toEqual([1, 1])
  })

  it("keeps a header inside a fence of a body as part of that body", () => {
    const text = "[a] Result:\n```\n[b] Result:\n```\nrest"
    expect(found(text)).toEqual([{ name: "a", text: "```\n[b] Result:\n```\nrest" }])
  })

  it("is less sure when the body starts on the header's line", () => {
    expect(results("[a] Result: yes").map((each) => each.certainty)).toEqual([0.6])
  })
})

describe("results over several text blocks", () => {
  it("gives a lone header the next block as its body, but not the surroundings or the next header", () => {
    const texts = [
      "[a for 'x'] Result:",
      "one",
      "[b] Result:",
      "[c] Result:\nthree",
      "[d] Result:",
      "<environment_details>\n</environment_details>",
      "hello",
    ]
    expect(scanResultBlocks(texts).results.map((each) => [each.result.name, each.bodyBlock, each.text])).toEqual([
      ["a", 1, "one"],
      ["b", 2, ""],
      ["c", 3, "three"],
      ["d", 4, ""],
    ])
    expect(scanResultBlocks(texts).blocks.map((each) => each.continues)).toEqual([false, true, false, false, false, false, false])
  })

  it("reads the fate of the call from the body block and marks the second piece of one result", () => {
    const texts = [
      "[a] Result:",
      "The user denied this operation.",
      "[b for 'x'] Result:",
      "yes",
      "[b for 'x'] Result:",
      "<error>no</error>",
    ]
    const read = scanResultBlocks(texts).results
    expect(read.map((each) => [each.result.denied, each.result.error, each.repeatsPrevious])).toEqual([
      [true, undefined, false],
      [undefined, undefined, false],
      [undefined, true, true],
    ])
  })
})

it("reads a megabyte of header starts and half headers in one walk", () => {
  for (const line of ["[a for 'x\n", "[a for '\n'] Resul\n", "[a] Result:\n", "<tool_response>\n", "```\n[a] Result:\n"]) {
    const text = line.repeat(100_000)
    expect(scanResults(text).reduce((total, each) => total + each.end - each.start, 0)).toBe(text.length)
  }
})
